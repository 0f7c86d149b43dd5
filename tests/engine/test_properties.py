"""What must hold for every game of the WSD system, and what only looks as if it did."""

from decimal import Decimal
from itertools import combinations, pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ratings.engine.formulas import damped, expected_score, games_counted, margin_multiplier
from ratings.engine.presets import PRESETS
from ratings.engine.replay import replay
from ratings.engine.standings import season_score
from ratings.engine.types import Curve, Game, GamesCounted, PlayerState, Rules, Side, State

from .builders import Played, duel, play

WSD = PRESETS["wsd-2.0"]
CURVES = [PRESETS["wsd-2.0"], PRESETS["wsd-2.0-tables"]]

checked = settings(max_examples=80, deadline=None, database=None, derandomize=True)

ratings = st.integers(9_000, 21_000)
points = st.integers(-200, 1_500) | st.integers(0, 3)  # the second often draws
singles = st.lists(st.tuples(ratings, points), min_size=2, max_size=6)
two_players = st.lists(st.tuples(ratings, points), min_size=2, max_size=2)
members = st.lists(ratings, min_size=1, max_size=3)
teams = st.lists(st.tuples(members, points), min_size=2, max_size=4)
keeps = st.sampled_from([Decimal("0.3"), Decimal("0.5"), Decimal("0.7")])


def play_on(rules: Rules, sides: list[tuple[int, int]]) -> Played:
    """A game of single players, each a rating in tenths and points."""
    return play_teams(rules, [([rating], scored) for rating, scored in sides])


def play_teams(rules: Rules, sides: list[tuple[list[int], int]]) -> Played:
    return play(rules, *(([PlayerState(r, r) for r in team], scored) for team, scored in sides))


def on_tie(played: Played) -> bool:
    """Whether a new rating is so near to half a tenth that rounding may part equal changes."""
    return any(abs(change * 10 % 1 - 0.5) < 1e-6 for change in played.unrounded)


def total(played: Played) -> int:
    return sum(change for side in played.changes for change in side)


@given(ratings, ratings, keeps)
@checked
def test_both_expectations_of_a_duel_sum_to_one(own, opponent, keep):
    e, other = expected_score(own, opponent), expected_score(opponent, own)
    assert e + other == pytest.approx(1)
    assert damped(e, keep) + damped(other, keep) == pytest.approx(1)
    assert abs(damped(e, keep) - 0.5) < keep / 2


@given(teams)
@checked
def test_di_05_the_changes_of_all_sides_sum_to_zero_before_rounding(sides):
    assert sum(play_teams(WSD, sides).unrounded) == pytest.approx(0, abs=1e-9)


@given(two_players)
@checked
def test_two_players_change_by_the_same_amount_after_rounding(sides):
    played = play_on(WSD, sides)
    assume(not on_tie(played))
    assert total(played) == 0


def test_two_players_may_create_a_tenth_where_rounding_ties():
    # both changes are exactly 0.05; 1500.05 goes to 1500.0 and 1500.05 below 1500.1 to 1500.0
    rules = Rules(k=Decimal("0.25"), keep=Decimal(0))
    assert play_on(rules, [(15_000, 1), (15_001, 0)]).changes == [[0], [-1]]


@given(singles)
@checked
def test_more_players_may_be_off_by_half_a_tenth_each(sides):
    assert abs(total(play_on(WSD, sides))) <= 0.5 * len(sides)


def test_three_players_need_not_sum_to_zero_after_rounding():
    assert total(play_on(WSD, [(15_000, 300), (15_400, 200), (16_010, 0)])) != 0


@given(
    st.integers(1, 3).flatmap(lambda n: st.tuples(*[st.lists(ratings, min_size=n, max_size=n)] * 2)), points
)
@checked
def test_two_teams_of_equal_size_change_by_the_same_amount_after_rounding(pair, lead):
    played = play_teams(WSD, [(pair[0], lead), (pair[1], 0)])
    assume(not on_tie(played))
    assert total(played) == 0


def test_three_against_one_creates_points():
    played = play_teams(WSD, [([15_000] * 3, 700), ([16_000], 300)])
    assert total(played) == 356


@given(teams)
@checked
def test_r37_all_members_of_a_team_change_alike(sides):
    played = play_teams(WSD, sides)
    assume(not on_tie(played))
    assert all(len(set(changes)) == 1 for changes in played.changes)


@given(teams)
@checked
def test_a_team_acts_as_one_player_on_its_mean_rating(sides):
    whole = [([r - r % 6 for r in team], scored) for team, scored in sides]  # so that means are whole
    one_each = [(sum(team) // len(team), scored) for team, scored in whole]
    assert play_teams(WSD, whole).unrounded == pytest.approx(play_on(WSD, one_each).unrounded)


@given(ratings, ratings, st.integers(1, 4_000), st.sampled_from(CURVES))
@checked
def test_a_larger_margin_gains_more(own, opponent, margin, rules):
    less, more = (play_on(rules, [(own, lead), (opponent, 0)]) for lead in (margin, margin + 1))
    assert more.unrounded[0] > less.unrounded[0]
    assert more.changes[0] >= less.changes[0]


@pytest.mark.parametrize("curve", Curve)
def test_the_multiplier_rises_without_a_jump(curve):
    rules = Rules(curve=curve)
    multipliers = [margin_multiplier(rules, margin) for margin in range(1, 3_000)]
    steps = [more - less for less, more in pairwise(multipliers)]
    assert min(steps) > 0
    assert steps[499] == pytest.approx(steps[498], rel=0.05)  # at 500
    assert max(later / step for step, later in pairwise(steps)) < 1.05


@given(singles, st.integers(1, 400))
@checked
def test_more_points_raise_the_own_change_and_lower_every_other(sides, more):
    (rating, scored), *others = sides
    before = play_on(WSD, sides).unrounded
    after = play_on(WSD, [(rating, scored + more), *others]).unrounded
    assert after[0] > before[0]
    assert all(later < earlier for later, earlier in zip(after[1:], before[1:], strict=True))


@given(ratings, ratings, st.integers(1, 5_000))
@checked
def test_the_winner_of_two_gains_at_least_1_4(own, opponent, margin):
    winner, loser = play_on(WSD, [(own, margin), (opponent, 0)]).unrounded
    assert winner >= 1.4
    assert loser <= -1.4


@given(ratings, ratings, st.integers(-1_000, 1_000), st.integers(1, 500))
@checked
def test_a_change_falls_with_the_own_rating_and_rises_with_the_opponents(own, opponent, lead, more):
    change = play_on(WSD, [(own, lead), (opponent, 0)]).unrounded[0]
    assert play_on(WSD, [(own + more, lead), (opponent, 0)]).unrounded[0] < change
    assert play_on(WSD, [(own, lead), (opponent + more, 0)]).unrounded[0] > change


@given(singles, st.integers(1, 3_000), st.randoms(use_true_random=False))
@checked
def test_changes_depend_on_differences_only_and_not_on_order(sides, constant, rng):
    changes = play_on(WSD, sides).unrounded
    assert play_on(WSD, [(r + constant, p) for r, p in sides]).unrounded == pytest.approx(changes)
    assert play_on(WSD, [(r, p + constant) for r, p in sides]).unrounded == pytest.approx(changes)
    order = rng.sample(range(len(sides)), len(sides))
    mixed = play_on(WSD, [sides[index] for index in order])
    assert mixed.unrounded == pytest.approx([changes[index] for index in order], abs=1e-9)
    after = play_on(WSD, sides).after
    assert mixed.after == [after[index] for index in order]


@given(singles)
@checked
def test_a_game_is_the_mean_of_its_duels_at_the_ratings_before_it(sides):
    changes = dict.fromkeys(range(len(sides)), 0.0)
    for i, j in combinations(range(len(sides)), 2):
        own, other = play_on(WSD, [sides[i], sides[j]]).unrounded
        changes[i] += own / (len(sides) - 1)
        changes[j] += other / (len(sides) - 1)
    assert play_on(WSD, sides).unrounded == pytest.approx(list(changes.values()), abs=1e-9)


@given(singles, keeps)
@checked
def test_a_change_is_limited_by_the_largest_margin(sides, keep):
    rules = Rules(keep=keep)
    for side in play_on(rules, sides).explanation.sides:
        largest = max(duel.multiplier for duel in side.duels)
        assert abs(side.change) <= 10 * largest * (1 + float(keep)) / 2


@given(ratings, ratings, points)
@checked
def test_a_draw_moves_both_towards_each_other(own, opponent, scored):
    first, second = play_on(WSD, [(own, scored), (opponent, scored)]).unrounded
    assert (first > 0) == (own < opponent)
    assert (second > 0) == (own > opponent)
    assert play_on(WSD, [(own, scored), (own, scored)]).changes == [[0], [0]]


def final(games: list[Game], rules: Rules = WSD) -> dict:
    state = State()
    replay(rules, state, games)
    return {player: known.rating for player, known in state.players.items()}


def test_the_order_of_games_matters():
    won, lost = duel("a", "b", 200, 100, 1), duel("a", "b", 100, 700, 2)
    assert final([won, lost]) == {"a": 14_813, "b": 15_187}
    assert final([lost, won]) == {"a": 14_818, "b": 15_182}


@given(points, points)
@checked
def test_games_without_a_common_player_may_change_places(one, two):
    first, second = duel("a", "b", one, 0, 1), duel("c", "d", two, 0, 2)
    assert final([first, second]) == final([second, first])


@st.composite
def histories(draw):
    games = []
    for game_id in range(draw(st.integers(0, 12))):
        sizes = draw(st.lists(st.integers(1, 2), min_size=2, max_size=3))
        names = draw(st.permutations("abcdefgh"))
        sides = [Side(tuple(names.pop() for _ in range(size)), draw(points)) for size in sizes]
        games.append(Game(game_id, tuple(sides)))
    return games


@given(histories(), st.integers(0, 12))
@checked
def test_going_on_equals_starting_anew(games, cut):
    whole, parts = State(), State()
    changes = replay(WSD, whole, games)
    resumed = [*replay(WSD, parts, games[:cut]), *replay(WSD, parts, games[cut:])]
    assert resumed == changes
    assert parts == whole
    assert replay(WSD, State(), games) == changes


@given(st.integers(5_000, 25_000))
@checked
def test_the_season_score_goes_from_the_start_over_the_rating_to_the_bonus(rating):
    scores = [season_score(WSD, rating, games) for games in range(260)]
    assert scores[0] == 15_000
    assert scores[75] == rating
    assert scores[200] == round(Decimal(rating) * Decimal("1.05"))
    assert set(scores[200:]) == {scores[200]}
    for games in range(1, 201):
        slope = (rating - 15_000) / 75 if games <= 75 else 0.0004 * rating
        assert scores[games] - scores[games - 1] == pytest.approx(slope, abs=1)
    assert min(scores[75:]) >= rating


@given(st.integers(5_000, 25_000), st.integers(1, 300))
@checked
def test_the_season_score_rises_with_the_rating(rating, games):
    # by 1 part in 75 a game at least, so a difference of 75 tenths shows from the first
    assert season_score(WSD, rating + 75, games) > season_score(WSD, rating, games)


def test_below_1500_a_game_more_lowers_the_season_score():
    assert [season_score(WSD, 14_000, games) for games in (0, 10, 75)] == [15_000, 14_867, 14_000]


@given(st.lists(st.integers(1, 3), min_size=2, max_size=4), st.sampled_from(GamesCounted))
@checked
def test_a_game_counts_at_least_once_and_two_teams_exactly_once(sizes, how):
    sides = [Side(tuple(f"{side}.{n}" for n in range(size)), 0) for side, size in enumerate(sizes)]
    count = games_counted(Rules(games_counted=how), Game(1, tuple(sides)))
    assert 1 <= count <= len(sizes) - 1
    if len(sizes) == 2:
        assert count == 1


@given(ratings, st.lists(points, min_size=2, max_size=6), keeps)
@checked
def test_among_equals_damping_has_no_effect(rating, scores, keep):
    equal = [(rating, scored) for scored in scores]
    assert play_on(Rules(keep=keep), equal).unrounded == pytest.approx(play_on(WSD, equal).unrounded)


@given(st.lists(st.tuples(ratings, st.integers(0, 500)), min_size=2, max_size=6))
@checked
def test_up_to_a_margin_of_500_the_curve_has_no_effect(sides):
    assert play_on(Rules(curve=Curve.TABLE), sides).after == play_on(WSD, sides).after


def test_one_win_by_twice_as_much_beats_two_wins_only_from_a_total_of_720():
    def gain(margin: int) -> float:
        return play_on(WSD, [(15_000, margin), (15_000, 0)]).unrounded[0]

    assert 2 * gain(359) > gain(718)
    assert 2 * gain(360) < gain(720)
    assert 2 * gain(50) - gain(100) == pytest.approx(1.96, abs=0.005)
