"""The games of a player in a season as seen from the player's side, on the page and as a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.shortcuts import get_object_or_404

from leagues.models import Game, League, Player, Season
from ratings.forms.players import slugs_asked
from ratings.services.history import ListedSide, PlayedGame, against, history, listed
from ratings.views.files import TableFileView, in_points

TOLD_AT_ONCE = 500  # games
FILE_COLUMNS = ("game", "played_at", "outcome", "points", "opponents", "partners", "change", "rating")


def opponent_asked(league: League, query: Any) -> Player | None:
    """The opponent the address asks for, where there is one."""
    asked = slugs_asked(query, "opponent", 1)
    return Player.objects.in_league(league).filter(slug__in=asked).first()


def told_games(league: League, player: Player, games: Sequence[PlayedGame]) -> dict[int, dict[str, Any]]:
    """These games as seen from the player's side, by id."""
    played = {game.game_id: game for game in games}
    # In no order: to have it, SQLite would go through all games of the season.
    found = listed(list(Game.objects.filter(pk__in=played).order_by().with_sides()), league)
    return {each.game.pk: _told_by(player, played[each.game.pk], each.sides) for each in found}


def _told_by(player: Player, played: PlayedGame, sides: Sequence[ListedSide]) -> dict[str, Any]:
    """A game as seen from the player's side."""
    (own,) = (side for side in sides if player in side.members)
    return {
        "played": played,
        "sides": sides,
        "own": own,
        "partners": [member for member in own.members if member != player],
        "others": [side for side in sides if side is not own],
    }


class PlayerGamesFileView(TableFileView):
    """The player's rated games of the season, or those against one opponent, the latest first."""

    table = "player-games"
    season: Season

    @property
    def file_name(self) -> str:
        return f"{self.league.slug}-{self.season.slug}-{self.kwargs['player']}-games"

    def rows(self) -> Iterable[Sequence[object]]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        games = history(self.season, player)
        if opponent := opponent_asked(self.league, self.request.GET):
            games = against(games, self.season, opponent)
        return self._rows(player, games[::-1])

    def _rows(self, player: Player, games: list[PlayedGame]) -> Iterator[Sequence[object]]:
        yield FILE_COLUMNS
        for start in range(0, len(games), TOLD_AT_ONCE):
            some = games[start : start + TOLD_AT_ONCE]
            told = told_games(self.league, player, some)
            # A game that was deleted while the file is sent is left out.
            yield from (self._row(told[game.game_id]) for game in some if game.game_id in told)

    def _row(self, told: dict[str, Any]) -> Sequence[object]:
        played = told["played"]
        return [
            played.game_id,
            played.played_at.astimezone(self.league.zone),
            played.outcome,
            told["own"].points,
            ", ".join(f"{side.points} {side.name}" for side in told["others"]),
            ", ".join(member.name for member in told["partners"]),
            in_points(played.change),
            in_points(played.after),
        ]
