"""Every page in Bulgarian and Turkish: nothing is left in English, numbers and dates are the language's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.conf import LazySettings, settings
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation import ngettext

from leagues.models import League, Role, Season
from leagues.services import void_game
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed
from tests.translations import LANGUAGES, ROOT, catalogue_path, faults, read_catalogue

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

LEAST_LETTERS = 12  # shorter texts may be a part of a name or of a translation
READ_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt")
UNREAD = {"script", "style", "code"}

in_each_language = pytest.mark.parametrize("language", LANGUAGES)


class Page(HTMLParser):
    """The texts and the links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self._unread = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._unread += tag in UNREAD
        if tag == "a":
            self.links.append(values.get("href") or "")
        self.texts.extend(values.get(name) or "" for name in READ_ATTRIBUTES)

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(re.sub(r"\s+", " ", text) for text in self.texts)


@cache
def english_texts(language: str) -> list[str]:
    """What must not be read in this language: the longer pieces of English texts between placeholders."""
    texts = []
    for message in read_catalogue(catalogue_path(ROOT, language), language):
        english = [message.id] if isinstance(message.id, str) else list(message.id)
        if message.string not in (message.id, ""):
            texts += [piece.strip() for text in english for piece in re.split(r"%\(\w+\)[sd]|%%s", text)]
    return [text for text in texts if sum(letter.isalpha() for letter in text) >= LEAST_LETTERS]


def left_in_english(text: str, language: str) -> list[str]:
    return [english for english in english_texts(language) if english in text]


def reader(language: str) -> Client:
    client = Client()
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    return client


def read(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return Page(answer.content.decode()).text


def pages(client: Client, start: str) -> Iterator[tuple[str, str]]:
    """Address and text of every page that links lead to from the first one, each path once."""
    waiting, known = [start], set()
    while waiting:
        address = urldefrag(waiting.pop()).url
        path = urlsplit(address).path
        if path in known or urlsplit(address).netloc or path.startswith(("/admin/", "/api/")):
            continue  # what describes the API is English, and marked as such
        known.add(path)
        answer = client.get(address)
        assert answer.status_code == 200, address
        if answer["Content-Type"].startswith("text/html"):
            page = Page(answer.content.decode())
            waiting += [urljoin(address, link) for link in page.links]
            yield address, page.text


@pytest.fixture(autouse=True)
def uploads(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path


@pytest.fixture
def league() -> League:
    return make_league("series", name="Серия", language="bg", timezone="Europe/Sofia", about="Играем заедно.")


@pytest.fixture
def season(league: League) -> Season:
    """A season with a win, a draw, a game of teams, a voided one, a prize, and a player without a game."""
    season = make_season(league, name="2026")
    zahari, valya, marina, dobri, _ = make_players(league, "Захари", "Валя", "Марина", "Добри", "Емо")
    make_game(season, (zahari, 500), (valya, 0), played_at=datetime(2026, 5, 31, 21, 30, tzinfo=UTC))
    make_game(season, (valya, 5), (marina, 5), (dobri, 1), played_at=datetime(2026, 6, 2, tzinfo=UTC))
    make_game(season, ([zahari, valya], 7), ([marina, dobri], 8), played_at=datetime(2026, 6, 3, tzinfo=UTC))
    void_game(
        game=make_game(season, (marina, 1), (dobri, 0), played_at=datetime(2026, 6, 4, tzinfo=UTC)),
        reason="Повторена",
        by=None,
    )
    prize = PrizeTier(
        name="Билет", first_place=1, last_place=1, amount=Decimal(1000), per_participant=True, unit="км"
    )
    change_prize_tiers(season=season, by=None, saved=[prize])
    return replayed(season)


@pytest.fixture
def ladder() -> Season:
    league = make_league("arena", name="Arena", language="tr", timezone="Europe/Istanbul")
    season = make_season(league, preset="ranked-battle", name="2026", duels_only=True)
    buz, kara = make_players(league, "Buz", "Kara")
    make_game(season, (buz, 1), (kara, 0))
    return replayed(season)


@in_each_language
def test_the_catalogue_is_complete(language: str) -> None:
    assert list(faults(language, source=None)) == []


@in_each_language
def test_texts_left_in_english_are_found(language: str, season: Season) -> None:
    text = read(reader("en"), season.get_absolute_url())
    assert "What the columns say" in left_in_english(text, language)


@in_each_language
def test_no_public_page_is_left_in_english(language: str, season: Season, ladder: Season) -> None:
    make_league("empty", name="Празна")
    make_season(make_league("new", name="Нова"), name="2026")
    read_pages = dict(pages(reader(language), "/"))
    assert {season.get_absolute_url(), ladder.get_absolute_url(), "/empty/", "/new/"} <= set(read_pages)
    left = {address: left_in_english(text, language) for address, text in read_pages.items()}
    assert {address: texts for address, texts in left.items() if texts} == {}


@in_each_language
def test_no_page_of_organizers_is_left_in_english(language: str, league: League, season: Season) -> None:
    client = reader(language)
    client.force_login(make_organizer(league, Role.OWNER, username="zahari"))
    read_pages = dict(pages(client, reverse("leagues:directory")))
    names = ("leagues:game-create", "leagues:import")
    assert {reverse(name, args=[league.slug, season.slug]) for name in names} <= set(read_pages)
    left = {address: left_in_english(text, language) for address, text in read_pages.items()}
    assert {address: texts for address, texts in left.items() if texts} == {}


@in_each_language
def test_the_admin_of_organizers_is_not_left_in_english(
    language: str, league: League, season: Season
) -> None:
    client = reader(language)
    client.force_login(make_organizer(league, Role.OWNER))
    game = season.games.earliest("pk")
    for address in (
        reverse("admin:index"),
        reverse("admin:leagues_league_change", args=[league.pk]),
        reverse("admin:leagues_season_change", args=[season.pk]),
        reverse("admin:leagues_season_add"),
        reverse("admin:leagues_game_changelist"),
        reverse("admin:leagues_game_change", args=[game.pk]),
        reverse("admin:leagues_player_changelist"),
        reverse("admin:leagues_auditentry_changelist"),
        reverse("admin:ratings_standing_changelist"),
    ):
        assert left_in_english(read(client, address), language) == [], address


def test_the_admin_says_in_bulgarian_what_djangos_own_catalogue_lacks(league: League) -> None:
    client = reader("bg")
    client.force_login(make_organizer(league, Role.OWNER))
    text = read(client, reverse("admin:index"))
    assert [
        english for english in ("Model name", "Add link", "Change or view list link") if english in text
    ] == []
    assert "Име на модела" in text
    with translation.override("bg"), pytest.raises(ValidationError, match=r"твърде къса.*поне 8 знака"):
        MinimumLengthValidator(8).validate("short")


@in_each_language
def test_a_refused_game_is_not_left_in_english(language: str, league: League, season: Season) -> None:
    client = reader(language)
    client.force_login(make_organizer(league))
    address = reverse("leagues:game-create", args=[league.slug, season.slug])
    answer = client.post(address, {"side-TOTAL_FORMS": "2", "side-INITIAL_FORMS": "0", "played_at": "?"})
    text = Page(answer.content.decode()).text
    with translation.override(language):
        assert translation.gettext("Choose at least one player.") in text
    assert left_in_english(text, language) == []


@in_each_language
def test_a_refused_file_is_not_left_in_english(language: str, league: League, season: Season) -> None:
    client = reader(language)
    client.force_login(make_organizer(league, Role.MANAGER))
    lines = b"played_at,side 1,points 1,side 2,points 2,colour\nsoon,X,1.5,X,2,red\n"
    address = reverse("leagues:import", args=[league.slug, season.slug])
    answer = client.post(address, {"file": SimpleUploadedFile("games.csv", lines)})
    text = Page(answer.content.decode()).text
    with translation.override(language):
        assert translation.gettext("What is wrong") in text
    assert left_in_english(text, language) == []


@in_each_language
def test_a_missing_page_is_not_left_in_english(language: str) -> None:
    text = read(reader(language), "/nowhere/", status=404)
    with translation.override(language):
        assert translation.gettext("There is no such page") in text
    assert left_in_english(text, language) == []


@pytest.mark.parametrize(("language", "written"), [("bg", "1520,0"), ("tr", "1520,0"), ("en", "1520.0")])
def test_decimals_are_written_as_the_language_does(language: str, written: str, season: Season) -> None:
    """500 : 0 between equals is worth 20 points: 10 × 4.0 × 0.5."""
    game = season.games.earliest("played_at")
    text = read(reader(language), game.get_absolute_url())
    assert written in text
    assert ("1520,0" in text, "1520.0" in text) == ("," in written, "." in written)


@pytest.mark.parametrize(
    ("language", "written"),
    [("bg", "1 юни 2026 г., 00:30"), ("tr", "1 Haziran 2026, 00:30"), ("en", "1 June 2026, 00:30")],
)
def test_moments_are_in_the_leagues_zone(language: str, written: str, season: Season) -> None:
    """The first game was played at 21:30 UTC, when it was half past midnight in Sofia."""
    game = season.games.earliest("played_at")
    text = read(reader(language), game.get_absolute_url())
    assert written in text.replace("\N{NO-BREAK SPACE}", " ")


def test_a_league_speaks_its_language_unless_the_reader_chose_another(season: Season) -> None:
    address = season.get_absolute_url()
    assert "Класация" in read(Client(), address)
    assert "Sıralama" in read(reader("tr"), address)
    assert "Standings" in read(reader("en"), address)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("bg", ["още 1 игра", "още 2 игри", "още 5 игри"]),
        ("tr", ["1 maç daha", "2 maç daha", "5 maç daha"]),
    ],
)
def test_plural_forms_follow_the_number(language: str, written: list[str]) -> None:
    with translation.override(language):
        texts = [
            ngettext("%(count)d more game", "%(count)d more games", count) % {"count": count}
            for count in (1, 2, 5)
        ]
    assert texts == written


def test_the_day_of_a_season_is_written_as_the_language_does(league: League) -> None:
    season = make_season(league, starts_on=date(2026, 3, 5), ends_on=date(2026, 11, 29))
    assert "5.03.2026" in read(reader("bg"), season.get_absolute_url())
    assert "5 Mar 2026" in read(reader("tr"), season.get_absolute_url())


def test_r71_every_page_of_a_league_names_the_zone_of_its_times(season: Season) -> None:
    assert "Източноевропейско време (Europe/Sofia)" in read(reader("bg"), season.get_absolute_url())
