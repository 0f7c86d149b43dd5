"""The results: rules as data, and everything a replay of the facts under them gives.

All but RuleSet and PrizeTier is written by the replay alone, and equals a replay from scratch.
Ratings and season scores are whole tenths of a rating point.
"""

from ratings.models.corrections import Correction
from ratings.models.results import AppliedAdjustment, Meeting, RatingChange, Replay, Standing
from ratings.models.rules import PrizeTier, RuleSet

__all__ = [
    "AppliedAdjustment",
    "Correction",
    "Meeting",
    "PrizeTier",
    "RatingChange",
    "Replay",
    "RuleSet",
    "Standing",
]
