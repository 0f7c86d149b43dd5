"""The pages on which organizers make a season and change it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client

from isolation.pages import FormReader
from leagues.models import AuditEntry, Entry, League, Role, Season
from leagues.services import update_season
from ratings.forms.seasons import suggested
from ratings.models import PrizeTier, RuleSet
from ratings.services.rules import change_prize_tiers, change_rules, create_season_like
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

NEW = "/apes/add-season/"


@pytest.fixture
def league(client: Client) -> League:
    """A league with Alice, its owner, signed in."""
    alice = make_user("alice")
    client.force_login(alice)
    return make_league("apes", owner=alice)


def filled(client: Client, address: str, **typed: Any) -> dict[str, Any]:
    """The form of a page as the page fills it, with what is typed; None takes a field out."""
    page = client.get(address).content.decode()
    (form,) = [form for form in FormReader(page).forms if not form.action]
    data = {name: value for name, kind, value in form.fields if kind not in ("submit", "checkbox", "radio")}
    return {name: value for name, value in (data | typed).items() if value is not None}


def acts() -> list[str]:
    return list(
        AuditEntry.objects.exclude(action="create_league").order_by("pk").values_list("action", flat=True)
    )


@time_machine.travel(date(2026, 3, 2), tick=False)
def test_a_new_league_has_its_season_in_one_tap_and_is_led_to_its_first_game(
    client: Client, league: League
) -> None:
    assert NEW in client.get("/apes/").content.decode()
    data = filled(client, NEW, preset="wsd-2.0-tables", games_from="organizers")
    made = client.post(NEW, data)
    season = Season.objects.get()
    assert (season.name, season.slug) == ("2026", "2026")
    assert (season.starts_on, season.ends_on) == (date(2026, 3, 2), date(2027, 3, 1))
    assert RuleSet.objects.get(season=season).keep == Decimal("0.5")
    assert acts() == ["create_season"]
    page = client.get(made["Location"]).content.decode()
    assert "What comes next" in page
    names = "/apes/add-players/"
    assert f'{names}?season=2026"' in page
    back = client.post(names, {"names": "Ann\nBob", "season": season.pk, "save": "1"})
    assert Entry.objects.filter(season=season).count() == 2
    assert back["Location"] == season.get_absolute_url(), "and not to the list of players"
    assert '/apes/2026/games/new/">Enter the first game' in client.get(back["Location"]).content.decode()


def test_a_season_like_the_last_one_has_its_rules_prizes_and_settings(client: Client, league: League) -> None:
    former = make_season(
        league, games_from="both", report_hours=12, largest_margin=900, rules_text="Fair play"
    )
    change_rules(season=former, by=None, values={"k": Decimal(24), "min_games": 5, "tie_breaks": ["games"]})
    cup = PrizeTier(name="Cup", first_place=1, last_place=2, amount=1000, unit="km", per_participant=True)
    change_prize_tiers(season=former, by=None, saved=[cup])
    update_season(season=former, by=None, state="closed")
    before = len(acts())
    client.post(NEW, filled(client, NEW, name="Next", games_from="players"))
    season = Season.objects.get(name="Next")
    assert (season.starts_on, season.ends_on) == (date(2027, 1, 1), date(2027, 12, 31))
    assert (season.state, season.games_from, season.report_hours) == ("open", "players", 12)
    assert (season.largest_margin, season.rules_text) == (900, "Fair play")
    rules = RuleSet.objects.get(season=season)
    assert (rules.preset, rules.k, rules.min_games, rules.tie_breaks) == ("wsd-2.0", 24, 5, ["games"])
    (tier,) = PrizeTier.objects.filter(season=season)
    assert (tier.name, tier.last_place, tier.amount, tier.unit, tier.per_participant) == (
        "Cup",
        2,
        1000,
        "km",
        True,
    )
    assert PrizeTier.objects.filter(season=former).count() == 1
    assert acts()[before:] == ["create_season"]


def test_a_former_season_can_be_passed_over_for_a_preset(client: Client, league: League) -> None:
    make_season(league)
    data = filled(client, f"{NEW}?like=", name="Ladder", preset="ranked-battle", games_from="organizers")
    assert client.post(NEW, data).status_code == 302
    assert Season.objects.get(name="Ladder").rule_set.system == "ladder"
    assert client.get(f"{NEW}?like=none-such").status_code == 404
    other = make_season(make_league("bees"), name="Theirs")
    assert client.get(f"{NEW}?like={other.slug}").status_code == 404


def test_what_is_wrong_is_said_and_nothing_is_made(client: Client, league: League) -> None:
    data = filled(client, NEW, preset="wsd-2.0", games_from="organizers")
    for typed, sentence in (
        ({"ends_on": "2020-01-01"}, "The last day is before the first."),
        ({"starts_on": "soon"}, "Write the day like 2026-09-30."),
        ({"slug": "players"}, "is a word of the site itself"),
        ({"state": "closed"}, "Select a valid choice"),
        ({"preset": "chess"}, "Select a valid choice"),
    ):
        answer = client.post(NEW, data | typed)
        assert answer.status_code == 200
        assert sentence in answer.content.decode(), typed
    assert not Season.objects.exists()


def test_scorers_make_no_season(client: Client, league: League) -> None:
    client.force_login(make_organizer(league, Role.SCORER))
    assert client.get(NEW).status_code == 403
    assert NEW not in client.get("/apes/").content.decode()
    client.force_login(make_user("stranger"))
    assert client.get(NEW).status_code == 404


@pytest.mark.parametrize(
    ("name", "days", "later"),
    [
        ("Season 2026", ("2026-01-01", "2026-12-31"), ("Season 2027", "2027-01-01", "2027-12-31")),
        ("2025/26", ("2025-09-01", "2026-05-31"), ("2026/27", "2026-06-01", "2027-02-28")),
        ("Spring", ("2026-03-01", "2026-05-31"), ("", "2026-06-01", "2026-08-31")),
        ("Old 2019", ("2019-01-01", "2019-12-31"), ("Old 2026", "2026-03-02", "2027-03-01")),
        ("Leap", ("2024-02-29", "2025-02-28"), ("", "2026-03-02", "2027-03-01")),
        ("For ever", ("0002-01-01", "9998-12-31"), ("", "9998-12-31", "9998-12-31")),
    ],
)
def test_the_next_season_is_as_long_as_the_one_before(name: str, days: Any, later: Any) -> None:
    first, last = map(date.fromisoformat, days)
    like = Season(name=name, starts_on=first, ends_on=last)
    told = suggested(like, date(2026, 3, 2))
    assert (told["name"], str(told["starts_on"]), str(told["ends_on"])) == later


def test_a_season_of_another_league_is_not_copied_by_its_address(client: Client, league: League) -> None:
    theirs = make_season(make_league("bees"), name="Theirs", slug="theirs")
    assert client.post(NEW, {"like": theirs.slug, "name": "Mine"}).status_code == 404
    copy = create_season_like(
        season=theirs, by=None, name="Again", starts_on=date(2027, 1, 1), ends_on=date(2027, 2, 1)
    )
    assert copy.league == theirs.league


# --- Changing, closing and reopening one


SEASON = "/apes/now/"


@pytest.fixture
def season(league: League) -> Season:
    return make_season(league, name="Now", slug="now")


def changed(client: Client, address: str, **typed: Any) -> Any:
    """The answer to a form of a season, sent as its page fills it but for what is typed."""
    page = client.get(address).content.decode()
    (form,) = [each for each in FormReader(page).forms if any(name == "seen" for name, _k, _v in each.fields)]
    data = {name: value for name, kind, value in form.fields if kind not in ("submit", "checkbox", "radio")}
    ticked = {"negative_points": "on"} if "settings" in address else {}
    return client.post(address, data | {"games_from": "organizers"} | ticked | typed)


def test_settings_of_a_season_are_changed_by_its_service(client: Client, season: Season) -> None:
    address = f"{SEASON}settings/"
    assert address in client.get(SEASON).content.decode()
    before = len(acts())
    assert changed(client, address)["Location"] == SEASON
    assert acts()[before:] == [], "nothing was changed"
    assert changed(client, address, name="This", games_from="both", report_hours="5")["Location"] == SEASON
    season.refresh_from_db()
    assert (season.name, season.games_from, season.report_hours) == ("This", "both", 5)
    assert acts()[before:] == ["update_season"]
    (ann, bob) = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 3), (bob, 1), played_at=season.starts_at)
    refused = changed(client, address, starts_on="2026-02-01").content.decode()
    assert "1 game was played outside these days" in refused
    assert "Select a valid choice" in changed(client, address, state="closed").content.decode()
    change_rules(season=season, by=None, values={"margin_unit": Decimal(40)})
    limit = changed(client, address, largest_margin="9000").content.decode()
    assert "the season accepts 9000" in limit, "the rules could not rate that"
    assert '<details class="folded" open>' in changed(client, address, team_max="99").content.decode()


def test_rules_say_what_they_do_before_they_are_changed(client: Client, season: Season) -> None:
    address = f"{SEASON}rules/edit/"
    assert address in client.get(f"{SEASON}rules/").content.decode()
    assert "rated anew" not in client.get(address).content.decode()
    (ann, bob) = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 3), (bob, 1), played_at=season.starts_at)
    page = client.get(address).content.decode()
    assert "Saving rates the 1 game of this season anew" in page
    assert "pool_size" not in page, "that is of ladders"
    first = filled_with_seen(client, address)
    assert first["tie_breaks"] == "rating, duels won"
    changes = {"k": "24", "tie_breaks": "Games counted, rating"}
    assert client.post(address, first | changes)["Location"] == SEASON
    rules = RuleSet.objects.get(season=season)
    assert (rules.k, rules.tie_breaks, rules.pool_size) == (24, ["games", "rating"], 30)
    assert (
        "Somebody else changed this meanwhile" in client.post(address, first | {"k": "12"}).content.decode()
    )
    assert "chess" in changed(client, address, tie_breaks="chess").content.decode()
    assert RuleSet.objects.get(season=season).k == 24
    assert acts().count("change_rules") == 1


def filled_with_seen(client: Client, address: str) -> dict[str, str]:
    page = client.get(address).content.decode()
    (form,) = [each for each in FormReader(page).forms if any(name == "seen" for name, _k, _v in each.fields)]
    return {name: value for name, kind, value in form.fields if kind != "submit"}


def test_a_season_is_closed_and_only_an_owner_reopens_it(client: Client, season: Season) -> None:
    address = f"{SEASON}close/"
    assert "0 games are rated." in client.get(address).content.decode()
    assert client.post(address, {"close": "1"})["Location"] == SEASON
    season.refresh_from_db()
    assert season.is_closed
    for page in ("settings/", "rules/edit/"):
        assert "takes no changes" in client.get(f"{SEASON}{page}").content.decode()
    client.force_login(make_organizer(season.league, Role.MANAGER))
    assert "Only an owner of the league can reopen a season." in client.get(address).content.decode()
    assert "Only an owner" in client.post(address, {"reopen": "1"}).content.decode()
    client.force_login(make_organizer(season.league, Role.SCORER))
    for page in ("settings/", "rules/edit/", "close/"):
        assert client.get(f"{SEASON}{page}").status_code == 403
    client.force_login(season.league.organizers.get(role=Role.OWNER).user)
    assert client.post(address, {"reopen": "1"})["Location"] == SEASON
    season.refresh_from_db()
    assert season.is_open


def test_what_no_button_says_reopens_no_season_and_opens_no_draft(client: Client, season: Season) -> None:
    address = f"{SEASON}close/"
    for state, sent in (("closed", {}), ("draft", {}), ("draft", {"reopen": "1"})):
        update_season(season=season, by=None, state="open")
        update_season(season=season, by=None, state=state)
        assert "Choose what to do." in client.post(address, sent).content.decode()
        season.refresh_from_db()
        assert season.state == state


def test_a_season_made_by_mistake_is_deleted_and_one_with_games_stays(client: Client, season: Season) -> None:
    address = f"{SEASON}settings/"
    make_game(season, *((player, 5) for player in make_players(season.league, "Ann", "Bob")))
    assert "The season has 1 game, entered or reported, and stays" in text_of(client, address)
    season.games.all().delete()
    update_season(season=season, by=None, state="closed")
    assert "takes no changes" in text_of(client, address)
    update_season(season=season, by=None, state="open")
    answer = client.post(address, {"delete": "1"}, follow=True)
    assert "is deleted." in answer.content.decode()
    assert not Season.objects.exists()
    assert acts()[-1] == "delete_season"


def text_of(client: Client, address: str) -> str:
    """The page that answers a wish to delete the season, which stays."""
    text: str = client.post(address, {"delete": "1"}).content.decode()
    assert Season.objects.count() == 1
    return text


@pytest.mark.parametrize("name", ["\u200b", " \u202e\u2066 ", "\u3164"])
def test_nothing_is_called_what_nobody_sees(client: Client, season: Season, settings: Any, name: str) -> None:
    settings.USERS_CREATE_LEAGUES = True
    days = {"starts_on": "2027-01-01", "ends_on": "2027-12-31", "like": season.slug, "games_from": "both"}
    for address, typed in (
        (NEW, days | {"report_hours": "48", "unanswered": "accepted", "state": "open"}),
        (f"{SEASON}prizes/new/", {"first_place": "1", "tie_rule": "share"}),
        ("/leagues/new/", {"language": "en", "timezone": "UTC", "visibility": "public"}),
    ):
        answer = client.post(address, typed | {"name": name}).content.decode()
        assert "A name is needed: it has no visible character." in answer
        named = client.post(address, typed | {"name": f"\u202e Cup{name}\u00a0 of\u200b "})
        assert named.status_code == 302, "control: with the rest of it there is a name"
    found = [model.objects.latest("pk").name for model in (Season, PrizeTier, League)]
    assert found == ["Cup of"] * 3
