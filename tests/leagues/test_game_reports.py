"""Games that players report: who may, who answers, when they count, and that all of it happens once."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leagues.models import AuditEntry, Game, GameReport, Season
from leagues.services import (
    GameRefusedError,
    PlayedSide,
    ReportDecidedError,
    SimilarGameError,
    SimilarReportError,
    confirm_report,
    decide_report,
    dispute_report,
    release_player,
    submit_report,
    update_season,
    withdraw_report,
)
from leagues.services.game_reports import settle_due_reports
from ratings.models import RatingChange
from ratings.services.check import check_season
from tests.factories import (
    make_account,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

PAGE = "/club/now/reports/"
STATE = GameReport.State


@pytest.fixture
def season() -> Season:
    """A season with games from organizers and players; unanswered for 48 hours, a report is accepted."""
    return make_season(make_league("club", owner=make_user("alice")), slug="now", games_from="both")


@pytest.fixture
def people(season: Season) -> SimpleNamespace:
    """Ann, Bob and Cyd with accounts, Dan without one."""
    ann, bob, cyd, dan = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    for player, name in ((ann, "annie"), (bob, "bobby"), (cyd, "cyddy")):
        make_account(player, name)
    return SimpleNamespace(ann=ann, bob=bob, cyd=cyd, dan=dan)


@pytest.fixture
def report(season: Season, people: SimpleNamespace) -> GameReport:
    """Ann reports that she beat Bob by 3 to 1."""
    return make_report(season, (people.ann, 3), (people.bob, 1), note="At the club")


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def state_of(report: GameReport) -> str:
    return GameReport.objects.get(pk=report.pk).state


# --- What counts, and when


def test_a_report_is_no_game_until_the_other_side_confirms_it(season, people, report):
    revision = Season.objects.get(pk=season.pk).revision
    assert not Game.objects.exists()
    assert check_season(replayed(season).pk) == []
    assert not season.entries.exists()
    confirm_report(report=report, by=people.bob.user)
    game = Game.objects.with_sides().get()
    told = [(side.members.get().player.name, side.points) for side in game.sides.all()]
    assert told == [("Ann", 3), ("Bob", 1)]
    assert (game.played_at, game.note, game.report) == (report.played_at, "At the club", report)
    assert Season.objects.get(pk=season.pk).revision == revision + 1
    assert RatingChange.objects.filter(game=replayed(season).games.get()).count() == 2
    entry = AuditEntry.objects.filter(action="record_game").get()
    assert (entry.by, entry.after["reported_by"]) == (people.bob.user, "Ann")


def test_id_01_only_another_side_answers_and_one_player_of_it_is_enough(season, people):
    played = [PlayedSide((people.ann, people.dan), 2), PlayedSide((people.bob, people.cyd), 1)]
    report = submit_report(season=season, played_at=season.starts_at, sides=played, by=people.ann.user)
    partner, stranger = make_account(people.dan), make_user("stranger")
    for user in (people.ann.user, partner, stranger):
        with pytest.raises(ValidationError, match="A player of another side answers"):
            confirm_report(report=report, by=user)
    release_player(player=people.bob, by=None)
    with pytest.raises(ValidationError, match="A player of another side answers"):
        dispute_report(report=report, reason="No", by=people.bob.user)
    confirm_report(report=report, by=people.cyd.user)
    assert state_of(report) == STATE.CONFIRMED


def test_what_is_disputed_an_organizer_decides(season, people, report):
    with pytest.raises(ValidationError, match="Say what is wrong"):
        dispute_report(report=report, reason=" ", by=people.bob.user)
    dispute_report(report=report, reason="It was 1 to 3", by=people.bob.user)
    with time_machine.travel(report.answer_by + timedelta(days=9), tick=False):
        assert settle_due_reports() == 0  # no time runs out for what was answered
    with pytest.raises(ReportDecidedError, match="disputed"):
        confirm_report(report=report, by=people.bob.user)
    decide_report(report=report, accept=True, by=None)
    assert Game.objects.count() == 1
    assert state_of(report) == STATE.ACCEPTED


def test_id_01_a_reporter_takes_a_report_back_and_nobody_else(season, people, report):
    with pytest.raises(ValidationError, match="Who reported a game"):
        withdraw_report(report=report, by=people.bob.user)
    withdraw_report(report=report, by=people.ann.user)
    for act in (
        lambda: confirm_report(report=report, by=people.bob.user),
        lambda: withdraw_report(report=report, by=people.ann.user),
        lambda: decide_report(report=report, accept=True, by=None),
    ):
        with pytest.raises(ReportDecidedError, match="withdrawn"):
            act()
    assert not Game.objects.exists()


# --- The deadline


@pytest.mark.parametrize(("unanswered", "games"), [("accepted", 1), ("dropped", 0)])
@pytest.mark.parametrize("late", [timedelta(0), timedelta(days=40)])
def test_an_unanswered_report_is_decided_as_the_season_said_late_or_not(
    season, people, unanswered, games, late
):
    update_season(season=season, by=None, unanswered=unanswered, report_hours=5)
    now = season.starts_at + timedelta(days=100)
    with time_machine.travel(now, tick=False):
        report = make_report(season, (people.ann, 3), (people.bob, 1))
    # What an organizer changes since is for reports to come.
    update_season(season=season, by=None, unanswered="accepted" if unanswered == "dropped" else "dropped")
    with time_machine.travel(now + timedelta(hours=5, microseconds=-1), tick=False):
        assert settle_due_reports() == 0
    with time_machine.travel(now + timedelta(hours=5) + late, tick=False):
        call_command("sweep")
        assert settle_due_reports() == 0
    report.refresh_from_db()
    assert (report.state, report.decided_at) == (unanswered, now + timedelta(hours=5))
    assert report.is_decided_by_time
    assert Game.objects.count() == games
    assert check_season(season.pk) == []


def test_an_answer_after_the_deadline_is_too_late_though_no_sweep_came_by(season, people, report):
    with time_machine.travel(report.answer_by, tick=False):
        for act in (
            lambda: dispute_report(report=report, reason="No", by=people.bob.user),
            lambda: withdraw_report(report=report, by=people.ann.user),
            lambda: decide_report(report=report, accept=False, by=None),
        ):
            with pytest.raises(ReportDecidedError, match="accepted"):
                act()
    assert Game.objects.count() == 1


def test_what_cannot_count_at_the_deadline_waits_for_an_organizer(season, people, report):
    update_season(season=season, by=None, largest_margin=1)
    other = make_report(season, (people.ann, 2), (people.cyd, 1))
    make_game(season, (people.cyd, 1), (people.ann, 2), played_at=other.played_at)
    with time_machine.travel(other.answer_by, tick=False):
        assert settle_due_reports() == 2
    report.refresh_from_db(), other.refresh_from_db()
    assert (report.state, other.state) == (STATE.DISPUTED, STATE.DISPUTED)
    assert report.reason == "The sides are 2 points apart; this season accepts at most 1."
    assert other.reason == "A game of the same players and points was entered for about the same time."
    assert Game.objects.count() == 1
    with pytest.raises(GameRefusedError):
        decide_report(report=report, accept=True, by=None)
    decide_report(report=report, accept=False, by=None)


# --- Who may


@pytest.mark.parametrize(
    ("games_from", "organizers", "players"),
    [("organizers", True, False), ("players", False, True), ("both", True, True)],
)
def test_a_season_says_who_enters_games(season, people, games_from, organizers, players):
    update_season(season=season, by=None, games_from=games_from)
    season.refresh_from_db()
    if organizers:
        make_game(season, (people.ann, 1), (people.bob, 2))
    else:
        with pytest.raises(GameRefusedError, match="are reported by their players"):
            make_game(season, (people.ann, 1), (people.bob, 2))
    if players:
        confirm_report(report=make_report(season, (people.ann, 5), (people.bob, 4)), by=people.bob.user)
    else:
        with pytest.raises(GameRefusedError, match="are entered by its organizers"):
            make_report(season, (people.ann, 5), (people.bob, 4))
    assert Game.objects.count() == organizers + players
    assert signed_in(people.ann.user).get("/club/now/games/new/").status_code == (200 if players else 403)


def test_who_reports_played_and_names_players_of_the_league(season, people):
    def problems(*names: Any, by: Any = people.ann.user) -> list[str]:
        sides = [PlayedSide((name,), 1) for name in names]
        with pytest.raises(GameRefusedError) as refused:
            submit_report(season=season, played_at=season.starts_at, sides=sides, by=by)
        return refused.value.messages

    (foreign,) = make_players(make_league("other"), "Far")
    new = people.dan.__class__(league=season.league, name="New")
    assert problems(people.bob, people.cyd) == [
        "You report games that you played: Ann is on none of the sides."
    ]
    assert problems(people.ann, new) == [
        "“New” is no player of this league; an organizer can add new players."
    ]
    assert problems(people.ann, foreign) == ["Side 2 has a player who is unknown in this league."]
    assert problems(people.ann, people.ann)
    assert problems(people.ann, people.bob, by=make_user("stranger")) == [
        "Only who is a player of this league reports a game."
    ]
    assert not GameReport.objects.exists()


def test_r77_a_game_reported_twice_is_one_report_and_its_other_side_is_asked(season, people):
    token = uuid4()
    played = {"sides": [PlayedSide((people.ann,), 3), PlayedSide((people.bob,), 1)]}
    at = season.starts_at + timedelta(days=3)
    first, again = (
        submit_report(season=season, played_at=at, by=people.ann.user, token=token, **played)
        for _time in range(2)
    )
    assert first == again
    with pytest.raises(ValidationError, match="says something else now"):
        submit_report(season=season, played_at=at, by=people.ann.user, token=token, **played, note="More")
    later = at + timedelta(hours=2)
    with pytest.raises(SimilarReportError, match="Ann reported a game"):
        submit_report(season=season, played_at=later, by=people.bob.user, even_if_similar=False, **played)
    confirm_report(report=first, by=people.bob.user)
    with pytest.raises(SimilarGameError):
        submit_report(season=season, played_at=later, by=people.bob.user, even_if_similar=False, **played)
    assert GameReport.objects.count() == 1


def test_r15_a_correction_rates_no_report(season, people, report):
    game = make_game(season, (people.ann, 1), (people.cyd, 2))
    replayed(season)
    decide_report(report=make_report(season, (people.ann, 9), (people.cyd, 8)), accept=True, by=None)
    replayed(season)
    assert set(RatingChange.objects.values_list("game", flat=True)) == {
        game.pk,
        Game.objects.latest("pk").pk,
    }
    assert state_of(report) == STATE.WAITING


def test_a_season_is_closed_once_every_report_is_decided(season, people, report):
    with pytest.raises(ValidationError, match="1 reported game is not decided yet"):
        update_season(season=season, by=None, state="closed")
    decide_report(report=report, accept=False, by=None)
    update_season(season=season, by=None, state="closed")


def test_a_deleted_game_takes_its_report_along(season, people, report):
    confirm_report(report=report, by=people.bob.user)
    Game.objects.get().delete()
    assert not GameReport.objects.exists()


# --- The pages


def form_of(*sides: tuple[Any, int], **values: Any) -> dict[str, Any]:
    data = {
        "side-TOTAL_FORMS": len(sides),
        "side-INITIAL_FORMS": 0,
        "played_at": "2026-03-01T18:00",
        **values,
    }
    for number, (player, points) in enumerate(sides):
        data |= {f"side-{number}-members": player.pk, f"side-{number}-points": points}
    return data


def test_a_player_reports_on_the_page_and_the_other_one_confirms(season, people):
    ann, bob = signed_in(people.ann.user), signed_in(people.bob.user)
    address = "/club/now/games/new/"
    page = ann.get(address).content.decode()
    assert "Report a game" in page
    assert page.count(f'<option value="{people.ann.pk}" selected>') == 1  # the reporter is there already
    assert "Cyd" in ann.get(f"{address}?line=bob 1, cyd 2").content.decode()
    assert "Add new players" not in page
    assert "as a new player" not in ann.get("/club/now/games/players/?q=Newcomer").content.decode()
    form = form_of((people.ann, 3), (people.bob, 1))
    assert ann.post(address, form)["Location"] == PAGE
    page = bob.post(address, form_of((people.bob, 1), (people.ann, 3))).content.decode()
    assert "Ann reported a game of the same players and points." in page
    assert GameReport.objects.count() == 1
    assert 'value="confirm"' not in ann.get(PAGE).content.decode()
    assert 'value="confirm"' in bob.get(PAGE).content.decode()
    assert "Reports that wait" in bob.get("/club/players/bob/").content.decode()
    assert "Reports that wait" not in bob.get("/club/players/ann/").content.decode()
    answer = f"{PAGE}{GameReport.objects.get().pk}/answer/"
    assert bob.get(answer).status_code == 405
    assert [bob.post(answer, data).status_code for data in ({}, {"answer": "accept all"})] == [400, 400]
    assert "The game is confirmed" in bob.post(answer, {"answer": "confirm"}, follow=True).content.decode()
    # The second tab, and the back button.
    late = bob.post(answer, {"answer": "dispute", "reason": "No"}, follow=True).content.decode()
    assert "This report is decided already: confirmed." in late
    assert Game.objects.count() == 1


def test_id_01_organizers_see_all_reports_and_players_the_own_ones(season, people, report):
    answer = f"{PAGE}{report.pk}/answer/"
    cyd, scorer = signed_in(people.cyd.user), signed_in(make_organizer(season.league))
    assert "At the club" not in cyd.get(PAGE).content.decode()
    assert cyd.post(answer, {"answer": "confirm"}).status_code == 404
    assert signed_in(people.bob.user).post(answer, {"answer": "accept"}).status_code == 403
    assert signed_in(make_user("stranger")).get(PAGE).status_code == 404
    assert Client().get(PAGE).status_code == 302
    assert "At the club" in scorer.get(PAGE).content.decode()
    scorer.post(answer, {"answer": "drop"})
    assert state_of(report) == STATE.DROPPED
    page = scorer.get(PAGE).content.decode()
    assert "by an organizer" in page
    assert 'name="answer"' not in page


def test_an_organizer_who_plays_too_enters_or_where_only_players_do_reports(season, people):
    alice = season.league.organizers.get().user
    people.dan.user = alice
    people.dan.save()
    client = signed_in(alice)
    form = form_of((people.dan, 3), (people.bob, 1))
    client.post("/club/now/games/new/", form)
    assert (Game.objects.count(), GameReport.objects.count()) == (1, 0)
    update_season(season=season, by=None, games_from="players")
    client.post("/club/now/games/new/", form | {"side-0-points": 8})
    assert (Game.objects.count(), GameReport.objects.count()) == (1, 1)
    assert GameReport.objects.get().answer_by > timezone.now()


def test_organizers_alone_are_told_on_each_page_how_many_reports_wait(season, people, report):
    replayed(season)
    make_report(season, (people.cyd, 3), (people.bob, 2))
    organizer, bob = signed_in(make_organizer(season.league)), signed_in(people.bob.user)
    sign = f'<a class="chip" href="{PAGE}">'
    for page in ("/club/", "/club/now/", "/club/now/games/", "/club/now/games/new/", "/club/now/rules/"):
        shown = organizer.get(page).content.decode()
        assert shown.count(sign) == 1, page
        assert "2 reports wait" in shown
        for other in (bob, Client()):
            assert sign not in other.get(page, follow=True).content.decode(), page
    assert sign not in organizer.get(PAGE).content.decode()
    assert sign not in organizer.get("/club/now/", headers={"HX-Request": "true"}).content.decode()
    # No report raises a number of the season, and still the page is another one.
    before = organizer.get("/club/now/")
    seen, seen_by_bob = before["ETag"], bob.get("/club/now/")["ETag"]
    assert organizer.get("/club/now/", headers={"If-None-Match": seen}).status_code == 304
    dispute_report(report=report, reason="It was 3 to 2", by=people.bob.user)
    withdraw_report(report=GameReport.objects.latest("pk"), by=people.cyd.user)
    after = organizer.get("/club/now/", headers={"If-None-Match": seen})
    assert "1 report waits" in after.content.decode()
    assert bob.get("/club/now/", headers={"If-None-Match": seen_by_bob}).status_code == 304
    decide_report(report=report, accept=False, by=None)
    assert sign not in organizer.get("/club/now/").content.decode()


def test_the_sign_takes_one_query_for_any_number_of_reports(
    season, people, report, django_assert_num_queries
):
    organizer = signed_in(make_organizer(season.league))
    with CaptureQueriesContext(connection) as one:
        assert "1 report waits" in organizer.get("/club/now/rules/").content.decode()
    make_report(season, (people.cyd, 3), (people.bob, 2))
    with django_assert_num_queries(len(one)):
        assert "2 reports wait" in organizer.get("/club/now/rules/").content.decode()
    Season.objects.update(games_from="organizers")
    with django_assert_num_queries(len(one) - 1):
        organizer.get("/club/now/rules/")
