"""Season score, places, and what is missing for one."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from ratings.engine.eligibility import missing_games, missing_meetings, required_opponents
from ratings.engine.presets import PRESETS, with_setting
from ratings.engine.standings import TIE_BREAKS, bonus_progress, season_score, standings
from ratings.engine.types import Opponents, Rules, State

from .builders import meet, player, tenths

WSD = PRESETS["wsd-2.0"]
LADDER = PRESETS["ranked-battle"]


def everybody_met(state: State, games: int = 4) -> State:
    names = list(state.players)
    for index, one in enumerate(names):
        for other in names[index + 1 :]:
            meet(state, one, other, games)
    return state


def places(rows) -> dict:
    return {row.player: row.place for row in rows}


@pytest.mark.parametrize(
    ("rating", "games", "score"),
    [
        ("1600", 10, "1513.3"),
        ("1600", 25, "1533.3"),
        ("1600", 75, "1600.0"),
        ("1600", 200, "1680.0"),
        ("1600", 500, "1680.0"),
        ("1400", 10, "1486.7"),
        ("1575.1", 75, "1575.1"),
        ("1500", 200, "1575.0"),
        ("1500.3", 25, "1500.1"),
        ("1501.5", 5, "1500.1"),
    ],
)
def test_season_score(rating, games, score):
    assert season_score(WSD, tenths(rating), games) == tenths(score)


@pytest.mark.parametrize(("rating", "score"), [(15_005, 15_002), (15_015, 15_008), (14_995, 14_998)])
def test_a_season_score_on_a_tie_goes_to_even(rating, score):
    # half of the distance: 15002.5, 15007.5 and 14997.5 tenths
    assert season_score(with_setting(WSD, "full_weight_games", "2"), rating, 1) == score


def test_without_full_weight_games_the_season_score_is_the_rating():
    assert season_score(LADDER, 17_777, 0) == 17_777
    assert season_score(with_setting(WSD, "full_weight_games", "0"), 17_777, 300) == 17_777


@pytest.mark.parametrize(("games", "played"), [(0, 0), (75, 0), (76, 1), (199, 124), (200, 125), (300, 125)])
def test_the_bonus_is_earned_from_the_76th_game_to_the_200th(games, played):
    assert bonus_progress(WSD, games) == (played, 125)


def test_a_bonus_that_ends_before_full_weight_is_whole_after_it():
    rules = with_setting(with_setting(WSD, "full_weight_games", "100"), "bonus_games", "50")
    assert [season_score(rules, 16_000, games) for games in (100, 101)] == [16_000, 16_800]


def test_places_are_shared_and_the_next_is_left_out():
    state = State(
        players={
            "a": player("1500", wins=3),
            "b": player("1600", wins=1),
            "c": player("1500", wins=3),
            "d": player("1500", wins=2),
            "e": player("1500", wins=2),
            "f": player("1400"),
        }
    )
    rows = standings(LADDER, state, list("fedcba"))
    assert [(row.player, row.position, row.place) for row in rows] == [
        ("b", 1, 1),
        ("c", 2, 2),
        ("a", 3, 2),
        ("e", 4, 4),
        ("d", 5, 4),
        ("f", 6, 6),
    ]


def test_equal_scores_are_ordered_by_rating_before_duels_won():
    # 15000 + 8000 x 10 / 75 and 15000 + 4000 x 20 / 75 are equal, the ratings are not
    state = State(players={"few": player("2300", games=10), "many": player("1900", games=20, wins=20)})
    rules = Rules(min_games=0, min_meetings=0)
    rows = standings(rules, state, ["many", "few"])
    assert rows[0].season_score == rows[1].season_score
    assert places(rows) == {"few": 1, "many": 2}
    by_wins = Rules(min_games=0, min_meetings=0, tie_breaks=("duels_won",))
    assert places(standings(by_wins, state, ["few", "many"])) == {"many": 1, "few": 2}


def test_scores_are_compared_as_rounded():
    # 1500.1 after 10 games and 1500.2 after 10 games are both 1500.0
    state = State(players={"a": player("1500.1", games=10), "b": player("1500.2", games=10)})
    rules = Rules(min_games=0, min_meetings=0, tie_breaks=())
    assert places(standings(rules, state, ["a", "b"])) == {"a": 1, "b": 1}


def test_r50_an_unclassified_player_keeps_the_position_but_takes_no_place():
    state = everybody_met(
        State(
            players={
                "first": player("1700", games=75),
                "short": player("1690", games=74),
                "third": player("1600", games=75),
            }
        )
    )
    rows = standings(WSD, state, list(state.players))
    assert [(row.player, row.position, row.place) for row in rows] == [
        ("first", 1, 1),
        ("short", 2, None),
        ("third", 3, 2),
    ]
    assert [row.missing_games for row in rows] == [0, 1, 0]
    assert rows[1].season_score == 15_000 + 1_875  # 1900 x 74 / 75 = 1874.67


def test_a_place_takes_four_games_against_everybody():
    state = everybody_met(State(players={name: player("1500", games=80) for name in "abcd"}))
    meet(state, "a", "b", 3)
    rows = {row.player: row for row in standings(WSD, state, list("abcd"))}
    assert {name: row.classified for name, row in rows.items()} == {
        "a": False,
        "b": False,
        "c": True,
        "d": True,
    }
    assert (rows["a"].opponents, rows["a"].opponents_met) == (3, 2)
    assert (rows["c"].opponents, rows["c"].opponents_met) == (3, 3)


def test_a_withdrawn_player_has_no_place_and_need_not_be_met():
    state = State(players={name: player("1500", games=80) for name in "ab"})
    state.players["gone"] = player("1900", games=80)
    meet(state, "a", "b", 4)
    meet(state, "a", "gone", 2)
    rows = {row.player: row for row in standings(WSD, state, ["a", "b", "gone"], {"gone"})}
    assert rows["gone"].withdrawn
    assert not rows["gone"].classified
    assert (rows["gone"].position, rows["gone"].place) == (1, None)
    assert (rows["gone"].opponents, rows["gone"].opponents_met) == (2, 0)
    assert rows["a"].classified
    assert (rows["a"].place, rows["b"].place) == (1, 1)
    assert (rows["a"].opponents, rows["a"].opponents_met) == (1, 1)


def test_r60_a_newcomer_makes_everybody_else_unclassified_unless_only_ranked_opponents_count():
    state = everybody_met(State(players={name: player("1500", games=80) for name in "ab"}))
    participants = ["a", "b", "newcomer"]
    assert places(standings(WSD, state, participants)) == {"a": None, "b": None, "newcomer": None}
    ranked = with_setting(WSD, "opponents", "ranked")
    assert places(standings(ranked, state, participants)) == {"a": 1, "b": 1, "newcomer": None}
    rows = {row.player: row for row in standings(ranked, state, participants)}
    assert (rows["newcomer"].opponents, rows["newcomer"].opponents_met) == (2, 0)
    assert (rows["a"].opponents, rows["a"].opponents_met) == (1, 1)


def test_a_player_who_has_not_played_stands_on_the_initial_rating():
    (row,) = standings(WSD, State(), ["new"])
    assert (row.season_score, row.rating, row.played, row.missing_games) == (15_000, 15_000, 0, 75)
    assert not row.classified


def test_on_the_ladder_nothing_is_required_for_a_place():
    rows = standings(LADDER, State(players={"a": player("1510.1")}), ["new", "a"])
    assert [(row.player, row.place, row.season_score) for row in rows] == [
        ("a", 1, 15_101),
        ("new", 2, 15_000),
    ]


def test_nobody_entered_is_an_empty_table():
    assert standings(WSD, State(), []) == []


def test_an_unknown_tie_break_is_refused():
    with pytest.raises(ValueError, match="'luck'; it must be one of rating, duels_won, first_places, games"):
        standings(Rules(tie_breaks=("luck",)), State(), [])


@pytest.mark.parametrize(
    ("name", "value"), [("rating", 16_000), ("duels_won", 9), ("first_places", 0), ("games", 12)]
)
def test_tie_breaks(name, value):
    assert TIE_BREAKS[name](player("1600", games=12, wins=9)) == value


def test_what_is_missing_is_listed_by_opponent():
    assert missing_games(WSD, 31) == 44
    assert missing_games(WSD, 80) == 0
    opponents = required_opponents(WSD, {"own": 31, "b": 0, "c": 80, "d": 3})
    assert missing_meetings(WSD, "own", {"b": 3, "c": 4, "gone": 1}, opponents) == [("b", 1), ("d", 4)]
    ranked = with_setting(WSD, "opponents", "ranked")
    assert required_opponents(ranked, {"own": 31, "b": 0, "c": 80, "d": 75}) == ["c", "d"]
    assert missing_meetings(LADDER, "own", {}, opponents) == []


@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("opponents", list(Opponents))
def test_opponents_met_and_opponents_missing_are_two_sides_of_one_count(least, opponents):
    rules = replace(Rules(), min_games=3, min_meetings=least, opponents=opponents)
    rng = Random(least)
    names = "abcdefg"
    state = State({name: player("1500", games=rng.randrange(6)) for name in names})
    for one, other in combinations(names, 2):
        if games := rng.randrange(4):
            meet(state, one, other, games)
    rows = standings(rules, state, names, withdrawn={"c"})
    required = required_opponents(rules, {name: state.players[name].games for name in names if name != "c"})
    for row in rows:
        met = {other: games.games for (one, other), games in state.meetings.items() if one == row.player}
        missing = missing_meetings(rules, row.player, met, required)
        assert row.opponents - row.opponents_met == len(missing)
