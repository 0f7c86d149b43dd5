"""A form that makes something makes it once, however often it is sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leagues.models import Adjustment, ApiToken, League, Season, Webhook
from leagues.services import cancel_adjustment, revoke_api_token
from ratings.models import PrizeTier
from tests.factories import make_game, make_league, make_players, make_season, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

TWIN = "Exactly this is there already"
OF_A_SEASON = {"games_from": "organizers", "report_hours": "48", "unanswered": "accepted", "state": "open"}
FORMS: dict[str, tuple[str, dict[str, str], Any]] = {
    "a league": ("/leagues/new/", {"name": "Bees", "timezone": "UTC", "visibility": "public"}, League),
    "a season": (
        "/apes/add-season/",
        {"like": "now", "name": "Next", "starts_on": "2027-01-01", "ends_on": "2027-12-31"} | OF_A_SEASON,
        Season,
    ),
    "a prize": ("/apes/now/prizes/new/", {"name": "Cup", "first_place": "1", "tie_rule": "share"}, PrizeTier),
    "an adjustment": (
        "/apes/now/adjustments/new/",
        {"player": "ann", "change": "-5", "at": "2026-05-03T18:00", "reason": " Late "},
        Adjustment,
    ),
    "a token": ("/apes/tokens/", {"name": "Bot", "scope": "write"}, ApiToken),
    "a webhook": ("/apes/webhooks/", {"kind": "json", "address": "https://example.org/hook"}, Webhook),
}


@pytest.fixture
def season(client: Client, settings: Any) -> Season:
    """A season in which Ann and Bob have met, with its league's owner signed in, who may make leagues."""
    settings.USERS_CREATE_LEAGUES = True
    owner = make_user("owner")
    client.force_login(owner)
    season = make_season(make_league("apes", owner=owner), slug="now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 30), (bob, 20))
    return season


@pytest.mark.parametrize("made", FORMS)
def test_a_form_sent_twice_makes_one(client: Client, season: Season, made: str) -> None:
    address, typed, rows = FORMS[made]
    typed = {"language": "en"} | typed
    before = rows.objects.count()
    first = client.post(address, typed)
    assert TWIN not in first.content.decode()
    assert rows.objects.count() == before + 1
    assert TWIN in client.post(address, typed).content.decode()
    assert rows.objects.count() == before + 1
    other = {"reason": "Late again"} if made == "an adjustment" else {"name": "Other"}
    if made == "a webhook":
        other = {"address": "https://example.org/other"}
    client.post(address, typed | other)
    assert rows.objects.count() == before + 2, "control: what differs is another one"


def test_what_was_taken_back_can_be_made_again(client: Client, season: Season) -> None:
    for made in ("an adjustment", "a token"):
        address, typed, rows = FORMS[made]
        client.post(address, typed)
        (row,) = rows.objects.all()
        if made == "a token":
            revoke_api_token(token=row, by=row.created_by)
        else:
            cancel_adjustment(adjustment=row, reason="Was in time", by=None)
        assert TWIN not in client.post(address, typed).content.decode()
        assert rows.objects.count() == 2
