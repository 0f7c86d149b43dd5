"""The results as JSON, for programs: reading only, the same facts and numbers as on the pages.

Lists are paged and counted; ratings are numbers of rating points with one decimal; times carry the
offset of the league's zone. A stranger to a private league, and to a draft season, gets 404.
"""

from ratings.api import games, leagues, players, standings

ROUTERS = (leagues.router, standings.router, games.router, players.router)

__all__ = ["ROUTERS"]
