"""The one signal of the project."""

from django.dispatch import Signal

# Sent after the commit of a change of facts, with season_id. Its one receiver is the nudge
# that has the season's results recomputed.
season_changed = Signal()
