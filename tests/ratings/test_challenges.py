"""Challenges between people: who may challenge whom, and what becomes of it until its deadline and after."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from leagues.models import AuditEntry, Challenge, Entry, Game, GameReport, Player, Season
from leagues.services import (
    challenges,
    confirm_report,
    decide_report,
    dispute_report,
    update_league,
    update_season,
    withdraw_player,
    withdraw_report,
)
from leagues.services.challenges import (
    ChallengeDecidedError,
    accept_challenge,
    carry_out_deadlines,
    decline_challenge,
    forfeit_challenge,
    play_challenge,
    remind,
    withdraw_challenge,
)
from leagues.services.game_reports import report_challenge, settle_due_reports
from leagues.services.resting import end_rest, rest_player
from ratings.models import RatingChange, Standing
from ratings.services.challenges import Chances, issue_challenge, pool_of
from ratings.services.facts import rules_of
from ratings.services.pool import Absence
from ratings.services.rules import change_rules
from tests.factories import make_account, make_challenge, make_game, replayed
from tests.ladders import make_ladder, moment, named

pytestmark = pytest.mark.django_db

State = Challenge.State
RATINGS = {"Ann": 1500, "Bob": 1550, "Cyd": 1600, "Dan": 1600.1, "Eve": 1400}


@pytest.fixture(autouse=True)
def noon(time_machine: Any) -> Any:
    """It is noon of 4 May, and the time is the test's to move."""
    time_machine.move_to(moment("05-04 12:00"), tick=False)
    return time_machine


def ladder(**limits: Any) -> Season:
    season = make_ladder(RATINGS)
    return update_season(season=season, by=None, **limits) if limits else season


def issued(season: Season, challenger: str = "Ann", opponent: str = "Bob") -> Challenge:
    players = {"challenger": named(season, challenger), "opponent": named(season, opponent)}
    return issue_challenge(season=season, by=None, **players)


def refusal(act: Callable[..., Any], *args: Any, **values: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        act(*args, **values)
    return str(refused.value.messages[0])


def accepted(season: Season, challenger: str = "Ann", opponent: str = "Bob") -> Challenge:
    return accept_challenge(challenge=issued(season, challenger, opponent), by=None)


def stored(challenge: Challenge) -> Challenge:
    return Challenge.objects.get(pk=challenge.pk)


class TestIssuing:
    def test_r123_both_know_what_is_at_stake(self):
        season = make_ladder({"Low": 1450, "High": 1550})
        rows = {row.player.name: row for row in Standing.objects.filter(season=season)}
        chances = Chances(season, rules_of(season), rows["Low"])
        (prospect,) = chances.prospects().values()
        # E = 1 / (1 + 10^(100/400)) = 0.3599; K = 40 for new players: 40 × 0.6401 and 40 × 0.3599.
        assert (prospect.stakes.won, prospect.stakes.lost, prospect.stakes.drawn) == (256, -144, 56)
        assert prospect.obstacle == ""

    @pytest.mark.parametrize(("at", "k"), [("12-31 21:59", 40), ("12-31 22:00", 20)])
    def test_who_is_a_junior_goes_by_the_year_of_the_league(self, noon, at, k):
        """In Sofia the new year begins at 22:00 UTC; born in 2008, one is no junior any more in 2027."""
        season = ladder()
        change_rules(season=season, by=None, values={"k_rule": "fide-junior"})
        update_league(league=season.league, timezone="Europe/Sofia", by=None)
        replayed(season)
        Standing.objects.filter(season=season).update(played=30)
        Player.objects.filter(pk=named(season, "Ann").pk).update(birth_year=2008)
        season = Season.objects.select_related("league").get(pk=season.pk)
        noon.move_to(moment(at), tick=False)
        own = Standing.objects.select_related("player").get(season=season, player__name="Ann")
        assert Chances(season, rules_of(season), own).k == k

    def test_it_keeps_the_ratings_and_has_an_absolute_deadline(self):
        challenge = stored(issued(ladder(answer_hours=30)))
        assert (challenge.challenger_rating, challenge.opponent_rating) == (15_000, 15_500)
        assert challenge.respond_by == moment("05-05 18:00")
        assert (challenge.state, challenge.by_draw, challenge.play_by) == (State.ISSUED, False, None)

    def test_both_ends_of_the_range_belong_and_later_ratings_change_nothing(self):
        season = ladder()
        challenge = issued(season, opponent="Cyd")
        assert refusal(issued, season, opponent="Dan") == "The ratings are more than 100.0 apart."
        Standing.objects.filter(player__name="Cyd").update(rating=20_000)
        assert accept_challenge(challenge=challenge, by=None).state == State.ACCEPTED

    def test_r119_the_reasons_against_it(self):
        season = ladder(open_challenges_max=1)
        assert (
            refusal(issued, season, opponent="Ann")
            == "Nobody can challenge themselves; choose somebody else."
        )
        issued(season)
        one = "%s has 1 open challenge, as many as this season allows."
        assert refusal(issued, season, opponent="Cyd") == one % "Ann"
        assert refusal(issued, season, "Cyd", "Bob") == one % "Bob"
        assert refusal(issued, season, "Bob", "Ann") == "There is an open challenge between the two."
        withdraw_player(entry=Entry.objects.get(player__name="Eve"), by=None)
        assert refusal(issued, season, "Bob", "Eve") == "Eve is withdrawn."

    def test_only_an_open_season_in_its_days_takes_challenges(self, noon):
        season = ladder()
        noon.move_to(moment("12-31 23:59"), tick=False)
        assert issued(season).respond_by == season.ends_at
        noon.move_to(season.ends_at, tick=False)
        days = "This season takes challenges from 1 Jan 2026 to 31 Dec 2026."
        assert refusal(issued, season, "Bob", "Cyd") == days
        closed = update_season(season=season, by=None, state=Season.State.CLOSED)
        assert "is closed and takes no changes" in refusal(issued, closed)

    @pytest.mark.parametrize(
        ("limits", "reason", "again"),
        [
            ({"rematch_days": 3}, "The two played only recently; again from 6 May 2026.", "05-06 12:00"),
            (
                {"rematch_games": 1},
                "The two played only recently; again after 1 more game against others.",
                None,
            ),
        ],
    )
    def test_a_rematch_waits(self, noon, limits, reason, again):
        season = ladder(**limits)
        make_game(
            season, (named(season, "Bob"), 2), (named(season, "Ann"), 0), played_at=moment("05-03 12:00")
        )
        assert refusal(issued, season) == reason
        if again:
            noon.move_to(moment(again), tick=False)
        else:
            make_game(
                season, (named(season, "Ann"), 1), (named(season, "Eve"), 0), played_at=moment("05-04 11:00")
            )
        assert issued(season).state == State.ISSUED

    def test_r125_who_has_played_nothing_for_long_is_in_no_pool(self, noon):
        season = ladder(inactive_days=14)
        make_game(
            season, (named(season, "Cyd"), 1), (named(season, "Dan"), 0), played_at=moment("05-10 12:00")
        )
        replayed(season)
        noon.move_to(moment("05-18 12:01"), tick=False)  # the others were entered 14 days ago
        assert refusal(issued, season) == "Bob has not played for 14 days."
        assert issued(season, "Bob", "Cyd").state == State.ISSUED

    def test_who_rests_cannot_be_challenged_until_it_is_over(self, noon):
        season = ladder(rest_days_max=10)
        entry = Entry.objects.get(season=season, player__name="Bob")
        assert "1 to 10 days" in refusal(rest_player, entry=entry, days=11, by=None)
        rest_player(entry=entry, days=2, by=None)
        assert refusal(issued, season) == "Bob rests until 6 May 2026, 12:00."
        assert refusal(issued, season, "Bob", "Ann") == "Bob rests until 6 May 2026, 12:00."
        assert Standing.objects.get(player__name="Bob").player_id not in _pool(season, "Ann")
        end_rest(entry=entry, by=None)
        challenge = issued(season)
        withdraw_challenge(challenge=challenge, by=None)
        rest_player(entry=entry, days=2, by=None)
        noon.move_to(moment("05-06 12:00"), tick=False)
        assert issued(season).state == State.ISSUED

    @pytest.mark.parametrize("reason", Absence)
    def test_who_is_in_no_pool_is_refused_for_that_reason_and_nobody_else_is(self, noon, reason):
        """For each reason of the pool to pass over somebody, up to the moment it begins or ends."""
        season = ladder(inactive_days=14, rest_days_max=10)
        entry = Entry.objects.get(season=season, player__name="Bob")
        if reason == Absence.WITHDRAWN:
            withdraw_player(entry=entry, by=None)
        elif reason == Absence.RESTING:
            rest_player(entry=entry, days=2, by=None)
        told = {
            Absence.WITHDRAWN: ("Bob is withdrawn.", {"05-04 12:00", "05-06 12:00", "05-18 12:00"}),
            Absence.RESTING: ("Bob rests until 6 May 2026, 12:00.", {"05-04 12:00"}),
            Absence.INACTIVE: ("Bob has not played for 14 days.", set()),
        }
        said, at = told[reason]
        for time in ("05-04 12:00", "05-06 12:00", "05-18 12:00"):
            noon.move_to(moment(time), tick=False)
            is_in_pool = named(season, "Bob").pk in _pool(season, "Ann")
            assert is_in_pool == (time not in at)
            if is_in_pool:
                withdraw_challenge(challenge=issued(season), by=None)
            else:
                assert refusal(issued, season) == said
        noon.move_to(moment("05-18 12:00") + timedelta(seconds=1), tick=False)
        last = said if reason == Absence.WITHDRAWN else told[Absence.INACTIVE][0]
        assert refusal(issued, season) == last
        assert not _pool(season, "Ann")


def _pool(season: Season, name: str) -> dict[int, Standing]:
    return pool_of(season, rules_of(season), Standing.objects.get(season=season, player__name=name))


class TestDrawing:
    def test_the_same_seed_draws_the_same_and_every_member_can_be_drawn(self):
        season = make_ladder({f"P{number}": 1500 + number for number in range(6)}, open_challenges_max=100)
        me = named(season, "P0")

        def drawn(seed: int) -> str:
            challenge = issue_challenge(season=season, challenger=me, rng=Random(seed), by=None)
            withdraw_challenge(challenge=challenge, by=None)
            assert challenge.by_draw
            return challenge.opponent.name

        names = [drawn(seed) for seed in range(40)]
        assert names[:5] == [drawn(seed) for seed in range(5)]
        assert set(names) == {"P1", "P2", "P3", "P4", "P5"}

    def test_it_passes_over_who_cannot_be_challenged(self):
        season = ladder()
        issued(season, "Eve", "Ann")
        issued(season, "Ann", "Bob")
        challenge = issue_challenge(season=season, challenger=named(season, "Ann"), by=None, rng=Random(1))
        assert challenge.opponent.name == "Cyd"  # Dan is too far, and the others have a challenge with Ann
        again = {"season": season, "challenger": named(season, "Ann"), "by": None}
        assert refusal(issue_challenge, **again) == "Nobody of the pool can be challenged at the moment."

    def test_the_pool_stays_the_same_until_something_changes(self):
        season = make_ladder({f"P{number:02}": 1500 for number in range(40)})
        first = list(_pool(season, "P00"))
        assert len(first) == 30
        assert list(_pool(season, "P00")) == first


class TestAnswering:
    def test_accepted_and_played_it_is_a_game_of_the_season(self, noon):
        season = ladder(play_hours=48)
        challenge = accepted(season)
        assert challenge.play_by == moment("05-06 12:00")
        noon.move_to(moment("05-05 20:00"), tick=False)
        game = play_challenge(challenge=challenge, played_at=moment("05-05 19:00"), points=(3, 1), by=None)
        sides = [(side.members.get().player.name, side.points) for side in game.sides.all()]
        assert sides == [("Ann", 3), ("Bob", 1)]
        now = stored(challenge)
        assert (now.state, now.game, now.decided_at) == (State.PLAYED, game, moment("05-05 20:00"))
        replayed(season)
        assert RatingChange.objects.filter(game=game).count() == 2

    def test_it_is_played_where_no_organizer_enters_games_too(self, noon):
        challenge = accepted(ladder(games_from=Season.GamesFrom.PLAYERS))
        assert play_challenge(challenge=challenge, played_at=moment("05-04 12:30"), points=(3, 1), by=None)
        assert stored(challenge).state == State.PLAYED

    def test_a_game_is_of_the_time_of_its_challenge(self, noon):
        challenge = accepted(ladder(play_hours=48))
        for wrong in ("05-04 11:59", "05-06 12:01"):
            act = {"challenge": challenge, "played_at": moment(wrong), "points": (1, 0), "by": None}
            told = "A game of this challenge is played from 4 May 2026, 12:00 to 6 May 2026, 12:00."
            assert refusal(play_challenge, **act) == told
        assert not Game.objects.exists()

    def test_declining_has_a_limit_and_silence_counts(self, noon):
        season = ladder(declines_max=2, answer_hours=24)
        decline_challenge(challenge=issued(season), reason=" Ill  today ", by=None)
        assert Challenge.objects.get().reason == "Ill today"
        unanswered = issued(season)
        noon.move_to(moment("05-05 13:00"), tick=False)
        third = issued(season)  # nobody has swept yet, and it counts all the same
        told = "Bob has declined as many challenges as this season allows: 2 in 30 days."
        assert refusal(decline_challenge, challenge=third, by=None) == told
        carry_out_deadlines()
        assert refusal(decline_challenge, challenge=third, by=None) == told
        assert stored(unanswered).state == State.EXPIRED
        noon.move_to(moment("05-07 12:00"), tick=False)
        carry_out_deadlines()
        lost = stored(third)
        assert (lost.state, lost.decided_at) == (State.FORFEITED, moment("05-06 13:00"))
        assert (lost.game.kind, lost.game.rated) == (Game.Kind.FORFEIT, False)
        assert [side.points for side in lost.game.sides.all()] == [1, 0]
        noon.move_to(moment("06-06 12:00"), tick=False)
        assert decline_challenge(challenge=issued(season), by=None).state == State.DECLINED

    @pytest.mark.parametrize("is_rated", [True, False])
    def test_r125_who_does_not_come_loses_by_forfeit_rated_if_the_season_says_so(self, is_rated):
        season = ladder(forfeits_rated=is_rated)
        challenge = accepted(season)
        stranger = {"challenge": challenge, "absent": named(season, "Eve"), "by": None}
        assert refusal(forfeit_challenge, **stranger) == "This player has no part in the challenge."
        forfeit_challenge(challenge=challenge, absent=named(season, "Ann"), reason="Overslept", by=None)
        now = stored(challenge)
        assert (now.state, now.reason) == (State.FORFEITED, "Overslept")
        assert (now.game.kind, now.game.rated, now.game.note) == (Game.Kind.FORFEIT, is_rated, "Overslept")
        assert [side.points for side in now.game.sides.all()] == [0, 1]
        replayed(season)
        assert RatingChange.objects.count() == (2 if is_rated else 0)

    def test_a_forfeit_that_is_not_rated_is_no_game_between_the_two(self, noon):
        season = ladder(rematch_days=3, inactive_days=14)
        forfeit_challenge(challenge=accepted(season), absent=named(season, "Bob"), by=None)
        assert issued(season).state == State.ISSUED
        noon.move_to(moment("05-18 12:01"), tick=False)
        assert refusal(issued, season, "Eve", "Ann") == "Ann has not played for 14 days."

    ACTS: dict[str, Callable[[Challenge], Any]] = {
        "accept": lambda each: accept_challenge(challenge=each, by=None),
        "decline": lambda each: decline_challenge(challenge=each, by=None),
        "withdraw": lambda each: withdraw_challenge(challenge=each, by=None),
    }

    @pytest.mark.parametrize("second", ACTS)
    @pytest.mark.parametrize(
        ("first", "said"), [("accept", "accepted"), ("decline", "declined"), ("withdraw", "withdrawn")]
    )
    def test_what_is_decided_is_decided(self, first, said, second):
        seen = issued(ladder())
        self.ACTS[first](stored(seen))
        before = Challenge.objects.values().get()
        with pytest.raises(ChallengeDecidedError, match=f"Ann – Bob: the challenge was {said} meanwhile."):
            self.ACTS[second](seen)
        assert Challenge.objects.values().get() == before

    def test_control_without_reading_it_afresh_both_acts_count(self, monkeypatch):
        seen = issued(ladder())
        late = Challenge.objects.select_related("season").get(pk=seen.pk)
        accept_challenge(challenge=seen, by=None)
        monkeypatch.setattr(challenges, "_locked", lambda challenge: challenge)
        assert withdraw_challenge(challenge=late, by=None).state == State.WITHDRAWN


class TestReporting:
    """What a player says of the game goes the way of all reports; it is played when the report counts."""

    def reported(self, season: Season, who: str = "Ann", at: str = "05-04 12:00") -> GameReport:
        challenge, user = accepted(season), make_account(named(season, who))
        said = {"played_at": moment(at), "points": (3, 1), "by": user}
        return report_challenge(challenge=challenge, **said)

    def test_it_counts_once_the_other_one_confirms_it_whoever_enters_games(self):
        season = ladder(report_hours=12)
        report = self.reported(season)
        waiting = Challenge.objects.get()
        assert (waiting.state, waiting.game) == (State.REPORTED, None)
        assert report.answer_by == moment("05-05 00:00")
        assert not Game.objects.exists()
        with pytest.raises(ValidationError, match="A player of another side answers"):
            confirm_report(report=report, by=report.reporter.user)
        counted = confirm_report(report=report, by=make_account(named(season, "Bob")))
        played = Challenge.objects.get()
        assert (played.state, played.game, played.decided_at) == (
            State.PLAYED,
            counted.game,
            moment("05-04 12:00"),
        )
        assert [side.points for side in counted.game.sides.all()] == [3, 1]
        acts = AuditEntry.objects.filter(action__regex="report|_challenge|game").order_by("pk")
        told = ["issue_challenge", "accept_challenge", "report_challenge", "submit_report"]
        assert [act.action for act in acts] == [*told, "record_game", "play_challenge"]

    @pytest.mark.parametrize(("accept", "state"), [(True, State.PLAYED), (False, State.ACCEPTED)])
    def test_what_is_disputed_an_organizer_decides(self, accept, state):
        season = ladder()
        report = self.reported(season)
        dispute_report(report=report, reason="It was 1 to 3", by=make_account(named(season, "Bob")))
        assert Challenge.objects.get().state == State.REPORTED
        decide_report(report=report, accept=accept, by=None)
        assert (Challenge.objects.get().state, Game.objects.count()) == (state, accept)

    @pytest.mark.parametrize(
        ("unanswered", "state"), [("accepted", State.PLAYED), ("dropped", State.EXPIRED)]
    )
    def test_r124_unanswered_it_is_as_the_season_says_and_a_late_sweep_comes_to_the_same(
        self, noon, unanswered, state
    ):
        season = ladder(play_hours=24, report_hours=48, unanswered=unanswered)
        report = self.reported(season)
        noon.move_to(moment("05-05 13:00"), tick=False)  # too late to play, and the report still waits
        assert carry_out_deadlines() == 0
        assert Challenge.objects.get().state_at(moment("05-05 13:00")) == State.REPORTED
        noon.move_to(moment("05-09 12:00"), tick=False)
        settle_due_reports(), carry_out_deadlines()
        now = Challenge.objects.get()
        at = report.answer_by if unanswered == "accepted" else moment("05-05 12:00")
        assert (now.state, now.decided_at) == (state, at)

    def test_taken_back_it_is_to_be_played_until_the_deadline_it_had(self):
        report = self.reported(ladder(play_hours=48))
        withdraw_report(report=report, by=report.reporter.user)
        now = Challenge.objects.get()
        assert (now.state, now.play_by) == (State.ACCEPTED, moment("05-06 12:00"))

    def test_while_it_waits_nothing_else_becomes_of_the_challenge(self):
        season = ladder()
        report = self.reported(season, "Bob")
        challenge = Challenge.objects.get()
        told = "Ann – Bob: the result was reported meanwhile."
        entered = {"played_at": moment("05-04 12:00"), "points": (3, 1)}
        assert refusal(play_challenge, challenge=challenge, by=None, **entered) == told
        again = {"challenge": challenge, "by": report.reporter.user, **entered}
        assert refusal(report_challenge, **again) == told
        assert refusal(forfeit_challenge, challenge=challenge, absent=challenge.opponent, by=None) == told
        assert refusal(issued, season, "Bob", "Ann") == "There is an open challenge between the two."
        assert GameReport.objects.count() == 1

    def test_who_reports_is_one_of_the_two_and_the_game_is_of_its_time(self):
        season = ladder(play_hours=48)
        challenge = accepted(season)
        said = {"challenge": challenge, "points": (3, 1)}
        eve = make_account(named(season, "Eve"))
        told = refusal(report_challenge, played_at=moment("05-04 12:00"), by=eve, **said)
        assert told == "You report games that you played: Eve is on none of the sides."
        ann = make_account(named(season, "Ann"))
        told = refusal(report_challenge, played_at=moment("05-04 11:59"), by=ann, **said)
        assert told == "A game of this challenge is played from 4 May 2026, 12:00 to 6 May 2026, 12:00."
        assert (stored(challenge).state, GameReport.objects.count()) == (State.ACCEPTED, 0)


class TestDeadlines:
    """Stored as times, and carried out late or not with the same result (R124)."""

    def outcome(self, noon: Any, season: Season, *sweeps: str) -> list[dict[str, Any]]:
        """What becomes of one that nobody answers and one that nobody plays, swept at these times."""
        issued(season)
        accepted(season, "Cyd", "Dan")
        for each in sweeps:
            noon.move_to(moment(each), tick=False)
            carry_out_deadlines()
        return list(
            Challenge.objects.order_by("pk").values("state", "respond_by", "play_by", "decided_at", "game")
        )

    @pytest.mark.parametrize(
        "sweeps", [("05-06 12:00", "05-11 12:00"), ("05-06 18:00", "05-11 18:00"), ("07-01 00:00",)]
    )
    def test_r124_a_late_sweep_comes_to_the_same(self, noon, sweeps):
        season = ladder(answer_hours=48, play_hours=168)
        unanswered, unplayed = self.outcome(noon, season, *sweeps)
        assert (unanswered["state"], unanswered["decided_at"]) == (State.EXPIRED, moment("05-06 12:00"))
        assert (unplayed["state"], unplayed["decided_at"]) == (State.EXPIRED, moment("05-11 12:00"))
        assert not Game.objects.exists()

    def test_not_a_second_before(self, noon):
        season = ladder(answer_hours=48)
        challenge = issued(season)
        noon.move_to(challenge.respond_by - timedelta(seconds=1), tick=False)
        assert carry_out_deadlines() == 0
        noon.move_to(challenge.respond_by, tick=False)
        assert [carry_out_deadlines(), carry_out_deadlines()] == [1, 0]

    def test_what_has_run_out_waits_for_no_sweep(self, noon):
        season = ladder(answer_hours=48, open_challenges_max=1)
        challenge = issued(season)
        noon.move_to(moment("05-06 12:00"), tick=False)
        for act in TestAnswering.ACTS.values():
            with pytest.raises(ChallengeDecidedError, match="ran out on 6 May 2026, 12:00"):
                act(challenge)
        assert issued(season).state == State.ISSUED  # it takes nobody's place any more

    def test_a_game_played_in_time_may_be_entered_late(self, noon):
        challenge = accepted(ladder(play_hours=24))
        noon.move_to(moment("05-07 12:00"), tick=False)
        carry_out_deadlines()
        play_challenge(challenge=challenge, played_at=moment("05-05 11:00"), points=(0, 2), by=None)
        assert stored(challenge).state == State.PLAYED

    def test_a_reminder_goes_out_once_for_each_deadline(self, noon):
        season = ladder(answer_hours=48, play_hours=72)
        challenge = issued(season)
        # A program's battle, which concerns no person.
        battle = {"state": State.ACCEPTED, "play_by": moment("05-06 12:00")}
        make_challenge(season, named(season, "Cyd"), named(season, "Dan"), **battle)
        sent: list[str] = []

        def sweep(at: str) -> int:
            noon.move_to(moment(at), tick=False)
            return remind(lambda each: sent.append(each.state))

        assert [sweep("05-05 11:59"), sweep("05-05 12:00"), sweep("05-05 12:01")] == [0, 1, 0]
        assert stored(challenge).reminded_at == moment("05-05 12:00")
        accept_challenge(challenge=challenge, by=None)
        assert [sweep("05-06 12:00"), sweep("05-07 12:01"), sweep("05-08 13:00")] == [0, 1, 0]

    def test_a_closed_season_is_left_as_it_is(self, noon):
        season = ladder()
        challenge = issued(season)
        update_season(season=season, by=None, state=Season.State.CLOSED)
        noon.move_to(moment("08-01 12:00"), tick=False)
        assert [carry_out_deadlines(), remind(lambda _each: None)] == [0, 0]
        assert stored(challenge).state == State.ISSUED
