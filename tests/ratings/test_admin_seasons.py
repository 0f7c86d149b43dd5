"""Seasons with rules and prizes, and the results, in the admin."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from leagues.models import AuditEntry, League, Player, Role, Season
from leagues.services import enter_player, update_season
from leagues.services.seasons import SEASON_FIELDS
from ratings.models import Meeting, PrizeTier, RatingChange, Replay, RuleSet, Standing
from ratings.models.rules import RULE_FIELDS
from ratings.services.rules import change_rules
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

ADD = "/admin/leagues/season/add/"


@pytest.fixture
def league(client: Client) -> League:
    """League A with Alice, its owner, signed in."""
    alice = make_user("alice")
    client.force_login(alice)
    return make_league("league-a", owner=alice)


@pytest.fixture
def season(league: League) -> Season:
    return make_season(league)


def change(season: Season) -> str:
    return f"/admin/leagues/season/{season.pk}/change/"


def form_of(season: Season, **values: Any) -> dict[str, Any]:
    """The change form as a browser would send it back, with some values changed."""
    rules = RuleSet.objects.get(season=season)
    values_of_season = {name: getattr(season, name) for name in SEASON_FIELDS}
    # A browser sends no box that is not ticked.
    data: dict[str, Any] = {name: value for name, value in values_of_season.items() if value is not False}
    data |= {"rule_set-TOTAL_FORMS": 1, "rule_set-INITIAL_FORMS": 1}
    data |= {"rule_set-0-id": rules.pk, "rule_set-0-season": season.pk}
    for name in RULE_FIELDS:
        value = getattr(rules, name)
        data[f"rule_set-0-{name}"] = (
            ", ".join(value) if isinstance(value, list) else "" if value is None else value
        )
    data |= {"prize_tiers-TOTAL_FORMS": 0, "prize_tiers-INITIAL_FORMS": 0}
    return data | values


def tier(number: int, **values: Any) -> dict[str, Any]:
    values = {"first_place": 1, "last_place": 1, "tie_rule": "share"} | values
    return {f"prize_tiers-{number}-{name}": value for name, value in values.items()}


def acts() -> list[str]:
    """What Alice and Carol did."""
    entries = AuditEntry.objects.exclude(by=None).exclude(action="create_league")
    return list(entries.order_by("pk").values_list("action", flat=True))


def test_a_season_is_made_of_a_preset(client: Client, league: League) -> None:
    data = {"league": league.pk, "name": "Лято 2026", "slug": "", "state": "open", "preset": "wsd-2.0-tables"}
    data |= {"starts_on": "2026-06-01", "ends_on": "2026-08-31"}
    response = client.post(ADD, data)
    season = Season.objects.get()
    assert response["Location"] == change(season)  # on to the rules and prizes
    assert season.slug == "lyato-2026"
    assert RuleSet.objects.get(season=season).keep == Decimal("0.5")
    refused = client.post(ADD, data | {"ends_on": "2026-05-31"}).content.decode()
    assert "The last day is before the first." in refused
    assert client.post(ADD, data | {"preset": "nonsense"}).status_code == 200
    assert Season.objects.count() == 1


def test_r57_a_minimum_that_takes_too_much_is_warned_of_when_it_is_set(
    client: Client, season: Season
) -> None:
    """75 games in 21 days are 3.6 a day; 42 games would be two a day."""
    short = {"starts_on": date(2027, 1, 1), "ends_on": date(2027, 1, 21)}
    warned = client.post(change(season), form_of(season, **short), follow=True).content.decode()
    assert "A place takes 75 games" in warned
    assert "with 21 days left: 3.6 games a day" in warned
    season.refresh_from_db()
    make_players(season.league, "Ann")
    enter_player(season=season, player=Player.objects.get(), by=None)
    replayed(season)  # Ann's standing says that she lacks 75, until it is computed by the new rules
    data = form_of(season) | {"rule_set-0-min_games": 42}
    assert "games a day" not in client.post(change(season), data, follow=True).content.decode()


def test_nothing_changed_writes_nothing(client: Client, season: Season) -> None:
    assert client.post(change(season), form_of(season)).status_code == 302
    assert acts() == []


def test_rules_are_changed_by_the_service(client: Client, season: Season) -> None:
    season.refresh_from_db()
    revision = season.revision
    values = {"rule_set-0-k": "20", "rule_set-0-tie_breaks": "games, rating"}
    assert client.post(change(season), form_of(season, **values)).status_code == 302
    rules = RuleSet.objects.get(season=season)
    assert (rules.k, rules.tie_breaks) == (Decimal(20), ["games", "rating"])
    assert acts() == ["change_rules"]
    season.refresh_from_db()
    assert season.revision == revision + 1
    history = client.get(f"/admin/leagues/season/{season.pk}/history/").content.decode()
    assert "K-factor: 10.00 → 20" in history


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"rule_set-0-tie_breaks": "luck"}, "“luck” is unknown or stands twice"),
        ({"rule_set-0-bonus_games": "10"}, "must be more than the games for full weight"),
        ({"rule_set-0-k": "NaN"}, "Enter a number."),
        ({"rule_set-0-k": "1e309"}, "Ensure"),
        ({"rule_set-0-pool_size": "100000"}, "Ensure this value is less than or equal to 1000."),
        ({"rule_set-0-k_rule": "fide"}, "FIDE’s bands go by the challenger"),
        ({"rule_set-0-margin_unit": "5"}, "the season accepts 5000"),
        ({"ends_on": "2025-01-01"}, "The last day is before the first."),
        ({"ends_on": "31.12.2026"}, "Write the day like 2026-09-30."),
        ({"team_max": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"slug": "players"}, "is a word of the site itself"),
        ({"state": "nonsense"}, "Select a valid choice."),
    ],
)
def test_bad_input_is_a_sentence_in_the_form(
    client: Client, season: Season, values: dict[str, Any], sentence: str
) -> None:
    response = client.post(change(season), form_of(season, **values))
    assert response.status_code == 200
    assert sentence in response.content.decode()
    assert acts() == []


def test_days_that_leave_games_out_are_refused_at_their_field(client: Client, season: Season) -> None:
    one, two = make_players(season.league, "One", "Two")
    make_game(season, (one, 1), (two, 2))
    response = client.post(change(season), form_of(season, starts_on="2026-02-01"))
    assert "1 game was played outside these days" in str(
        response.context["adminform"].form.errors["starts_on"]
    )
    season.refresh_from_db()
    assert season.starts_on == date(2026, 1, 1)


def test_a_season_accepts_no_margin_its_rules_cannot_rate(client: Client, season: Season) -> None:
    change_rules(season=season, by=None, values={"margin_unit": 25})  # up to a margin of 5000
    response = client.post(change(season), form_of(season, largest_margin=5001))
    assert "can be rated up to 5000, and the season accepts 5001" in response.content.decode()
    season.refresh_from_db()
    assert season.largest_margin == 5000
    assert acts() == []


def test_prize_tiers_are_saved_by_the_service(client: Client, season: Season) -> None:
    data = form_of(season) | tier(0, name="Gold", amount="1000", per_participant="on", unit="km")
    data |= tier(1, name="Silver", first_place=2, last_place=3) | {"prize_tiers-TOTAL_FORMS": 2}
    assert client.post(change(season), data).status_code == 302
    gold, silver = PrizeTier.objects.all()
    assert (gold.name, gold.amount, gold.season) == ("Gold", 1000, season)
    assert acts() == ["change_prize_tiers"]
    ids = {"id": gold.pk, "season": season.pk}, {"id": silver.pk, "season": season.pk}
    data = form_of(season) | tier(0, name="Golden", **ids[0]) | tier(1, name="Silver", DELETE="on", **ids[1])
    data |= {"prize_tiers-TOTAL_FORMS": 2, "prize_tiers-INITIAL_FORMS": 2}
    client.post(change(season), data)
    assert [each.name for each in PrizeTier.objects.all()] == ["Golden"]
    wrong = form_of(season) | tier(0, name="X", first_place=3, last_place=2) | {"prize_tiers-TOTAL_FORMS": 1}
    assert "The last place is before the first." in client.post(change(season), wrong).content.decode()


def test_a_closed_season_can_only_be_reopened_and_by_an_owner(client: Client, season: Season) -> None:
    update_season(season=season, by=None, state=Season.State.CLOSED)
    season.refresh_from_db()
    for values in (
        {"name": "Other"},
        {"rule_set-0-k": "20"},
        {"prize_tiers-TOTAL_FORMS": 1, **tier(0, name="X")},
    ):
        page = client.post(change(season), form_of(season, **values)).content.decode()
        assert "is closed and takes no changes" in page
    assert acts() == []
    client.force_login(make_organizer(season.league, Role.MANAGER, "carol"))
    page = client.post(change(season), form_of(season, state="open")).content.decode()
    assert "Only an owner of the league can reopen a season." in page
    client.login(username="alice", password="secret")
    client.post(change(season), form_of(season, **{"state": "open", "rule_set-0-k": "20"}))
    season.refresh_from_db()
    assert season.is_open
    assert acts() == ["update_season", "change_rules"]


def test_rules_changed_while_closing_come_first(client: Client, season: Season) -> None:
    client.post(change(season), form_of(season, **{"state": "closed", "rule_set-0-k": "20"}))
    assert acts() == ["change_rules", "update_season"]


def test_a_season_is_deleted_by_the_service(client: Client, season: Season) -> None:
    one, two = make_players(season.league, "One", "Two")
    make_game(season, (one, 1), (two, 2))
    address = f"/admin/leagues/season/{season.pk}/delete/"
    page = client.get(address).content.decode()
    assert "Games: 1" in page
    client.post(address, {"post": "yes"})
    assert not Season.objects.exists()
    assert acts() == ["delete_season"]


@pytest.mark.parametrize("kind", ["replay", "season"])
def test_replay_now(client: Client, season: Season, kind: str) -> None:
    one, two = make_players(season.league, "One", "Two")
    make_game(season, (one, 300), (two, 100))
    replayed(season)
    RatingChange.objects.update(after=1)
    app = "ratings" if kind == "replay" else "leagues"
    pk = Replay.objects.get().pk if kind == "replay" else season.pk
    data = {"action": "replay_now", "_selected_action": [pk]}
    client.force_login(make_organizer(season.league, Role.SCORER, "carol"))
    client.post(f"/admin/{app}/{kind}/", data)
    assert set(RatingChange.objects.values_list("after", flat=True)) == {1}
    client.login(username="alice", password="secret")
    page = client.post(f"/admin/{app}/{kind}/", data, follow=True).content.decode()
    assert "The results of “Season 2026” were computed anew." in page
    assert sum(RatingChange.objects.values_list("after", flat=True)) == 30_000


@pytest.mark.parametrize("model", [Replay, RatingChange, Standing, Meeting])
def test_r84_results_are_read_only(client: Client, season: Season, model: Any) -> None:
    one, two = make_players(season.league, "One", "Two")
    make_game(season, (one, 300), (two, 100))
    replayed(season)
    address = f"/admin/ratings/{model._meta.model_name}/"
    assert client.get(f"{address}add/").status_code == 403
    row = f"{address}{model.objects.first().pk}"
    before = list(model.objects.values())
    assert client.get(f"{row}/change/").status_code == 200
    for view in ("change", "delete"):
        assert client.post(f"{row}/{view}/", {"post": "yes"}).status_code == 403
    assert "delete_selected" not in client.get(address).content.decode()
    assert list(model.objects.values()) == before


def test_a_scorer_sees_a_season_and_changes_nothing(client: Client, season: Season) -> None:
    client.force_login(make_organizer(season.league, Role.SCORER, "carol"))
    page = client.get(change(season)).content.decode()
    assert "Base margin" in page
    assert 'name="rule_set-0-k"' not in page
    assert client.post(change(season), form_of(season, name="Other")).status_code == 403
