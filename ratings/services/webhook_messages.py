"""What a webhook is told of a game, and how each kind wants to be told. docs/webhooks.md is for receivers."""

from __future__ import annotations

import hmac
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_number, format_ordinal
from leagues.models import Announcement, Game, Season, Webhook
from leagues.services.webhooks import PREFIX
from leagues.tenancy.hosts import public_address
from ratings.models import Standing
from ratings.services.game_values import values_of
from ratings.services.history import ListedGame, listed

IMPORTED, TAKEN_BACK = "import_games", "undo_games"  # acts on a file of games
LONGEST = 1900  # letters of a message to a chat; Discord takes 2000
_DISCORD_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>@<:])")


class Event(StrEnum):
    """What happened, as JSON calls it."""

    RECORDED = "game.recorded"
    CORRECTED = "game.corrected"
    VOIDED = "game.voided"
    RESTORED = "game.restored"
    DELETED = "game.deleted"
    IMPORTED = "games.imported"
    TAKEN_BACK = "games.taken-back"


@dataclass(frozen=True, slots=True)
class Told:
    """What is told, in the active language: a headline, further lines, and the same as data."""

    event: Event
    at: datetime
    league: str
    season: str
    headline: str
    lines: tuple[str, ...]
    page: str  # a whole address
    data: dict[str, Any]


def told(announcement: Announcement) -> Told | None:
    """What to tell now: the game as it is now. None where there is nothing, or nothing any more.

    A game that went before anybody was told of it is not spoken of.
    """
    season: Season = announcement.season
    if announcement.game_id is None:
        return _of_file(announcement, season)
    game = Game.objects.filter(season=season, pk=announcement.game_id or 0).with_sides().first()
    if game is None or game.is_voided:
        if announcement.sent_at is None:
            return None
        return _of_game(announcement, season, game) if game else _of_deleted(announcement, season)
    if not Game.objects.counted().filter(pk=game.pk).exists():
        return None
    return _of_game(announcement, season, game)


def _of_game(announcement: Announcement, season: Season, game: Game) -> Told:
    game.season = season
    (row,) = listed([game], season.league)
    places = _places(season, row)
    if game.is_voided:
        lines = [_("This game does not count: %(reason)s") % {"reason": game.void_reason}]
    else:
        lines = [row.told_changes or _("This game is not rated yet."), _told_places(row, places), game.note]
    return Told(
        event=_event(announcement, game),
        at=announcement.act.at,
        league=season.league.name,
        season=season.name,
        headline=row.title,
        lines=tuple(line for line in lines if line),
        page=public_address(season.league, game.get_absolute_url()),
        data=_about(season) | {"game": _game_data(row, places)},
    )


def _event(announcement: Announcement, game: Game) -> Event:
    if game.is_voided:
        return Event.VOIDED
    if announcement.sent_at is None:
        return Event.RECORDED
    return Event.RESTORED if announcement.act.action == "restore_game" else Event.CORRECTED


def _of_deleted(announcement: Announcement, season: Season) -> Told:
    sides = (announcement.act.before or {}).get("sides") or []
    names = " – ".join(f"{' + '.join(side['players'])} {format_number(side['points'])}" for side in sides)
    return Told(
        event=Event.DELETED,
        at=announcement.act.at,
        league=season.league.name,
        season=season.name,
        headline=names or _("A game"),
        lines=(),
        page=public_address(season.league, season.get_absolute_url()),
        data=_about(season) | {"game": {"id": announcement.game_id}},
    )


def _of_file(announcement: Announcement, season: Season) -> Told | None:
    act = announcement.act
    is_new = act.action == IMPORTED
    games = ((act.after if is_new else act.before) or {}).get("games", 0)
    if not games:
        return None
    if is_new:
        sentence = ngettext("%(count)s game from a file", "%(count)s games from a file", games)
    else:
        sentence = ngettext(
            "%(count)s game from a file taken back", "%(count)s games from a file taken back", games
        )
    return Told(
        event=Event.IMPORTED if is_new else Event.TAKEN_BACK,
        at=announcement.act.at,
        league=season.league.name,
        season=season.name,
        headline=sentence % {"count": games},
        lines=(),
        page=public_address(season.league, season.get_absolute_url()),
        data=_about(season) | {"games": games},
    )


def _about(season: Season) -> dict[str, Any]:
    return {"league": season.league.slug, "season": season.slug}


def _places(season: Season, row: ListedGame) -> dict[int, int]:
    """The place of each player of the game who has one, by player id."""
    players = [player.pk for side in row.sides for player in side.members]
    placed = Standing.objects.filter(season=season, player__in=players).values_list("player_id", "place")
    return {player: place for player, place in placed if place is not None}


def _told_places(row: ListedGame, places: Mapping[int, int]) -> str:
    """Where the players stand now: “Places now: Захари 1st, Добри 4th”."""
    players = [player for side in row.sides for player in side.members if player.pk in places]
    if not players:
        return ""
    players.sort(key=lambda player: places[player.pk])
    each = ", ".join(f"{player.name} {format_ordinal(places[player.pk])}" for player in players)
    return _("Places now: %(places)s") % {"places": each}


def _game_data(row: ListedGame, places: Mapping[int, int]) -> dict[str, Any]:
    """The game as the API has it, with the reason where it is voided and the places of its players."""
    values = values_of(row, row.game.season.league.zone)
    for side, listed_side in zip(values["sides"], row.sides, strict=True):
        for member, player in zip(side["members"], listed_side.members, strict=True):
            member["place"] = places.get(player.pk)
    return values | {"void_reason": row.game.void_reason}


# --- How each kind is told


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent to an address, by which method, with which headers."""

    method: str
    address: str
    body: bytes
    headers: dict[str, str]


def letter(hook: Webhook, announcement: Announcement, message: Told) -> Letter:
    """The message as this hook wants it; one that Discord has already is edited."""
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "wsd-site"}
    if hook.kind == Webhook.Kind.JSON:
        body = _dump(
            {
                "type": message.event,
                "timestamp": message.at.isoformat(),
                "data": message.data | {"url": message.page},
            }
        )
        name = f"msg_{announcement.pk}_{announcement.act_id}"
        return Letter("POST", hook.address, body, headers | signature(hook.secret, name, body))
    if hook.kind == Webhook.Kind.SLACK:
        return Letter("POST", hook.address, _dump(_slack(message)), headers)
    path, _mark, query = hook.address.partition("?")
    if announcement.remote_id:
        path, method = f"{path}/messages/{announcement.remote_id}", "PATCH"
    else:
        query, method = f"{query}&wait=true".lstrip("&"), "POST"
    address = f"{path}?{query}" if query else path
    return Letter(method, address, _dump(_discord(message, is_edited=bool(announcement.remote_id))), headers)


def signature(secret: str, name: str, body: bytes, at: datetime | None = None) -> dict[str, str]:
    """Headers of Standard Webhooks by which a receiver knows who sent a body, when, and that it is whole."""
    seconds = int((at or timezone.now()).timestamp())
    key = b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key, f"{name}.{seconds}.".encode() + body, sha256)
    return {
        "webhook-id": name,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{b64encode(digest).decode()}",
    }


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _mark(event: Event) -> str:
    """The word that marks what is told once more; empty for what is told first."""
    return {
        Event.CORRECTED: _("Corrected"),
        Event.VOIDED: _("Does not count"),
        Event.RESTORED: _("Counts again"),
        Event.DELETED: _("Deleted"),
    }.get(event, "")


def _slack(message: Told) -> dict[str, Any]:
    text = _text(message, _mark(message.event), bold="*", escaped=_for_slack)
    return {"text": text, "unfurl_links": False}


def _text(message: Told, mark: str, *, bold: str, escaped: Callable[[str], str]) -> str:
    """The lines for a chat: whose game, the marked headline, what more there is, and the page."""
    first = f"{bold}{escaped(message.league)} · {escaped(message.season)}{bold}"
    headline = f"{mark}: {message.headline}" if mark else message.headline
    text = "\n".join([first, *map(escaped, [headline, *message.lines])])[:LONGEST]
    return f"{text}\n<{message.page}>"


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _discord(message: Told, *, is_edited: bool) -> dict[str, Any]:
    """An edited message says by itself that it was edited; only what no longer counts is marked in it."""
    mark = "" if is_edited and message.event == Event.RESTORED else _mark(message.event)
    # No name of a player calls everybody of a channel.
    return {
        "content": _text(message, mark, bold="**", escaped=_for_discord),
        "allowed_mentions": {"parse": []},
    }


def _for_discord(text: str) -> str:
    return _DISCORD_SIGNS.sub(r"\\\1", text)
