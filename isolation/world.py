"""Two leagues with a row of everything, and the visitors who walk through them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from leagues.models import Challenge, Game, GameReport, League, Player, Role, Season
from leagues.models.league import Visibility
from leagues.pictures import Pictures
from leagues.services import (
    PlayedSide,
    add_adjustment,
    add_alias,
    add_organizer,
    cancel_adjustment,
    claim_player,
    correct_game,
    create_api_token,
    create_league,
    create_player,
    create_team,
    create_webhook,
    enter_player,
    invite_organizer,
    invite_player,
    record_game,
    report_game,
    submit_report,
    switch_webhook,
    update_league,
    update_player,
    void_game,
    withdraw_player,
)
from leagues.services.api_games import ApiReport, ReportedSide
from leagues.services.digests import follow_league
from leagues.services.games import played_sides
from leagues.services.uploads import keep_upload
from ratings.models import PrizeTier
from ratings.services.announcing import take_up
from ratings.services.long_exports import run_export
from ratings.services.replay import replay_season
from ratings.services.rules import change_prize_tiers, create_rated_season, update_rated_season

CANARY = "zk7canary"  # in every text of league B, and in none of league A
VISITORS = (
    "owner of A",
    "scorer of A",
    "player of A",
    "staff without a league",
    "anonymous",
    "token of A",
    "organizer of both",
    "superuser",
)
TRUSTED = {"organizer of both", "superuser"}  # who may see both leagues, and still must not mix them
PART_OF_IT = "7canar"  # to search for it: an answer may repeat what was asked


@dataclass
class Side:
    """A league with what addresses and forms call its rows: by id or by slug, under the model's name."""

    league: League
    season: Season
    owner: User
    secret: str  # of a token that writes
    ids: dict[str, list[int]] = field(default_factory=dict)
    slugs: dict[str, str] = field(default_factory=dict)

    def values(self, name: str) -> list[Any]:
        """What an argument of this name is called here: a slug where there is one, else ids."""
        return [self.slugs[name]] if name in self.slugs else list(self.ids[name])


@dataclass
class World:
    a: Side
    b: Side
    visitors: dict[str, User | None]


def make_world() -> World:
    """Both leagues, made by the services, and one visitor of each kind; B is private.

    The player of A has claimed a player and has no role. The token of A is nobody's account and walks through
    the API alone.
    """
    a, b = _make_side("alpha"), _make_side(CANARY)
    both, scorer = User.objects.create_user("both"), User.objects.create_user("scorer")
    add_organizer(league=a.league, user=scorer, role=Role.SCORER, by=None)
    add_organizer(league=a.league, user=both, role=Role.OWNER, by=None)
    add_organizer(league=b.league, user=both, role=Role.OWNER, by=None)
    for side in (a, b):
        side.ids, side.slugs = _names_of(side)
    player = User.objects.get(username="one-alpha")
    staff = User.objects.create_user("staff", is_staff=True)
    root = User.objects.create_superuser("root")
    visitors = (a.owner, scorer, player, staff, None, None, both, root)
    return World(a, b, dict(zip(VISITORS, visitors, strict=True)))


def _make_side(word: str) -> Side:
    """A league in which each text has the word in it."""
    owner = User.objects.create_user(f"owner-{word}", email=f"owner@{word}.example")
    league = create_league(
        by=None,
        owner=owner,
        name=f"League {word}",
        slug=f"league-{word}",
        about=f"About {word}",
        visibility=Visibility.PRIVATE if word == CANARY else Visibility.PUBLIC,
    )
    league = update_league(
        league=league,
        by=None,
        host=f"{word}.example",
        start_text=f"Start *{word}*",
        links=f"Link {word} https://{word}.example/",
        pictures=Pictures(icon=word.encode(), picture=word.encode()),
    )
    season = create_rated_season(
        league=league,
        by=owner,
        preset="wsd-2.0",
        name=f"Former {word}",
        slug=f"former-{word}",
        starts_on=date(2026, 1, 1),
        ends_on=date(2026, 12, 31),
    )
    told = {
        "name": f"Season {word}",
        "slug": f"season-{word}",
        "rules_text": f"Rules {word}",
        "games_from": "both",
    }
    update_rated_season(season=season, by=owner, **told)
    season.refresh_from_db()
    _play(season, word, owner)
    invite_organizer(league=league, role=Role.SCORER, by=owner, email=f"invited@{word}.example")
    follow_league(league=league, user=owner, every="week")
    hook = create_webhook(league=league, kind="json", address=f"https://{word}.example/hook", by=owner)
    one, two = (league.players.get(name=f"{name} {word}") for name in ("One", "Two"))
    _invitation, link = invite_player(player=one, by=owner)
    claim_player(token=link, by=User.objects.create_user(f"one-{word}"))
    one.refresh_from_db()
    _report(season, one, two, word)
    invite_player(player=two, by=owner)
    token, secret = create_api_token(league=league, name=f"Bot {word}", scope="write", by=owner)
    sides = (ReportedSide(("one-" + word,), 7), ReportedSide((f"Two {word}",), 5))
    report_game(season=season, report=ApiReport("2026-01-05", sides), key=f"key-{word}", by=token)
    replay_season(season.pk)
    season.refresh_from_db()
    take_up(hook)
    switch_webhook(hook=hook, on=False, by=owner)
    return Side(league, season, owner, secret)


def _play(season: Season, word: str, owner: User) -> None:
    """Games of every kind, one corrected after it was rated and one voided; a team, a prize, a withdrawal."""
    league = season.league
    one, two, three, gone = (
        create_player(league=league, name=f"{name} {word}", by=owner)
        for name in ("One", "Two", "Three", "Gone")
    )
    three = update_player(player=three, name=f"Third {word}", birth_year=2001, by=owner)
    add_alias(player=one, name=f"Uno {word}", by=owner)
    create_team(league=league, name=f"Team {word}", members=[one, two], by=owner)
    tier = PrizeTier(name=f"Cup {word}", text=f"Text {word}", first_place=1, last_place=2, unit=word)
    change_prize_tiers(season=season, saved=[tier], by=owner)
    sides: list[list[tuple[list[Player], int]]] = [
        [([one], 300), ([two], 100)],
        [([one, two], 20), ([three, gone], 10)],
        [([one], 3), ([two], 2), ([three], 1)],
    ]
    games = [_record(season, each, hour, word, owner) for hour, each in enumerate(sides)]
    replay_season(season.pk)
    first = Game.objects.with_sides().get(pk=games[0].pk)
    corrected = [PlayedSide(side.members, side.points + 5) for side in played_sides(first)]
    correct_game(game=first, played_at=first.played_at, sides=corrected, note=f"Again {word}", by=owner)
    void_game(game=games[2], reason=f"Reason {word}", by=owner)
    withdraw_player(entry=season.entries.get(player=gone), by=owner)
    told: dict[str, Any] = {"change": -50, "at": season.starts_at, "by": owner}
    adjustments = [
        add_adjustment(season=season, player=each, reason=f"Penalty {word}", **told) for each in (one, two)
    ]
    cancel_adjustment(adjustment=adjustments[0], reason=f"Appeal {word}", by=owner)
    _play_ladder(league, one, two, word, owner)


def _record(season: Season, sides: list[tuple[list[Player], int]], hour: int, word: str, owner: User) -> Game:
    return record_game(
        season=season,
        played_at=season.starts_at + timedelta(hours=hour),
        sides=[PlayedSide(tuple(members), points) for members, points in sides],
        note=f"Note {word}",
        by=owner,
    )


def _play_ladder(league: League, challenger: Player, opponent: Player, word: str, owner: User) -> None:
    """A season of the other system, with a challenge that waits for its answer and one that has it."""
    season = create_rated_season(
        league=league,
        by=owner,
        preset="ranked-battle",
        name=f"Ladder {word}",
        slug=f"ladder-{word}",
        starts_on=date(2026, 1, 1),
        ends_on=date(2026, 12, 31),
    )
    for player in (challenger, opponent):
        enter_player(season=season, player=player, by=owner)
    replay_season(season.pk)
    values = {"season": season, "challenger_rating": 15_000, "opponent_rating": 15_000}
    values |= {
        "challenger": challenger,
        "opponent": opponent,
        "respond_by": timezone.now() + timedelta(days=9),
    }
    Challenge.objects.create(**values)
    declined = {"state": Challenge.State.DECLINED, "decided_at": season.starts_at}
    Challenge.objects.create(**values | declined, reason=f"Declined {word}")


def _report(season: Season, one: Player, two: Player, word: str) -> None:
    """Two games that a player with an account reports: one that waits, and one that is disputed."""
    user: Any = one.user
    for hours in (0, 1):
        report = submit_report(
            season=season,
            played_at=season.starts_at + timedelta(days=9, hours=hours),
            sides=[PlayedSide((one,), 40), PlayedSide((two,), 30)],
            note=f"Told {word}",
            by=user,
        )
    reports = GameReport.objects.filter(pk=report.pk)
    reports.update(state=GameReport.State.DISPUTED, reason=f"Disputed {word}")


def rows_of(league: League) -> dict[str, list[Any]]:
    """Every row of a league in every table that has some, and the accounts that run it."""
    rows: dict[str, list[Any]] = {
        "users": list(User.objects.filter(organizer_roles__league=league).order_by("pk").values_list())
    }
    for model in _league_models():
        queryset: Any = QuerySet(model)
        path = getattr(model, "league_path", "")
        rows[model.__name__] = list(queryset.filter(**{path: league.pk}).order_by("pk").values_list())
        for each in model._meta.many_to_many:
            links: Any = each.remote_field.through
            of_row = {f"{each.m2m_field_name()}__{path}": league.pk}
            rows[links.__name__] = list(links.objects.filter(**of_row).order_by("pk").values_list())
    return rows


def _league_models() -> Iterator[Any]:
    return (model for model in apps.get_models() if hasattr(model, "league_path"))


def _names_of(side: Side) -> tuple[dict[str, list[int]], dict[str, str]]:
    ids = {
        str(model._meta.model_name): list(
            QuerySet(model)
            .filter(**{getattr(model, "league_path", ""): side.league.pk})
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        for model in _league_models()
    }
    player = Player.objects.get(pk=ids["player"][0])
    team = side.league.teams.get()
    slugs = {"league": side.league.slug, "season": side.season.slug, "player": player.slug, "team": team.slug}
    file = f"played_at,side 1,points 1,side 2,points 2\n2026-05-03,Five {player.name},3,{player.name},1\n"
    run_export(side.league.pk)
    slugs["ladder"] = side.league.seasons.get(slug__startswith="ladder-").slug
    slugs["challenge"] = slugs["battle"] = str(Challenge.objects.get(pk=ids["challenge"][0]).uuid)
    slugs["upload"] = keep_upload(file.encode(), season=side.season, by=side.owner)
    return ids | {"user": [side.owner.pk]}, slugs
