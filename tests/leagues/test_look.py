"""How a league presents itself: texts, links, colour, logo, and the icons made of them."""

import io
import re
import struct
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image, PngImagePlugin

from leagues.colours import accent_of, as_hex, hero_of, oklch
from leagues.links import Link, check_links, links_in
from leagues.models import AuditEntry, League, Logo, Role
from leagues.models.league import HUE_STEP
from leagues.pictures import LARGEST_FILE, Pictures, pictures_of
from leagues.services import update_league
from leagues.views.look import initial_of
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user
from tests.tabs import filled

CANARY = b"zk7canary"
LOOK = "/apes/settings/"


def picture(
    kind: str = "PNG", size: tuple[int, int] = (300, 200), colour: str = "teal", **options: Any
) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind, **options)
    return file.getvalue()


@pytest.fixture
def league(db) -> League:
    return make_league("apes", name="Apes", owner=make_user("alice"))


@pytest.fixture
def owner(client, league):
    client.force_login(league.organizers.get().user)
    return client


def values(**more: Any) -> dict[str, Any]:
    return {"about": "", "start_text": "", "links": "", "accent_hue": "165"} | more


def upload(data: bytes, name: str = "logo.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


# --- Pictures


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_two_pngs(kind):
    made = pictures_of(picture(kind, (1200, 600)))
    icon, large = (Image.open(io.BytesIO(data)) for data in (made.icon, made.picture))
    assert (icon.format, icon.size, large.format, large.size) == ("PNG", (96, 96), "PNG", (512, 256))
    assert len(made.icon) < 10_000
    assert icon.convert("RGBA").getpixel((48, 5))[3] == 0  # clear above a wide picture
    red, green, blue, alpha = large.convert("RGBA").getpixel((9, 9))
    assert (alpha, red) == (255, pytest.approx(0, abs=9))
    assert (green, blue) == (pytest.approx(128, abs=9), pytest.approx(128, abs=9))


def test_xw_11_only_pixels_are_left_of_it():
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", CANARY.decode())
    for data in (
        picture(pnginfo=notes) + b"<script>" + CANARY,
        picture("JPEG", comment=CANARY, exif=b"Exif\0\0" + CANARY, icc_profile=CANARY),
        picture("WEBP", xmp=CANARY),
    ):
        assert CANARY in data
        made = pictures_of(data)
        assert CANARY not in made.icon + made.picture
        assert b"script" not in made.icon + made.picture


def test_a_photo_is_turned_the_way_it_was_taken():
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    assert Image.open(io.BytesIO(pictures_of(picture("JPEG", (100, 50), exif=exif)).picture)).size == (
        50,
        100,
    )


def bomb() -> bytes:
    """A small PNG that says it has 60,000 by 60,000 pixels."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 100_000)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no picture that can be read"),
        (SVG, "no picture that can be read"),
        (b"<?xml version='1.0'?>" + SVG, "no picture that can be read"),
        (picture("GIF"), "no picture that can be read"),
        (picture("BMP"), "no picture that can be read"),
        (picture()[:150], "no picture that can be read"),
        (picture("JPEG")[:200], "no picture that can be read"),
        (picture("WEBP")[:40], "no picture that can be read"),
        (b"\x89PNG\r\n\x1a\n" + b"\xff" * 500, "no picture that can be read"),
        (bomb(), "can be read|may have 16 million"),
        (picture(size=(5000, 4000)), "5000 × 4000 pixels, and may have 16 million"),
        (picture(size=(31, 400)), "31 × 400 pixels; it needs 32"),
        (b"\0" * (LARGEST_FILE + 1), "larger than 2 MB"),
    ],
)
def test_up_03_xw_11_anything_else_is_refused_with_a_reason(data, reason):
    with pytest.raises(ValidationError, match=reason):
        pictures_of(data)


# --- The page


def test_an_owner_or_manager_changes_the_look(owner, league):
    for user in (league.organizers.get().user, make_organizer(league, Role.MANAGER, "max")):
        owner.force_login(user)
        assert owner.get(LOOK).status_code == 200
        data = values(
            about=f"By {user}", start_text="# Hello", links="Club https://club.example", accent_hue="30"
        )
        assert owner.post(LOOK, data | {"pictures": upload(picture())})["Location"] == "/apes/"
        league.refresh_from_db()
        assert (league.about, league.accent_hue) == (f"By {user}", 30)
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.by) == ("update_league", user)
        assert entry.after["logo"] == league.logo != ""
    page = owner.get("/apes/").content.decode()
    assert "hue-30" in page
    assert "Hello" in page
    assert (
        page.count('<a href="https://club.example" rel="noopener">Club</a>') == 2
    )  # on the page and below it


def test_the_page_is_for_managers(client, league):
    assert client.get(LOOK)["Location"].startswith("/accounts/login/")
    client.force_login(make_user("stranger"))
    assert client.post(LOOK, values()).status_code == 404
    client.force_login(make_organizer(league, Role.SCORER, "carol"))
    assert client.get(LOOK).status_code == 403
    assert client.post(LOOK, values(about="Mine")).status_code == 403
    league.refresh_from_db()
    assert league.about == ""


def test_ma_it_changes_nothing_else(owner, league):
    owner.post(LOOK, values(name="Other", slug="other", visibility="private", host="evil.example", logo="x"))
    league.refresh_from_db()
    assert (league.name, league.slug, league.visibility, league.host, league.logo) == (
        "Apes", "apes", "public", "", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"links": "no address"}, "Line 1: “no address” does not end with an address"),
        ({"links": "Evil javascript:alert(1)"}, "does not end with an address"),
        ({"links": "Plain http://club.example"}, "does not end with an address"),
        ({"accent_hue": "7"}, "Select a valid choice"),
        ({"about": "x" * 2001}, "at most 2000"),
        ({"pictures": upload(SVG, "logo.svg")}, "no picture that can be read"),
        ({"pictures": upload(b"")}, "no picture that can be read"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_saved(owner, league, more, reason):
    answer = owner.post(LOOK, values(about="New") | more)
    assert answer.status_code == 200
    assert reason in answer.content.decode()
    league.refresh_from_db()
    assert (league.about, league.logo) == ("", "")


def test_a_logo_is_taken_away(owner, league):
    update_league(league=league, by=None, pictures=pictures_of(picture()))
    assert "drop_logo" in owner.get(LOOK).content.decode()
    refused = owner.post(LOOK, values(drop_logo="on", pictures=upload(picture())))
    assert "not both" in refused.content.decode()
    owner.post(LOOK, values(drop_logo="on"))
    league.refresh_from_db()
    assert league.logo == ""
    assert not Logo.objects.exists()
    assert owner.get("/apes/logo.png").status_code == 404


def test_the_admin_takes_a_logo_too(owner, league):
    address = f"/admin/leagues/league/{league.pk}/change/"
    assert 'name="pictures"' in owner.get(address).content.decode()
    data = {"name": "Apes", "slug": "apes", "language": "en", "timezone": "UTC", "accent_hue": 165}
    data |= {"visibility": "public", "start_text": "Hi"}
    assert "no picture" in owner.post(address, data | {"pictures": upload(SVG)}).content.decode()
    assert owner.post(address, data | {"pictures": upload(picture())}).status_code == 302
    league.refresh_from_db()
    assert (bool(league.logo), league.start_text) == (True, "Hi")


# --- What is shown


def test_xw_11_the_logo_is_served_as_what_it_is(client, league):
    league = update_league(league=league, by=None, pictures=pictures_of(picture()))
    for name in ("logo.png", "icon.png"):
        answer = client.get(f"/apes/{name}?v={league.logo}")
        assert answer["Content-Type"] == "image/png"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
        assert client.get(f"/apes/{name}", headers={"If-None-Match": answer["ETag"]}).status_code == 304
        assert "immutable" not in client.get(f"/apes/{name}?v=old")["Cache-Control"]
        Image.open(io.BytesIO(answer.content)).verify()
    tag = client.get("/apes/logo.png")["ETag"]
    update_league(league=league, by=None, pictures=pictures_of(picture(colour="red")))
    assert client.get("/apes/logo.png", headers={"If-None-Match": tag}).status_code == 200


def test_xr_13_the_pictures_of_a_private_league_are_private(client, league):
    update_league(league=league, by=None, visibility="private", pictures=pictures_of(picture()))
    for name in ("logo.png", "icon.png", "icon.svg"):
        assert client.get(f"/apes/{name}").status_code == 404
    client.force_login(league.organizers.get().user)
    for name in ("logo.png", "icon.png", "icon.svg"):
        answer = client.get(f"/apes/{name}")
        assert answer.status_code == 200
        assert answer["Cache-Control"].startswith("private")


def test_pages_carry_the_icon_and_tell_others_of_the_logo(client, league, settings):
    settings.MAIN_HOST = "testserver"
    page = client.get("/apes/").content.decode()
    assert '<link rel="icon" href="/apes/icon.svg"' in page
    assert "og:image" not in page
    league = update_league(league=league, by=None, pictures=pictures_of(picture()))
    page = client.get("/apes/").content.decode()
    assert f'<link rel="icon" href="/apes/icon.png?v={league.logo}"' in page
    assert f'og:image" content="http://testserver/apes/logo.png?v={league.logo}"' in page


@pytest.mark.parametrize(
    ("name", "language", "initial"),
    [
        ("Apes", "en", "A"), ("истанбул", "bg", "И"), ("istanbul", "tr", "İ"), ("«5 на 5»", "bg", "5"),
        ("…", "en", ""), ("ßa", "en", "S"), ("<&", "en", ""),
    ],
)  # fmt: skip
def test_without_a_logo_the_icon_is_the_initial_on_the_colour(client, league, name, language, initial):
    League.objects.update(name=name, language=language, accent_hue=30)
    league.refresh_from_db()
    assert initial_of(league) == initial
    answer = client.get("/apes/icon.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert f'fill="{hero_of(30)}"' in answer.content.decode()
    assert (f">{initial}</text>" in answer.content.decode()) == bool(initial)


def test_links_are_lines_that_end_with_an_address():
    text = "Our club https://club.example/a?b=c\n\nhttps://plain.example/\nnothing\nEvil javascript:alert(1)"
    assert links_in(text) == [
        Link("Our club", "https://club.example/a?b=c"),
        Link("plain.example", "https://plain.example/"),
    ]
    with pytest.raises(ValidationError, match="8 are shown at most"):
        check_links("x https://club.example\n" * 9)
    with pytest.raises(ValidationError, match="at most 60 characters"):
        check_links("x" * 61 + " https://club.example")


def test_a_hostile_link_that_was_stored_past_the_form_is_not_shown(client, league):
    League.objects.update(
        links='Evil javascript:alert(1)\n"><b> https://a.example/"><b>\nFine https://b.example'
    )
    page = client.get("/apes/").content.decode()
    assert "javascript:" not in page
    assert "<b>" not in page
    assert "https://b.example" in page


# --- Colours: read from the stylesheet, for every hue a league can choose

CSS = Path(site.BASE_DIR, "static", "css", "base.css").read_text()
THEMES = ("light", "dark")
NUMBER = r"[\d.]+"
COLOUR = re.compile(
    rf"oklch\(({NUMBER}) ({NUMBER}) (?:var\(--accent-h\)|calc\(var\(--accent-h\) \+ (\d+)\)|(\d+))\)"
)
TEXTS = [  # what is written on what
    ("text", ("bg", "surface", "surface-2", "accent-soft")),
    ("muted", ("bg", "surface", "surface-2")),
    ("accent", ("bg", "surface", "surface-2")),
    ("accent-strong", ("surface", "surface-2", "accent-soft")),
    ("on-accent", ("accent",)),
    ("on-hero", ("hero", "hero-deep", "hero-glow")),
    ("on-hero-2", ("hero", "hero-deep", "hero-glow")),
]


def colour(name: str, theme: str, hue: int) -> tuple[float, float, float]:
    """A token of the stylesheet in a theme, for a league of this hue."""
    value = re.search(rf"--{name}: (.+?);\n", CSS)
    assert value, name
    found = COLOUR.findall(value[1])
    lightness, chroma, more, fixed = found[THEMES.index(theme)] if len(found) == 2 else found[0]
    return oklch(float(lightness), float(chroma), float(fixed) if fixed else hue + float(more or 0))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""

    def luminance(channels: tuple[float, ...]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_wcag_does():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    grey = (0x76 / 255,) * 3  # the darkest that is just enough on white
    assert 4.5 < contrast(grey, (1, 1, 1)) < 4.6


def test_oklch_is_converted_as_browsers_do():
    # Red, white and a blue of CSS Color 4, given there in both notations.
    assert as_hex(oklch(0.62796, 0.25768, 29.234)) == "#ff0000"
    assert as_hex(oklch(1, 0, 0)) == "#ffffff"
    assert as_hex(oklch(0.45201, 0.31321, 264.052)) == "#0000ff"


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_of_a_league_keeps_the_contrast(theme):
    too_little = {
        (text, ground, hue): round(ratio, 2)
        for text, grounds in TEXTS
        for ground in grounds
        for hue in range(0, 360, HUE_STEP)
        if (ratio := contrast(colour(text, theme, hue), colour(ground, theme, hue))) < 4.5
    }
    assert too_little == {}


def test_white_is_read_on_icons_and_badges():
    for hue in range(0, 360, HUE_STEP):
        for made in (hero_of(hue), accent_of(hue)):
            channels = tuple(int(made[start : start + 2], 16) / 255 for start in (1, 3, 5))
            assert contrast(channels, (1, 1, 1)) >= 4.5, (hue, made)
    light = [colour(name, "light", 30) for name in ("hero", "accent")]
    assert [as_hex(each) for each in light] == [hero_of(30), accent_of(30)]  # the stylesheet's own


def test_pictures_know_their_digest():
    assert Pictures(b"a", b"b").digest == Pictures(b"a", b"b").digest != Pictures(b"a", b"c").digest


SETTINGS = "/apes/settings/league/"


def test_an_owner_sets_what_the_league_is_called_and_who_sees_it(client, league):
    client.force_login(league.organizers.get().user)
    assert f'href="{SETTINGS}"' in client.get(LOOK).content.decode()
    page = client.get(SETTINGS).content.decode()
    assert "<option>Europe/Sofia</option>" in page
    typed = {"name": "Great apes", "slug": "great-apes", "timezone": "Europe/Sofia"}
    tab = filled(client, SETTINGS, visibility="private", **typed)
    saved = client.post(SETTINGS, tab)
    assert saved["Location"] == "/great-apes/"
    league.refresh_from_db()
    assert {name: getattr(league, name) for name in typed} == typed
    assert (league.visibility, league.in_search_engines) == ("private", False)
    act = AuditEntry.objects.get(action="update_league")
    assert (act.before["name"], act.after["name"]) == ("Apes", "Great apes")
    moved = client.post("/great-apes/settings/league/", tab)
    assert "Somebody else changed this meanwhile" in moved.content.decode()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"timezone": "Sofia"}, "“Sofia” is no time zone"),
        ({"slug": "accounts"}, "accounts"),
        ({"slug": "Apes!"}, "letters, numbers, underscores or hyphens"),
        ({"visibility": "secret"}, "Select a valid choice"),
        ({"name": " "}, "This field is required."),
    ],
)
def test_what_a_league_cannot_be_is_said_at_its_field(client, league, values, sentence):
    client.force_login(league.organizers.get().user)
    answer = client.post(SETTINGS, filled(client, SETTINGS, **values))
    assert answer.status_code == 200
    assert sentence in re.sub(r"(?s).*?errorlist", "", answer.content.decode(), count=1)
    assert not AuditEntry.objects.filter(action="update_league").exists()


def test_games_stay_in_their_season_when_the_zone_is_changed_by_the_page(client, league):
    client.force_login(league.organizers.get().user)
    season = make_season(league)
    ann, bob = make_players(league, "Ann", "Bob")
    make_game(season, (ann, 3), (bob, 2), played_at=season.starts_at + timedelta(minutes=1))
    answer = client.post(SETTINGS, filled(client, SETTINGS, timezone="America/Lima"))
    assert "1 game was played outside these days" in answer.content.decode()
    league.refresh_from_db()
    assert league.timezone == "UTC"


def test_a_manager_sees_the_look_and_not_the_league_settings(client, league):
    client.force_login(make_organizer(league, Role.MANAGER))
    assert SETTINGS not in client.get(LOOK).content.decode()
    assert client.get(SETTINGS).status_code == 403
    assert client.post(SETTINGS, {"name": "Mine"}).status_code == 403
