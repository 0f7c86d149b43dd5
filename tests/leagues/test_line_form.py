"""The page on which a game is entered in one line: it fills the form below, and asks who is meant."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from leagues.models import Game, Player, Season
from leagues.services import add_alias
from tests.factories import make_league, make_players

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 1, 18, 40, tzinfo=UTC)  # 21:40 in Sofia


@pytest.fixture
def players(season: Season) -> list[Player]:
    return make_players(season.league, "Ann Lee", "Боби", "Cyd", "Dan")


def url(season: Season) -> str:
    return reverse("leagues:game-create", kwargs={"league": season.league.slug, "season": season.slug})


def write(client: Client, season: Season, line: str, **values: Any) -> Any:
    with time_machine.travel(NOW, tick=False):
        response = client.get(url(season), {"line": line} | values)
    assert response.status_code == 200
    return response


def sides(response: Any) -> list[tuple[list[str], Any]]:
    """Who is chosen for each side, and the points."""
    forms = response.context["form"].sides.forms
    return [([label for _value, label in form.picked], form["points"].value()) for form in forms]


def questions(response: Any) -> list[tuple[str, list[str]]]:
    asked = response.context["line"].questions
    return [(each.sentence, [label for label, _query in each.answers]) for each in asked]


def as_sent(response: Any) -> dict[str, Any]:
    """What a browser sends when the form is saved as it is."""
    form = response.context["form"]
    data = {name: str(form[name].value() or "") for name in ("played_at", "note", "token")}
    data |= {"side-TOTAL_FORMS": str(len(form.sides.forms)), "side-INITIAL_FORMS": "0"}
    for number, side in enumerate(form.sides.forms):
        points = side["points"].value()
        data[f"side-{number}-members"] = [value for value, _label in side.picked]
        data[f"side-{number}-points"] = "" if points is None else str(points)
    return data


def test_a_line_fills_the_form_and_one_tap_saves(scorer, season, players):
    response = write(scorer, season, "ann+bobi 21 : 15 cyd+dan @ yesterday 21:30", note="the final")
    assert sides(response) == [(["Ann Lee", "Боби"], 21), (["Cyd", "Dan"], 15)]
    assert questions(response) == []
    page = response.content.decode()
    assert 'value="2026-04-30T21:30"' in page
    assert 'value="ann+bobi 21 : 15 cyd+dan @ yesterday 21:30"' in page
    assert not Game.objects.exists()
    assert scorer.post(url(season), as_sent(response)).status_code == 302
    game = Game.objects.get()
    assert game.played_at == datetime(2026, 4, 30, 18, 30, tzinfo=UTC)
    assert game.note == "the final"
    ann, bobi, cyd, dan = players
    assert [(side.points, [seat.player for seat in side.members.all()]) for side in game.sides.all()] == [
        (21, [ann, bobi]), (15, [cyd, dan]),
    ]  # fmt: skip


def test_a_line_says_what_kind_of_game_it_is(scorer, season, players):
    response = write(scorer, season, "ann 3 : 0 cyd #forfeit @ 20:00")
    assert sides(response) == [(["Ann Lee"], 3), (["Cyd"], 0)]
    assert '<option value="forfeit" selected>' in response.content.decode()
    data = as_sent(response) | {"kind": response.context["form"]["kind"].value()}
    assert scorer.post(url(season), data).status_code == 302
    assert (Game.objects.get().kind, Game.objects.get().rated) == ("forfeit", False)
    response = write(scorer, season, "ann 3 : 0 cyd #forfiet")
    assert "“forfiet” is no kind of game" in response.content.decode()
    # What was meant is not known, so it is no game that was played either.
    data = as_sent(response) | {"kind": response.context["form"]["kind"].value()}
    assert "forfiet is not one of the available choices" in scorer.post(url(season), data).content.decode()
    assert Game.objects.count() == 1


def test_without_a_time_the_game_was_played_now(scorer, season, players):
    response = write(scorer, season, "ann 50, bobi 30, cyd 30")
    assert sides(response) == [(["Ann Lee"], 50), (["Боби"], 30), (["Cyd"], 30)]
    assert response.context["form"]["played_at"].value() == "2026-05-01T21:40"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ann lee", "Ann Lee"),
        ("ANN", "Ann Lee"),
        ("lee", "Ann Lee"),
        ("an", "Ann Lee"),
        ("ann-lee", "Ann Lee"),
        ("anche", "Ann Lee"),  # another name
        ("bobi", "Боби"),
        ("БОБ", "Боби"),
        ("isik", "Işık"),
        ("elkin", "Ёлкин"),
        ("dan", "Dan"),  # though it begins Daniel too
        ("danie", "Daniel Dimov"),
    ],
)
def test_names_are_forgiven_script_case_accents_and_haste(scorer, season, players, written, meant):
    make_players(season.league, "Işık", "Ёлкин", "Daniel Dimov")
    add_alias(player=players[0], name="Anche", by=None)
    response = write(scorer, season, f"{written} 5, cyd 3")
    assert sides(response)[0] == ([meant], 5)
    assert questions(response) == []


def test_a_name_of_several_is_asked_and_the_answer_is_a_link(scorer, season, players):
    make_players(season.league, "Ann Lee", "Anna")
    response = write(scorer, season, "an 50, cyd 30 @ 20:00", note="x")
    (question,) = response.context["line"].questions
    assert question.sentence == "Who is “an”?"
    assert [label for label, _query in question.answers] == [
        "Ann Lee (ann-lee)", "Ann Lee (ann-lee-2)", "Anna (anna)",
    ]  # fmt: skip
    # Until it is answered nothing can be saved.
    assert scorer.post(url(season), as_sent(response)).status_code == 200
    assert not Game.objects.exists()
    _label, query = question.answers[1]
    response = scorer.get(f"{url(season)}?{query}")
    assert response.context["line"]["line"].value() == "ann-lee-2 50, cyd 30 @ 20:00"
    assert response.context["form"].sides.forms[0]["members"].value() == [
        str(Player.objects.get(slug="ann-lee-2").pk)
    ]
    assert response.context["form"]["note"].value() == "x"


def test_a_name_that_is_nobodys_can_be_a_new_player(scorer, season, players):
    response = write(scorer, season, "zoe + ann 50, zoe 30")
    assert questions(response) == [("Nobody is called “zoe”.", ["Add “zoe” as a new player"])] * 2
    again = scorer.post(url(season), as_sent(response))
    assert again.status_code == 200
    with_scripts = re.sub("<noscript>.*?</noscript>", "", again.content.decode(), flags=re.DOTALL)
    assert 'name="add_players"' in with_scripts
    assert not Player.objects.filter(name="zoe").exists()
    response = write(scorer, season, "zoe 50, ann 30", new=["zoe"])
    assert questions(response) == []
    assert '<input type="hidden" name="new" value="zoe"' in response.content.decode()
    assert scorer.post(url(season), as_sent(response)).status_code == 302
    assert Player.objects.get(name="zoe").entries.get().season == season


def test_what_cannot_be_read_is_said_and_cannot_be_saved(scorer, season, players):
    response = write(scorer, season, "ann 5x, cyd @ soon")
    page = response.content.decode()
    for sentence in ("“5x” is no whole number", "“cyd” needs a name and points", "“soon” is no date or time"):
        assert sentence in page
    assert sides(response) == [(["Ann Lee"], None), (["Cyd"], None)]
    data = as_sent(response) | {"played_at": ""}  # no date field shows “soon”
    errors = scorer.post(url(season), data).context["form"].errors
    assert errors == {"played_at": ["Say when the game was played."]}


@pytest.mark.parametrize(
    "line", [" ", "\0", "x" * 2000, "@", "a" + ",b" * 400, "<script>alert(1)</script> 5, cyd 3"]
)
def test_any_line_is_answered(scorer, season, players, line):
    assert "<script>alert" not in write(scorer, season, line).content.decode()


def test_xw_01_nobody_of_another_league_is_found(scorer, season, players):
    make_players(make_league(), "Canary")
    response = write(scorer, season, "canary 5, cyd 3")
    assert questions(response) == [("Nobody is called “canary”.", ["Add “canary” as a new player"])]


def test_the_fragment_is_the_form_without_the_line(scorer, season, players):
    response = scorer.get(url(season), {"line": "ann 5, cyd 3"}, headers={"HX-Request": "true"})
    fragment = response.content.decode()
    assert fragment.lstrip().startswith('<div id="game-form"')
    assert 'name="line"' not in fragment


def test_a_correction_has_no_line(scorer, season, players):
    page = scorer.post(url(season), as_sent(write(scorer, season, "ann 5, cyd 3")), follow=True)
    assert page.status_code == 200
    where = {"league": season.league.slug, "season": season.slug, "game": Game.objects.get().pk}
    page = scorer.get(reverse("leagues:game-update", kwargs=where), {"line": "ann 9, cyd 3"})
    assert 'name="line"' not in page.content.decode()
    assert [form["points"].value() for form in page.context["form"].sides.forms] == [5, 3]
