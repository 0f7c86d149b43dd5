"""The results as JSON, for programs, and games in: the same facts and numbers as on the pages.

Lists are paged and counted; ratings are numbers of rating points with one decimal; times carry the
offset of the league's zone. A stranger to a private league, and to a draft season, gets 404; a token of the
league is no stranger.
"""

from ratings.api import adjustments, battles, corrections, leagues, players, standings

ROUTERS = (
    leagues.router,
    standings.router,
    corrections.router,  # that of games and reports
    players.router,
    adjustments.router,
    battles.router,
)

__all__ = ["ROUTERS"]
