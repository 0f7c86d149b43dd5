"""Every known number of both rulebooks, through the public functions of the engine."""

import json
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from random import Random

import pytest

from ratings.engine.formulas import damped, expected_score, fide_k, games_counted, margin_multiplier
from ratings.engine.matchmaking import opponent_pool
from ratings.engine.presets import PRESETS, with_setting
from ratings.engine.prizes import Tier, prize_of
from ratings.engine.standings import season_score, standings
from ratings.engine.types import Game, PlayerId, Rules, ShortSide, Side, State

from .builders import meet, play, play_singles, player, printed, tenths

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))["vectors"]

# What a reading means in our words; a choice that is not offered stands in NOT_OFFERED.
SETTINGS = {
    ("dampening_keep", "0.3"): {"keep": "0.3"},
    ("dampening_keep", "0.5"): {"keep": "0.5"},
    ("dampening_keep", "0.7"): {"keep": "0.7"},
    ("margin_curve", "formula"): {"curve": "formula"},
    ("margin_curve", "table"): {"curve": "table"},
    ("margin_curve", "capped8"): {"curve_limit": "8"},
    ("draw_margin", "clamp"): {"draw_margin": "floor"},
    ("draw_margin", "formula"): {"draw_margin": "formula"},
    ("draw_margin", "zero"): {"draw_margin": "zero"},
    ("games_counted", "literal"): {"games_counted": "literal"},
    ("games_counted", "duels"): {"games_counted": "sides"},
    ("season_games", "75"): {"full_weight_games": "75"},
    ("season_games", "50"): {"full_weight_games": "50"},
    ("team_size_min", "1"): {"team_min": "1"},
    ("team_size_min", "2"): {"team_min": "2"},
    # how the engine always works
    ("round_mode", "half_even"): {},
    ("round_on", "new_rating"): {},
    ("round_when", "game"): {},
    ("team_entities", "teams"): {},
    ("rounding", "0.1"): {},
    ("k_source", "challenger"): {},
    ("k_order", "peak_junior_new"): {},
    ("difference_cap_400", "off"): {},
    # settings of the pool, which ``rate`` does not take
    ("pool_short_side", "strict"): {},
    ("pool_short_side", "fill"): {},
    ("pool_short_side", "widen"): {},
}

NOT_OFFERED = {
    ("draw_margin", "one"): "M of a draw is 0.4, the formula's value at 0, or 0",
    ("games_counted", "one"): "a team game always counts its teams - 1",
    ("round_mode", "half_up"): "ties of rounding go to even",
    ("round_mode", "half_ceiling"): "ties of rounding go to even",
    ("round_on", "delta"): "the new rating is rounded, not the change",
    ("round_when", "duel"): "a game is rounded once, not after every duel",
    ("team_entities", "players"): "n of a team game is the number of its teams",
    ("rounding", "none"): "ratings have one decimal",
    ("rounding", "integer"): "ratings have one decimal",
    ("k_source", "own"): "K of a ladder game is the challenger's for both",
    ("k_order", "new_junior_peak"): "2400 once reached comes before every other K",
    ("period_cap_700", "on"): "games are rated one by one, so FIDE's limit for a period has no meaning",
    ("difference_cap_400", "on"): "rating differences have no limit",
}

# Facts, not ratings: what may be entered at all is decided where games are entered.
CHECKED_IN_LEAGUES = {"season_window", "team_limits"}


def refusal(vector: dict) -> str | None:
    return next((NOT_OFFERED[choice] for choice in vector["reading"].items() if choice in NOT_OFFERED), None)


OFFERED = [v for v in VECTORS if not refusal(v) and v["kind"] not in CHECKED_IN_LEAGUES]
REFUSED = [v for v in VECTORS if refusal(v)]
ELSEWHERE = [v for v in VECTORS if not refusal(v) and v["kind"] in CHECKED_IN_LEAGUES]


def rules_of(vector: dict) -> Rules:
    rules = PRESETS["wsd-2.0" if vector["system"] == "wsd" else "ranked-battle"]
    for choice in vector["reading"].items():
        for name, value in SETTINGS[choice].items():
            rules = with_setting(rules, name, value)
    return rules


def places(value: float | Decimal, count: int) -> str:
    """A number rounded to so many decimals, without a negative zero."""
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-count), ROUND_HALF_EVEN)
    return str(rounded if rounded else abs(rounded))


def decimals(text: str) -> int:
    return len(text.partition(".")[2])


# --- one function for each kind: the vector and its rules -> everything the engine says about it


def parameter(vector: dict, rules: Rules) -> dict:
    values = {
        "initial_rating": Decimal(rules.initial_rating) / 10,
        "k_base": rules.k,
        "base_margin": rules.margin_unit,
        "dampening": rules.keep,
        "season_games": Decimal(rules.full_weight_games),
    }
    return {"value": str(values[vector["inputs"]["name"]])}


def margin(vector: dict, rules: Rules) -> dict:
    multiplier = margin_multiplier(rules, vector["inputs"]["margin"])
    return {
        "multiplier": places(multiplier, decimals(vector["expected"]["multiplier"])),
        "unrounded": multiplier,
    }


def duel(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    played = play_singles(rules, inputs["ratings"], inputs["scores"])
    equal = play_singles(rules, ["1500", "1500"], inputs["scores"])
    new = [rating for side in played.after for rating in side]
    deltas = [change for side in played.changes for change in side]
    return {
        "new_ratings": [printed(rating) for rating in new],
        "deltas": [printed(delta) for delta in deltas],
        "bonus_as_difference_of_rounded": printed(deltas[0] - equal.changes[0][0]),
        "unrounded": played.unrounded[0],
    }


def game(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    played = play_singles(rules, inputs["ratings"], inputs["scores"])
    shown = vector["expected"].get("of_players", range(len(played.after)))
    return {
        "new_ratings": [printed(played.after[index][0]) for index in shown],
        "unrounded": [played.unrounded[index] for index in shown],
        "sum_of_changes_after_rounding": printed(sum(change for (change,) in played.changes)),
        "of_players": list(shown),
    }


def team_game(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    sides = zip(inputs["teams"], inputs["scores"], strict=True)
    played = play(rules, *(([player(rating) for rating in team], points) for team, points in sides))
    first = played.explanation.sides[0]
    several = isinstance(vector["expected"]["unrounded"], list)
    return {
        "team_ratings": [f"{side.rating:g}" for side in played.explanation.sides],
        "margin": first.duels[0].margin,
        "member_deltas": [printed(change) for side in played.changes for change in side],
        "new_ratings": [[printed(rating) for rating in side] for side in played.after],
        "unrounded": played.unrounded if several else first.change,
    }


def k_pair(vector: dict, rules: Rules) -> dict:
    count = vector["inputs"]["n"]
    played = play_singles(rules, ["1500"] * count, range(count))
    (k,) = {duel.k for side in played.explanation.sides for duel in side.duels}
    return {"k_pair": places(k, decimals(vector["expected"]["k_pair"]))}


def expectation(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    if "a" in inputs:
        e_a = expected_score(tenths(inputs["a"]), tenths(inputs["b"]))
        e_b = expected_score(tenths(inputs["b"]), tenths(inputs["a"]))
        return {"e_a": places(e_a, 3), "e_b": places(e_b, 3), "sum": places(e_a + e_b, 12)}
    opponent = tenths(inputs.get("opponent", 1500))
    difference = inputs.get("rating_difference", inputs.get("difference", 0))
    own = tenths(inputs["own"]) if "own" in inputs else opponent + tenths(difference)
    standard = expected_score(own, opponent)
    kept = damped(standard, rules.keep)
    return {
        "standard": places(standard, 3),
        "percent": places(standard * 100, 0),
        "dampened": places(kept, 3),
        "win_factor": places(2 * (1 - kept), 2),
        "effect_percent": places((2 * (1 - kept) - 1) * 100, 0),
        "unrounded": kept if "dampened" in vector["expected"] else standard,
    }


def season(vector: dict, rules: Rules) -> dict:
    rating, games = tenths(vector["inputs"]["rating"]), vector["inputs"]["games"]
    score = season_score(rules, rating, games)
    got = {"season_score": printed(score)}
    if "activity_percent" in vector["expected"]:
        pull = season_score(rules, 1_000_000, games) - season_score(rules, 1_000_000, 0)
        got["activity_percent"] = places(Decimal(pull) / (1_000_000 - rules.initial_rating) * 100, 1)
    if "unrounded" in vector["expected"]:
        exact = Decimal(vector["expected"]["unrounded"])
        assert abs(Decimal(score) / 10 - exact) <= Decimal("0.05")
        got["unrounded"] = vector["expected"]["unrounded"]
    return got


def counted(vector: dict, rules: Rules) -> dict:
    size = 2 if vector["inputs"]["kind"] == "team" else 1
    sides = [
        Side(tuple(f"{side}.{n}" for n in range(size)), side) for side in range(vector["inputs"]["sides"])
    ]
    return {"counts_as": games_counted(rules, Game(1, tuple(sides)))}


def eligibility(vector: dict, rules: Rules) -> dict:
    state = State()
    for name in ("other", "third"):
        state.players[name] = player("1500", games=200)
    state.players["own"] = player("1500", games=vector["inputs"]["games"])
    meet(state, "own", "other", vector["inputs"]["fewest_games_against_any_player"])
    meet(state, "own", "third", 80)
    rows = {row.player: row for row in standings(rules, state, list(state.players))}
    return {"eligible": rows["own"].classified}


def prize(vector: dict, rules: Rules) -> dict:
    return {"km": prize_of(Tier(1, 1, Decimal(1000), per_participant=True), vector["inputs"]["participants"])}


def update(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    points = {"1": (1, 0), "0.5": (0, 0), "0": (0, 1)}[inputs["result"]]
    opponent = player(inputs["opponent"])  # new, so a K of 40 by FIDE
    if "k" in inputs:
        rules = with_setting(rules, "k", str(inputs["k"]))
    else:
        assert (inputs["k_challenger"], inputs["k_opponent"]) == (20, 40)
    played = play(rules, ([player(inputs["challenger"], played=30)], points[0]), ([opponent], points[1]))
    new = [rating for side in played.after for rating in side]
    before = [rating for side in played.before for rating in side]
    return {
        "new_ratings": [printed(rating) for rating in new],
        "sum": places(Decimal(sum(new)) / 10, 6),
        "zero_sum": sum(new) == sum(before),
        "holds": new[1] > before[1],
    }


def fide(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    k, _reason = fide_k(
        games=inputs["games"],
        rating=tenths(inputs["rating"]),
        peak=tenths(inputs["peak"]),
        junior=inputs.get("junior", False),
    )
    return {"k": int(k)}


def pool(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    short_side = {"strict": ShortSide.SHORT, "fill": ShortSide.FILL, "widen": ShortSide.WIDEN}
    rules = Rules(
        pool_size=inputs["size"],
        pool_deviation=tenths(inputs["deviation"]),
        pool_short_side=short_side[vector["reading"]["pool_short_side"]],
        pool_widen_step=tenths(inputs["widen_step"]),
        pool_widen_limit=tenths(inputs["widen_limit"]),
    )
    others: list[tuple[PlayerId, int]] = [
        (index, tenths(rating)) for index, rating in enumerate(inputs["others"])
    ]
    challenger = tenths(inputs["challenger"])
    drawn = opponent_pool(rules, challenger, others, Random(1))
    ratings = dict(others)
    return {
        "pool_size": len(set(drawn.members)),
        "deviation_used": drawn.deviation // 10,
        "all_within": all(abs(ratings[one] - challenger) <= drawn.deviation for one in drawn.members),
        "lower_upper": [len(drawn.lower), len(drawn.upper)],
    }


def statement(vector: dict, rules: Rules) -> dict:
    """The sentences of the Ranked Battle text."""
    name, inputs = vector["id"], vector["inputs"]
    if name == "rb-ideal":
        e = expected_score(tenths(inputs["a"]), tenths(inputs["b"]))
        return {"e_a": str(e), "e_b": str(1 - e)}
    if name == "rb-draw-lower-gains":
        return update(vector, rules)
    rules = with_setting(rules, "k", str(inputs["k"]))
    if name.startswith("rb-upset-"):
        under = play_singles(rules, ["1500", 1500 + inputs["difference"]], [1, 0]).unrounded[0]
        favourite = play_singles(rules, ["1500", 1500 - inputs["difference"]], [1, 0]).unrounded[0]
        return {
            "underdog_wins": places(under, 4),
            "favourite_wins": places(favourite, 4),
            "holds": under >= favourite,
        }
    if name.startswith("rb-asym-"):
        lower_wins = name.endswith("1")
        gains = max(play_singles(rules, ["1500", "1600"], [lower_wins, not lower_wins]).unrounded)
        return {"winner_gains": places(gains, 4), "holds": (gains > inputs["k"] / 2) is lower_wins}
    if name.startswith("rb-nochange-"):
        (change,), _ = play_singles(rules, [1500 + inputs["difference"], "1500"], [1, 0]).changes
        return {"change": printed(change), "unchanged": change == 0}
    assert name.startswith("rb-maxK-")
    upset = play_singles(rules, ["1500", 1500 + inputs["difference"]], [1, 0]).unrounded[0]
    return {"change": places(upset, 6), "at_most_k": upset <= inputs["k"]}


# --- the sentences of the WSD rulebook, by the beginning of their id


def effect(rules: Rules, points_below: int) -> float:
    """How many percent more than among equals a win over a stronger player brings."""
    return (2 * (1 - damped(expected_score(15_000 - 10 * points_below, 15_000), rules.keep)) - 1) * 100


def gain(rules: Rules, margin: int) -> float:
    """The unrounded gain of a win among equals."""
    return play_singles(rules, ["1500", "1500"], [margin, 0]).unrounded[0]


def rounded_gain(rules: Rules, margin: int) -> str:
    return printed(play_singles(rules, ["1500", "1500"], [margin, 0]).changes[0][0])


def two_wins(vector: dict, rules: Rules) -> dict:
    (first,), (second,) = play_singles(rules, ["1500", "1500"], [150, 100]).after
    (after,), _ = play_singles(rules, [printed(first), printed(second)], [150, 100]).after
    two, one = after - 15_000, tenths(rounded_gain(rules, 100))
    return {
        "two_wins": printed(two),
        "one_win": printed(one),
        "ratio": places(Decimal(two) / one, 2),
        "holds": two > one,
    }


def zahari(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    over = [play_singles(rules, [inputs["own"], other], [inputs["margin"], 0]) for other in inputs["beats"]]
    stronger, weaker = (played.unrounded[0] for played in over)
    return {
        "gain_over_1600": printed(over[0].changes[0][0]),
        "gain_over_1100": printed(over[1].changes[0][0]),
        "ratio": places(stronger / weaker, 3),
        "holds": stronger > weaker,
    }


def effects(vector: dict, rules: Rules) -> dict:
    return {
        "effect_percent": [places(effect(rules, n), 1) for n in vector["inputs"]["rating_differences"]],
        "limit_percent": places(effect(rules, 100_000), 0),
    }


def heading(vector: dict, rules: Rules) -> dict:
    return {"effect_percent": places(effect(rules, vector["inputs"]["points_below_opponent"]), 0)}


def gains(vector: dict, rules: Rules) -> dict:
    inputs = vector["inputs"]
    if "margins" in inputs:
        return {"gains": [rounded_gain(rules, margin) for margin in inputs["margins"]]}
    return {"gain": rounded_gain(rules, inputs["margin"])}


def prose(vector: dict, rules: Rules) -> dict:
    return {"gain": places(gain(rules, vector["inputs"]["margin"]), 0)}


def conclusion(vector: dict, rules: Rules) -> dict:
    margin = vector["inputs"]["margin"]
    least, most = {1: (2, 3), 100: (5, 20), 500: (5, 20), 1000: (40, 10**9)}[margin]
    got = rounded_gain(rules, margin)
    return {"gain": got, "holds": least <= Decimal(got) <= most}


def largest(vector: dict, rules: Rules) -> dict:
    if margin_multiplier(rules, 4000) > 10 * margin_multiplier(rules, 1500) / 2:
        return {"largest_multiplier": "unbounded"}
    return {"largest_multiplier": places(margin_multiplier(rules, 100_000), 3)}


def says(vector: dict, rules: Rules) -> dict:
    removed = 1 - (damped(1, rules.keep) - 0.5) / 0.5
    return {"kept": str(rules.keep), "removed_percent": places(removed * 100, 0)}


def within_fifty(vector: dict, rules: Rules) -> dict:
    best = max(d for d in range(1, 1100) if 5 * margin_multiplier(rules, d) <= 50)
    return {"largest_margin_with_change_within_50": best}


def symmetry(vector: dict, rules: Rules) -> dict:
    kept = [damped(expected_score(15_000 + 10 * d, 15_000), rules.keep) for d in (-200, 200)]
    return {"sum": places(sum(kept), 0)}


def continuous(vector: dict, rules: Rules) -> dict:
    margin = vector["inputs"]["margin"]
    return {
        "formula": places(margin_multiplier(rules, margin), 3),
        "table": places(margin_multiplier(with_setting(rules, "curve", "table"), margin), 3),
        "next_point": places(margin_multiplier(rules, margin + 1), 6),
    }


def big(vector: dict, rules: Rules) -> dict:
    m = [margin_multiplier(rules, d) for d in range(1500)]
    return {
        "one_1000": rounded_gain(rules, 1000),
        "two_500": places(2 * gain(rules, 500), 1),
        "holds": m[1000] > 2 * m[500],
        "first_even_total_where_one_win_beats_two_halves": next(
            d for d in range(2, 1500, 2) if 2 * m[d // 2] < m[d]
        ),
    }


def bonus(vector: dict, rules: Rules) -> dict:
    scores = [season_score(rules, 15_000, games) for games in vector["inputs"]["games"]]
    step = Decimal(scores[1] - scores[0]) / 10
    return {
        "per_game": places(step, 2),
        "percent_per_game": places(step / 1500 * 100, 2),
        "season_scores": [printed(score) for score in scores],
        "rating_at_75_games_equal_to_1500_at_200": printed(scores[2]),
    }


PRINCIPLES = {
    "wsd-p-two50": two_wins,
    "wsd-p-zahari": zahari,
    "wsd-p-effect": effects,
    "wsd-p-big": big,
    "wsd-p-bonus": bonus,
    "wsd-T5-symmetry": symmetry,
    "wsd-T": heading,
    "wsd-goal": gains,
    "wsd-prose": prose,
    "wsd-conclusion": conclusion,
    "wsd-range": largest,
    "wsd-dampening-says": says,
    "wsd-fifty": within_fifty,
    "wsd-cont": continuous,
}


def principle(vector: dict, rules: Rules) -> dict:
    return next(compute for start, compute in PRINCIPLES.items() if vector["id"].startswith(start))(
        vector, rules
    )


KINDS = {
    "parameter": parameter,
    "margin": margin,
    "margin_display": margin,
    "duel": duel,
    "game": game,
    "team_game": team_game,
    "k_pair": k_pair,
    "expectation": expectation,
    "season_score": season,
    "games_counted": counted,
    "eligibility": eligibility,
    "prize": prize,
    "principle": principle,
    "update": update,
    "fide_k": fide,
    "pool": pool,
    "statement": statement,
}


@pytest.mark.parametrize("vector", OFFERED, ids=lambda vector: vector["id"])
def test_number_of_the_rulebooks(vector):
    got = KINDS[vector["kind"]](vector, rules_of(vector))
    for key, expected in vector["expected"].items():
        if key == "unrounded":
            numbers = expected if isinstance(expected, list) else [expected]
            found = got[key] if isinstance(expected, list) else [got[key]]
            assert [float(n) for n in found] == pytest.approx([float(n) for n in numbers], abs=1e-9)
        else:
            assert got[key] == expected, key


def test_every_number_is_checked_or_has_a_reason():
    assert len(VECTORS) == 404
    sorted_in = [v["id"] for v in OFFERED + REFUSED + ELSEWHERE]
    assert sorted(sorted_in) == sorted({v["id"] for v in VECTORS})
    assert (len(OFFERED), len(REFUSED), len(ELSEWHERE)) == (320, 66, 18)


def test_no_recommended_number_is_refused():
    assert [v["id"] for v in REFUSED if v["default"]] == []


def test_every_reason_is_used():
    used = {choice for v in REFUSED for choice in v["reading"].items()}
    assert set(NOT_OFFERED) <= used
    assert {v["kind"] for v in ELSEWHERE} == CHECKED_IN_LEAGUES
    assert set(KINDS) == {v["kind"] for v in OFFERED}
