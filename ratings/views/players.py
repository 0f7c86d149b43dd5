"""Players of a league, a player over all seasons, and a player in one season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, F, FilteredRelation, Q, Sum
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from leagues.models import Entry, Game, GameReport, League, Player, Season, SideMember
from leagues.models.player import PlayerQuerySet
from leagues.models.season import SeasonQuerySet
from leagues.tenancy.hosts import canonical_address
from leagues.tenancy.requests import LeagueMixin
from ratings.charts import Curve, Point, curves, quarters, thinned
from ratings.engine.standings import bonus_progress
from ratings.forms.players import MOST_COMPARED, CurveForm, PlayerSearchForm, slugs_asked
from ratings.models import Meeting, Standing
from ratings.services.adjustments import adjustments_of, summed
from ratings.services.comparing import CHOICES, choices, compared
from ratings.services.facts import shown_rules
from ratings.services.history import (
    ListedGame,
    ListedSide,
    PlayedGame,
    against,
    best_win,
    histories,
    listed,
    longest_streak,
    streak,
    strongest_beaten,
)
from ratings.services.pace import is_over
from ratings.services.prizes import Aim, aims_of, prize_tiers
from ratings.services.standings import has_places, missing_opponents
from ratings.tables.players import MeetingTable, PlayerTable
from ratings.views.files import CHUNK, TableFileView, in_points
from ratings.views.live import LiveMixin
from ratings.views.player_games import opponent_asked, told_games
from ratings.views.shared import standing_text

GAMES_A_PAGE = 30
OPPONENTS_A_PAGE = 20
UNRATED_SHOWN = 20
FILE_COLUMNS = (
    "name", "address", "other_names", "season", "place", "season_score", "rating", "games", "seasons",
    "inactive",
)  # fmt: skip


def seasons_seen(request: Any, league: League) -> SeasonQuerySet:
    """The seasons of the league this visitor may see."""
    seasons = Season.objects.in_league(league).select_related("rule_set")  # which tells what pages it has
    return seasons if request.role else seasons.published()


def players_now(league: League, season: Season | None, seasons: SeasonQuerySet) -> PlayerQuerySet:
    """The league's players in order of their names, with their numbers of this season."""
    now = FilteredRelation("standings", condition=Q(standings__season=season.pk if season else 0))
    return (
        Player.objects.in_league(league)
        .annotate(
            now=now,
            now_place=F("now__place"),
            now_score=F("now__season_score"),
            now_rating=F("now__rating"),
            now_games=F("now__games"),
            seasons=Count("entries", filter=Q(entries__season__in=seasons), distinct=True),
        )
        .order_by("sort_key", "pk")
    )


class AllSeasonsMixin(LiveMixin):
    """A page that shows results of all seasons of the league."""

    def seen(self) -> list[object]:
        seasons = Season.objects.in_league(self.league).aggregate(Count("pk"), Sum("revision"))
        return [*super().seen(), *seasons.values()]


class PlayerListView(AllSeasonsMixin):
    """Everybody who ever was in the league."""

    template_name = "ratings/player_list.html"
    fragment_name = "ratings/_player_list.html"

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.season = seasons_seen(request, self.league).current_first().first()

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        text = searched(self.request)
        players = players_now(self.league, self.season, seasons_seen(self.request, self.league))
        if text:
            players = players.named_like(text)
        nobody = _("Nobody is called that.") if text else _("This league has no players yet.")
        placed = self.season is not None and has_places(self.season)
        table = PlayerTable(players, league=self.league, has_places=placed, empty_text=nobody)
        table.show(self.request.GET)
        return super().get_context_data(table=table, q=text)


def searched(request: Any) -> str:
    """The name that is searched for; empty for everybody."""
    form = PlayerSearchForm(request.GET)
    form.is_valid()
    return form.cleaned_data.get("q") or ""


class PlayersFileView(TableFileView):
    """The players that the page shows as a file."""

    table = "players"

    def rows(self) -> Iterator[Sequence[object]]:
        seasons = seasons_seen(self.request, self.league)
        season = seasons.current_first().first()
        players = players_now(self.league, season, seasons)
        if text := searched(self.request):
            players = players.named_like(text)
        players = players.prefetch_related("aliases")
        return _file_rows(players, season.name if season else "")


def _file_rows(players: Any, season: str) -> Iterator[Sequence[object]]:
    yield FILE_COLUMNS
    for row in players.iterator(CHUNK):
        yield [
            row.name,
            row.slug,
            "; ".join(alias.name for alias in row.aliases.all()),
            "" if row.now_rating is None else season,
            row.now_place,
            in_points(row.now_score),
            in_points(row.now_rating),
            row.now_games,
            row.seasons,
            row.inactive,
        ]


class PlayerCareerView(LeagueMixin, TemplateView):
    """A player over all seasons."""

    template_name = "ratings/player_career.html"

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        seasons = seasons_seen(self.request, self.league)
        self.season = seasons.current_first().first()
        entries = Entry.objects.filter(player=player, season__in=seasons).select_related("season")
        standings = {row.season_id: row for row in Standing.objects.filter(player=player, season__in=seasons)}
        rows = [
            {"season": entry.season, "entry": entry, "standing": standings.get(entry.season_id)}
            for entry in entries.order_by("-season__starts_on", "-season_id")
        ]
        return super().get_context_data(
            player=player,
            canonical=canonical_address(self.request, self.league, self.request.path),
            rows=rows,
            totals={
                name: sum(getattr(row, name) for row in standings.values())
                for name in ("played", "wins", "draws", "losses", "first_places")
            },
            best_place=min((row.place for row in standings.values() if row.place), default=None),
            peak=max((row.peak for row in standings.values()), default=None),
            aliases=player.aliases.all(),
            teams=player.teams.all(),
            reports=self._reports(player),
        )

    def _reports(self, player: Player) -> list[GameReport]:
        """On the own page, what somebody has to answer or decide."""
        if self.request.player != player.slug:
            return []
        return list(GameReport.objects.of_player(player).open().select_related("season").with_seats())


class PlayerSeasonView(LiveMixin):
    """A player in a season: the curve, what is still missing, the games, the opponents."""

    template_name = "ratings/player_season.html"
    fragment_name = "ratings/_player_season.html"
    season: Season

    def get_template_names(self) -> list[str]:
        # Sorting the table of opponents asks for that table alone.
        is_table = self.is_fragment and self.request.htmx.target == "met-table"
        return ["ratings/_meetings.html"] if is_table else super().get_template_names()

    def seen(self) -> list[object]:
        return [*super().seen(), self.request.htmx.target]

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        others = compared(self.season, slugs_asked(self.request.GET, "with", MOST_COMPARED + 1))
        others = [row for row in others if row.player_id != player.pk][:MOST_COMPARED]
        found = histories(self.season, [player.pk, *(row.player_id for row in others)])
        games = found.get(player.pk, [])
        standing = self._standing(player)
        adjustments = adjustments_of(self.season, player)
        row = standing["standing"]
        return super().get_context_data(
            player=player,
            entry=Entry.objects.filter(season=self.season, player=player).first(),
            aliases=player.aliases.all(),
            past=self._past(player),
            adjustments=adjustments,
            sum=summed(row, games, adjustments) if row and adjustments else None,
            **standing,
            **self._games(player, games),
            unrated=self._unrated(player),
            **self._curve([(player, games), *((row.player, found[row.player_id]) for row in others)]),
            meetings=self._meetings(player, standing["missing"]),
        )

    def _standing(self, player: Player) -> dict[str, Any]:
        """Where the player stands, and what is still missing for a place and for the prizes."""
        rules = shown_rules(self.season)
        standing = Standing.objects.filter(season=self.season, player=player).first()
        missing = missing_opponents(self.season, [standing] if standing else [], rules)
        return {
            "rules": rules,
            "standing": standing,
            "standing_text": standing_text(standing, rules) if standing else "",
            "bonus_progress": bonus_progress(rules, standing.games) if standing else None,
            "missing": missing.get(player.pk, []),
            "is_over": is_over(self.season, timezone.localdate()),
            "aims": self._aims(standing),
        }

    def _aims(self, standing: Standing | None) -> list[Aim]:
        """How far the prizes are; of no use to who is out of the season."""
        if standing is None or standing.withdrawn:
            return []
        return aims_of(standing, prize_tiers(self.season))

    def _past(self, player: Player) -> list[Standing]:
        """The player's other seasons, the latest first."""
        seasons = seasons_seen(self.request, self.league).exclude(pk=self.season.pk)
        rows = Standing.objects.filter(player=player, season__in=seasons).select_related("season")
        return list(rows.order_by("-season__starts_on", "-season_id"))

    def _games(self, player: Player, games: list[PlayedGame]) -> dict[str, Any]:
        """A page of the games, or of those against one opponent, latest first; and what stands out."""
        opponent = opponent_asked(self.league, self.request.GET)
        asked = against(games, self.season, opponent) if opponent else games
        page = Paginator(asked[::-1], GAMES_A_PAGE).get_page(self.request.GET.get("page"))
        best, strongest = best_win(games), strongest_beaten(self.season, player)
        beaten = next((game for game in games if strongest and game.game_id == strongest.game_id), None)
        shown = [*page, *(game for game in (best, beaten) if game)]
        told = told_games(self.league, player, shown)
        games_shown = [told[played.game_id] for played in page]
        return {
            "page": page,
            "games": games_shown,
            "has_several_sides": any(len(game["others"]) > 1 for game in games_shown),
            "opponent": opponent,
            "best": told[best.game_id] if best else None,
            "beaten": told[beaten.game_id] if beaten else None,
            "strongest": strongest,
            "strongest_side": _side(told[beaten.game_id], strongest.side) if beaten and strongest else None,
            "streak": streak(games),
            "longest": longest_streak(games, "win"),
        }

    def _unrated(self, player: Player) -> list[ListedGame]:
        """The latest games that are not rated: byes, friendlies, forfeits. One query for none."""
        seats = SideMember.objects.filter(player=player, game__rated=False, game__voided_at=None)
        # By the player's seats and in no order: where an index could find the season's games, SQLite would
        # go through all of them.
        here = seats.annotate(season=F("game__season") + 0).filter(season=self.season.pk).order_by()
        found = sorted(here.values_list("game__played_at", "game__order", "game_id"), reverse=True)
        latest = [game for *_place, game in found[:UNRATED_SHOWN]]
        games = Game.objects.filter(pk__in=latest).order_by().with_sides()
        return sorted(listed(list(games), self.league), key=lambda each: latest.index(each.game.pk))

    def _curve(self, told: list[tuple[Player, list[PlayedGame]]]) -> dict[str, Any]:
        """The rating curve, and beside it those of the players it is compared with."""
        form = CurveForm(self.request.GET)
        by_date = form.is_valid() and form.cleaned_data["by"] == "date"
        (player, games), *_others = told
        if not games:
            return {"lines": [], "by_date": by_date}
        series = [self._points(each, by_date=by_date) for _player, each in told]
        lines = [_line(*each, drawn) for each, drawn in zip(told, curves(series), strict=True)]
        chosen = [each.slug for each, _games in told[1:]]
        latest = max(
            (each[-1] for _player, each in told), key=attrgetter("played_at" if by_date else "number")
        )
        return {
            "lines": lines,
            "curve": lines[0]["curve"],
            "by_date": by_date,
            "first": games[0],
            "latest": latest,
            "quarters": quarters(self.season.starts_at, latest.played_at) if by_date else [],
            "numbers": [games[int(p.x) - 1] for p in thinned([Point(g.number, g.after) for g in games])],
            "compared": ",".join(chosen),
            **self._choices({player.slug, *chosen}),
        }

    def _choices(self, shown: set[str]) -> dict[str, Any]:
        """Whom else to compare with, while there is room in the chart, and at how many they are cut."""
        if len(shown) > MOST_COMPARED:
            return {"choices": []}
        found = choices(self.season)
        return {
            "choices": [(slug, name) for slug, name in found if slug not in shown],
            "cut": CHOICES if len(found) == CHOICES else None,
        }

    def _points(self, games: list[PlayedGame], *, by_date: bool) -> list[Point]:
        start = self.season.starts_at.timestamp() if by_date else 0
        played = [Point(g.played_at.timestamp() if by_date else g.number, g.after) for g in games]
        return [Point(start, games[0].before), *played]

    def _meetings(self, player: Player, missing: list[tuple[Player, int]]) -> MeetingTable:
        meetings = Meeting.objects.filter(season=self.season, player=player).select_related("opponent")
        lacks = {opponent.pk: games for opponent, games in missing}
        table = MeetingTable(meetings, season=self.season, player=player, missing=lacks)
        table.show(self.request.GET, rows=OPPONENTS_A_PAGE)
        return table


def _side(told: dict[str, Any], number: int) -> ListedSide | None:
    """The side of this number in a told game; None where the game was corrected since it was rated."""
    return next(islice(told["sides"], number - 1, None), None)


def _line(player: Player, games: list[PlayedGame], drawn: Curve) -> dict[str, Any]:
    """A player's line of the chart, and the numbers that tell it."""
    return {
        "player": player,
        "curve": drawn,
        "start": games[0].before,
        "low": min(games[0].before, *(game.after for game in games)),
        "latest": games[-1],
    }
