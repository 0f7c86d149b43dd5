"""Text stays text: what people type is never markup, never a template and never a formula.

The texts are written past every form into each text field that the models of a league have, found by
looking, and then each page, file and JSON document is read.
"""

import csv
import io
import json
import re
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.apps import apps
from django.db import models
from django.db.models import QuerySet
from django.urls import reverse

from leagues.games_csv import read_games
from leagues.models import AuditEntry, Game, Player, Season, Side
from leagues.pictures import Pictures
from leagues.services import (
    PlayedSide,
    add_adjustment,
    add_alias,
    cancel_adjustment,
    correct_game,
    create_team,
    import_games,
    update_league,
    void_game,
)
from leagues.services.games import played_sides
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from ratings.views.files import XLSX
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed
from tests.routes import admin_addresses, answer, api_addresses, pages

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

MARKUP = "\"'></script></title><canary-tag oncanary=\"1\">&lt;{{ 6|add:7 }}{% now 'Y' %}"
FORMULA = "=cmd|' /C calc'!A0"
HIDDEN_FORMULA = f"Ann;{FORMULA};"  # a cell of its own where semicolons part cells
# Not told to anybody as they stand, or read by the site itself.
MACHINE_TEXTS = {
    "search",
    "sort_key",
    "key",
    "member_key",
    "object_type",
    "k_reason",
    "object_id",
    "action",
    "timezone",
    "host",
    "address",
    "secret",
    "remote_id",
    "logo",
}
FILES = (
    "application/json", "text/csv", "text/plain", "image/svg+xml", "application/xml", "application/atom+xml",
    "text/calendar",
)  # fmt: skip
FIRST_SIGNS = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


class Canaries(HTMLParser):
    """What of MARKUP a browser would take for markup."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [name for name in (tag, *(name for name, _value in attrs)) if "canary" in name]


def text_fields(model: Any) -> list[Any]:
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not isinstance(field, models.SlugField)
        and not field.choices
        and field.name not in MACHINE_TEXTS
    ]


def fill(text: str) -> set[str]:
    """Write the text into every text of the leagues; the names of the fields."""
    filled = set()
    for app in ("leagues", "ratings"):
        for model in apps.get_app_config(app).get_models():
            for field in text_fields(model):
                rows: list[Any] = list(model._base_manager.all())
                if field.name in (
                    "void_reason",
                    "cancel_reason",
                ):  # none without what was voided or cancelled
                    rows = [row for row in rows if getattr(row, field.name)]
                for row in rows:
                    value = getattr(row, field.name)
                    new = (
                        in_json(value, text)
                        if isinstance(field, models.JSONField)
                        else text[: field.max_length]
                    )
                    setattr(row, field.name, new)
                # A plain queryset, for the log is only added to and a closed season is final.
                QuerySet(model).bulk_update(rows, [field.name], batch_size=200)
                filled.add(f"{model._meta.model_name}.{field.name}")
    return filled


def in_json(value: Any, text: str) -> Any:
    """The value with the text for each of its texts but those a program reads."""
    if isinstance(value, dict):
        return {key: in_json(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [in_json(each, text) for each in value]
    is_told = isinstance(value, str) and not re.match(
        r"-?\d|(open|closed|rating|duels_won|first_places|games|played)$", value
    )
    return text if is_told else value


@pytest.fixture
def season() -> Season:
    """A season with something of everything, corrected and replayed."""
    owner = make_user("owner", is_superuser=True, is_staff=True)
    league = make_league("apes", owner=owner, about="About")
    league = update_league(
        league=league, by=owner, links="Link https://a.example", pictures=Pictures(b"i", b"p")
    )
    season = make_season(league, slug="now")
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    for hour in range(5):
        played_at = season.starts_at + timedelta(hours=hour)
        make_game(season, (ann, 10 * hour), (bob, 25), (cyd, 3), played_at=played_at, note="Note", by=owner)
    make_game(season, ([ann, bob], 5), (cyd, 3), played_at=season.starts_at + timedelta(days=2), by=owner)
    create_team(league=league, name="Team", members=[ann, bob], by=owner)
    add_alias(player=ann, name="Annie", by=owner)
    tier = PrizeTier(name="First", text="A cup", first_place=1, last_place=1, amount=5, unit="km")
    change_prize_tiers(season=season, saved=[tier], by=owner)
    told: dict[str, Any] = {"season": season, "player": ann, "at": season.starts_at, "by": owner}
    add_adjustment(change=-50, reason="Late", **told)
    replayed(season)
    cancel_adjustment(adjustment=add_adjustment(change=7, reason="Fair", **told), reason="Not so", by=owner)
    first, second = Game.objects.filter(season=season).in_play_order().with_sides()[:2]
    sides = [PlayedSide(side.members, side.points + 1) for side in played_sides(first)]
    correct_game(game=first, played_at=first.played_at, sides=sides, note="Other", by=owner)
    void_game(game=second, reason="Reason", by=owner)
    return replayed(season)


def addresses(season: Season) -> list[str]:
    player = Player.objects.order_by("pk")[0]
    rated, voided = Game.objects.counted().earliest("pk"), Game.objects.exclude(voided_at=None)[0]
    return [
        address
        for game in (rated, voided)
        for address in (*pages(season, player, game), *api_addresses(season, player, game))
    ] + [*admin_addresses(), reverse("admin:index")]


def test_the_parser_does_find_what_it_looks_for():
    assert Canaries(f"<title>{MARKUP}").found == ["canary-tag", "oncanary"]
    assert Canaries('<p title="&quot;\'&gt;&lt;canary-tag oncanary=&quot;1&quot;&gt;">').found == []


def test_xs_01_markup_is_shown_as_it_was_typed(client, season):
    filled = fill(MARKUP)
    assert {"player.name", "game.note", "game.void_reason", "auditentry.after", "prizetier.text"} <= filled
    client.force_login(season.league.organizers.get().user)
    shown = 0
    for address in addresses(season):
        response, text = answer(client, address)
        assert response.status_code == 200, address
        kind = response["Content-Type"].partition(";")[0]
        if kind == "text/html":
            assert Canaries(text).found == [], address
            assert "13&#x27;" not in text, address  # no template was run on it
            shown += "&lt;canary-tag" in text
        else:
            assert kind in (*FILES, XLSX), address
            assert not kind.endswith("xml") or Canaries(text).found == [], address
            assert response["X-Content-Type-Options"] == "nosniff", address
    assert shown > 20  # the pages do tell these texts


def test_xs_02_no_cell_of_a_file_is_a_formula(client, season):
    fill(FORMULA)
    client.force_login(season.league.organizers.get().user)
    files = workbooks = 0
    for address in addresses(season):
        response, text = answer(client, address)
        if response["Content-Type"] == XLSX:
            workbooks += 1
            assert "<f>" not in text, address
            assert "<f " not in text, address
            assert FORMULA in unescape(text) or "changes" in address, address
        elif response["Content-Type"].startswith("text/csv"):
            files += 1
            cells = [cell for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) for cell in row]
            live = [cell for cell in cells if FIRST_SIGNS.match(cell) and not NUMBER.fullmatch(cell)]
            assert live == [], address
            assert any(cell.startswith(f"'{FORMULA}") for cell in cells) or "changes" in address, address
        elif response["Content-Type"].startswith("application/json"):
            json.loads(text)
    assert files >= 5
    assert workbooks == files


def test_xs_02_no_cell_is_a_formula_where_semicolons_part_cells(client, season):
    """So spreadsheets read files in Bulgarian and Turkish; quotes within such a cell are no quotes."""
    fill(HIDDEN_FORMULA)
    client.force_login(season.league.organizers.get().user)
    files = [address for address in addresses(season) if address.endswith(".csv")]
    for address in files:
        _response, text = answer(client, address)
        assert HIDDEN_FORMULA.partition(";")[0] in text, address
        assert f";{FORMULA}" not in text, address
    assert len(files) >= 5


@pytest.mark.parametrize(
    "name",
    [
        '=HYPERLINK("http://x","y")', "+1", "-1+1", "@x", "'=x", "'@", "-5", "<script>x</script>", "a, b; c",
        'say "x"', "{{ 7 }}", "x" * 100, "ﬁ", "Ö" * 100, "＝1", "x;=1;'-2; @y",
    ],
)  # fmt: skip
def test_xs_02_r103_a_name_comes_back_from_its_file_as_it_was(client, name):
    season = make_season(make_league("apes"), slug="now")
    odd, bob = make_players(season.league, name, "Bob")
    make_game(season, (odd, 5), (bob, -3), note=name)
    data = b"".join(client.get("/apes/now/games.csv").streaming_content)
    other = make_season(make_league("bees"), slug="now")
    file = read_games(data, timezone=other.league.zone)
    import_games(season=other, file=file, create_players=True, by=None)
    game = Game.objects.with_sides().get(season=other)
    assert [side.members[0].name for side in played_sides(game)] == [odd.name, "Bob"]
    assert game.note == Game.objects.get(season=season).note
    assert Side.objects.filter(game=game, points=-3).exists()


def test_xs_03_signs_that_turn_a_line_around_or_hide_do_not_come_into_a_name(season):
    (player,) = make_players(season.league, "A\u202ennA\u200b\x00\tB")
    assert player.name == "AnnA B"
    assert AuditEntry.objects.latest("pk").object_name == "AnnA B"
