"""All that a league knows of one person, as a JSON object for that person."""

from __future__ import annotations

from typing import Any

from leagues.models import Adjustment, Challenge, Entry, Game, GameReport, Player
from leagues.services.game_reports import reported_sides
from leagues.services.privacy import log_of
from ratings.models import RatingChange, Standing

STANDING = ("place", "season_score", "rating", "peak", "played", "wins", "draws", "losses", "first_places")


def data_of(player: Player) -> dict[str, Any]:
    """The player's names, seasons, games and log. Ratings are in tenths of a point; the player's own
    games tell whom they were played with, and no more of those others than the season's pages do.
    """
    return {
        "league": player.league.name,
        "name": player.name,
        "address": player.slug,
        "account": player.user and player.user.get_username(),
        "year_of_birth": player.birth_year,
        "other_names": list(player.aliases.values_list("name", flat=True)),
        "former_addresses": list(player.former_addresses.values_list("slug", flat=True)),
        "teams": list(player.teams.values_list("name", flat=True)),
        "seasons": _seasons(player),
        "games": _games(player),
        "challenges": _challenges(player),
        "reports": _reports(player),
        "adjustments": _adjustments(player),
        "log": _log(player),
    }


def _seasons(player: Player) -> list[dict[str, Any]]:
    standings = {
        row["season_id"]: row for row in Standing.objects.filter(player=player).values("season_id", *STANDING)
    }
    return [
        {
            "season": entry.season.name,
            "entered_at": entry.entered_at,
            "withdrawn_at": entry.withdrawn_at,
            **{name: standings.get(entry.season_id, {}).get(name) for name in STANDING},
        }
        for entry in Entry.objects.filter(player=player).select_related("season")
    ]


def _games(player: Player) -> list[dict[str, Any]]:
    changes = {row.game_id: row for row in RatingChange.objects.filter(player=player)}
    games = Game.objects.filter(seats__player=player).select_related("season").with_sides()
    return [
        {
            "season": game.season.name,
            "played_at": game.played_at,
            "sides": [
                {"players": [seat.player.name for seat in side.members.all()], "points": side.points}
                for side in game.sides.all()
            ],
            "note": game.note,
            "kind": game.kind,
            "voided": game.void_reason or None,
            "rating_before": changes[game.pk].before if game.pk in changes else None,
            "rating_after": changes[game.pk].after if game.pk in changes else None,
        }
        for game in games.in_play_order()
    ]


def _challenges(player: Player) -> list[dict[str, Any]]:
    challenges = Challenge.objects.of_player(player).select_related("season", "challenger", "opponent")
    return [
        {
            "season": challenge.season.name,
            "challenger": challenge.challenger.name,
            "opponent": challenge.opponent.name,
            "state": challenge.state,
            "issued_at": challenge.issued_at,
            "decided_at": challenge.decided_at,
            "reason": challenge.reason,
        }
        for challenge in challenges.order_by("pk")
    ]


def _reports(player: Player) -> list[dict[str, Any]]:
    """Games that were reported of the player, by whomever."""
    reports = GameReport.objects.of_player(player).select_related("season").with_seats()
    return [
        {
            "season": report.season.name,
            "played_at": report.played_at,
            "reported_by": report.reporter.name,
            "reported_at": report.reported_at,
            "sides": [
                {"players": [member.name for member in side.members], "points": side.points}
                for side in reported_sides(report)
            ],
            "note": report.note,
            "kind": report.kind,
            "state": report.state,
            "reason": report.reason,
        }
        for report in reports.order_by("pk")
    ]


def _adjustments(player: Player) -> list[dict[str, Any]]:
    found = Adjustment.objects.filter(player=player).select_related("season")
    return [
        {
            "season": adjustment.season.name,
            "in_effect_from": adjustment.at,
            "change": adjustment.change,
            "reason": adjustment.reason,
            "cancelled_at": adjustment.cancelled_at,
            "cancelled": adjustment.cancel_reason or None,
        }
        for adjustment in found.in_play_order()
    ]


def _log(player: Player) -> list[dict[str, Any]]:
    return [
        {"at": entry.at, "action": entry.action, "before": entry.before, "after": entry.after}
        for entry in log_of(player).order_by("pk")
    ]
