"""Games of a season, and one game explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F

from leagues.games_csv import FileGame, FileSide, game_rows
from leagues.models import AuditEntry, Game, League, Player, Season
from leagues.names import same_name
from leagues.services.order import places_of
from leagues.tenancy.admin.history import act
from leagues.tenancy.requests import game_of
from ratings.engine.systems import SYSTEMS
from ratings.engine.types import Explanation
from ratings.forms.games import GameFilterForm
from ratings.models import RatingChange
from ratings.services.explain import explain_game, k_of
from ratings.services.facts import shown_rules
from ratings.services.history import ListedSide, listed
from ratings.views.files import CHUNK, TableFileView, in_points
from ratings.views.live import LiveMixin

GAMES_A_PAGE = 50
CHANGE_COLUMNS = (
    "game", "played_at", "player", "address", "before", "after", "change",
    "games", "wins", "draws", "losses", "first_places", "k", "k_reason",
)  # fmt: skip


class GameListView(LiveMixin):
    """The games of a season, the latest first."""

    template_name = "ratings/game_list.html"
    fragment_name = "ratings/_game_list.html"
    season: Season

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        form = GameFilterForm(self.request.GET, season=self.season)
        form.is_valid()
        asked = form.narrow(Game.objects.filter(season=self.season)).latest_first().with_sides()
        page = Paginator(asked, GAMES_A_PAGE).get_page(self.request.GET.get("page"))
        games = listed(list(page), self.league)
        if self.request.role:
            places = places_of(self.season, page)
            games = [replace(each, place=places.get(each.game.pk)) for each in games]
        return super().get_context_data(form=form, page=page, games=games, is_empty=not games)


class GameDetailView(LiveMixin):
    """One game: what it changed, and why."""

    template_name = "ratings/game_detail.html"
    fragment_name = "ratings/_game_detail.html"
    season: Season

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        game = game_of(self.season, self.kwargs["game"])
        (listed_game,) = listed([game], self.league)
        # Until a replay the ledger may speak of other rules than the season's.
        is_level = self.replay.revision == self.season.revision
        explanation = explain_game(game) if is_level else None
        return super().get_context_data(
            game=game,
            sides=listed_game.sides,
            explanation=explanation,
            explained_sides=explained_sides(listed_game.sides, explanation) if explanation else [],
            by_margin=SYSTEMS[shown_rules(self.season).system].by_margin,
            audit=_audit_of(game, self.league) if self.request.role else [],
            place=places_of(self.season, [game]).get(game.pk) if self.request.role else None,
        )


def explained_sides(sides: Sequence[ListedSide], explanation: Explanation) -> list[dict[str, Any]]:
    """Each side with its duels, each duel with its opponent, and each member with the ratings."""
    return [
        {
            "side": side,
            "explained": explained,
            "members": [
                (player, before, before / 10 + explained.change, after)
                for player, before, after in zip(side.members, explained.before, explained.after, strict=True)
            ],
            "duels": [
                {
                    "duel": duel,
                    "opponent": sides[duel.opponent],
                    "opponent_rating": explanation.sides[duel.opponent].rating,
                    "difference": duel.difference / 10,
                }
                for duel in explained.duels
            ],
        }
        for side, explained in zip(sides, explanation.sides, strict=True)
    ]


def _audit_of(game: Game, league: League) -> list[tuple[AuditEntry, str]]:
    """What was done to the game, each act with its name."""
    entries = AuditEntry.objects.in_league(league).filter(object_type="game", object_id=str(game.pk))
    return [(entry, act(entry)) for entry in entries.select_related("by")]


class GamesFileView(TableFileView):
    """The games that the page shows in the wide form, in order of play: a file that can be imported again."""

    table = "games"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        form = GameFilterForm(self.request.GET, season=self.season)
        form.is_valid()
        asked = form.narrow(Game.objects.filter(season=self.season))
        games = asked.not_voided().in_play_order().with_sides()
        file_games = _file_games(games.iterator(CHUNK), _names_in_files(self.league))
        return game_rows(file_games, timezone=self.league.zone)


def _file_games(games: Iterable[Game], names: dict[int, str]) -> Iterator[FileGame]:
    for game in games:
        sides = [
            FileSide(tuple(names[seat.player_id] for seat in side.members.all()), side.points)
            for side in game.sides.all()
        ]
        yield FileGame(line=0, played_at=game.played_at, sides=tuple(sides), note=game.note, kind=game.kind)


def _names_in_files(league: League) -> dict[int, str]:
    """What a file calls each player: by name, or by address where two have one name."""
    players = list(Player.objects.in_league(league).values_list("pk", "name", "slug"))
    bearers = Counter(same_name(name) for _pk, name, _slug in players)
    return {pk: name if bearers[same_name(name)] == 1 else slug for pk, name, slug in players}


class ChangesFileView(TableFileView):
    """The ledger of the season: every rating change in order of play."""

    table = "changes"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        changes = (
            RatingChange.objects.filter(season=self.season)
            .order_by("played_at", "game__order", "game_id", "pk")
            .annotate(name=F("player__name"), address=F("player__slug"))
        )
        rules = shown_rules(self.season)
        yield CHANGE_COLUMNS
        for row in changes.iterator(CHUNK):
            k, k_reason = k_of(rules, row)
            yield [
                row.game_id,
                row.played_at.astimezone(self.league.zone),
                row.name,
                row.address,
                *map(in_points, (row.before, row.after, row.change)),
                row.games,
                row.wins,
                row.draws,
                row.losses,
                row.first_places,
                f"{k.normalize():f}",
                k_reason,
            ]
