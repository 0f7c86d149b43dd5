"""What the admin shows of the audit log. Django's own log knows no league, so it is not used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.apps import apps
from django.db.models import DateField, DateTimeField, Model
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leagues.formats import NOTHING, format_day, format_moment
from leagues.models import AuditEntry
from leagues.services.audit import UNDO

ACTS = {
    "create_league": _("league created"),
    "update_league": _("league changed"),
    "import_league": _("league taken out of its box"),
    "add_organizer": _("organizer added"),
    "change_role": _("role changed"),
    "remove_organizer": _("organizer removed"),
    "invite_organizer": _("organizer invited"),
    "revoke_invitation": _("invitation taken back"),
    "accept_invitation": _("invitation accepted"),
    "create_api_token": _("API token made"),
    "revoke_api_token": _("API token revoked"),
    "create_webhook": _("webhook added"),
    "switch_webhook": _("webhook switched on or off"),
    "delete_webhook": _("webhook deleted"),
    "create_player": _("player added"),
    "add_players": _("players added"),
    "update_player": _("player changed"),
    "mark_players": _("players marked"),
    "delete_player": _("player deleted"),
    "anonymise_player": _("player anonymised"),
    "merge_players": _("players merged"),
    "undo_merge": _("merge taken back"),
    "invite_player": _("link made for a player"),
    "claim_player": _("player claimed"),
    "release_player": _("player released"),
    "add_alias": _("other name added"),
    "remove_alias": _("other name removed"),
    "create_team": _("team added"),
    "update_team": _("team changed"),
    "delete_team": _("team deleted"),
    "create_season": _("season created"),
    "update_season": _("season changed"),
    "delete_season": _("season deleted"),
    "change_rules": _("rules changed"),
    "change_prize_tiers": _("prizes changed"),
    "enter_player": _("player entered"),
    "withdraw_player": _("player withdrawn"),
    "reinstate_player": _("withdrawal taken back"),
    "remove_entry": _("entry removed"),
    "record_game": _("game recorded"),
    "correct_game": _("game corrected"),
    "void_game": _("game voided"),
    "restore_game": _("game restored"),
    "delete_game": _("game deleted"),
    "import_games": _("games imported"),
    "undo_games": _("games taken back"),
    "undo_change": _("change of a game taken back"),
    "reorder_games": _("order of games changed"),
    "draw_battle": _("battle drawn"),
    "submit_report": _("game reported"),
    "dispute_report": _("report disputed"),
    "drop_report": _("report dropped"),
    "withdraw_report": _("report withdrawn"),
    "issue_challenge": _("challenge issued"),
    "accept_challenge": _("challenge accepted"),
    "decline_challenge": _("challenge declined"),
    "withdraw_challenge": _("challenge withdrawn"),
    "expire_challenge": _("challenge expired"),
    "play_challenge": _("challenge played"),
    "report_challenge": _("challenge reported"),
    "resume_challenge": _("challenge to be played again"),
    "forfeit_challenge": _("challenge forfeited"),
    "rest_player": _("player rests"),
    "end_rest": _("rest ended"),
    "add_adjustment": _("rating adjusted"),
    "cancel_adjustment": _("adjustment cancelled"),
}

# Moments that are no fields of their object's model.
MOMENTS = {"first": DateTimeField()}

# Lists of rows that have names, and their models.
ROWS = {"tiers": "prizetier"}

# What rows call values that are no fields of their object's model.
LABELS = {
    "active": _("active again"),
    "address": _("address"),
    "claimed": _("has an account"),
    "entered": _("entered"),
    "first": _("first game"),
    "games": _("games"),
    "inactive": _("inactive"),
    "invited": _("invited by link"),
    "known": _("known already"),
    "members": _("members"),
    "merged": _("merged"),
    "name": _("name"),
    "new_players": _("new players"),
    "note": _("note"),
    "owner": _("owner"),
    "played_at": _("played at"),
    "reason": _("reason"),
    "reported_by": _("reported by"),
    "rows": _("rows"),
    "season": _("season"),
    "seasons": _("seasons"),
    "server": _("server"),
    "sides": _("sides"),
    "through": _("through the API token"),
    "tiers": _("prizes"),
}


def act(entry: AuditEntry) -> str:
    """What was done, in words."""
    return str(ACTS.get(entry.action, entry.action.replace("_", " ")))


def model_of(name: str) -> type[Model] | None:
    """The model of a league's rows that is called so."""
    for model in apps.get_models():
        if model._meta.model_name == name and hasattr(model, "league_path"):
            return model
    return None


def differences(entry: AuditEntry) -> list[tuple[str, str, str]]:
    """What an act changed: the name of each value, and what it was before and after."""
    before, after = entry.before or {}, entry.after or {}
    shown = list(_differences(entry.object_type, before, after))
    for name in ROWS.keys() & {**before, **after}.keys():
        shown += _row_differences(ROWS[name], before.get(name) or [], after.get(name) or [])
    return [(label, old, new) for label, old, new in shown if old != new]


def _differences(
    kind: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """What values of a row were, and are: each that is not the same. ``kind`` is the name of its model."""
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    model = model_of(kind)
    fields = {field.name: field for field in model._meta.get_fields()} if model else {}
    changed.sort(key=[*fields, *changed].index)  # databases reorder the keys
    for name in changed:
        if name == UNDO or name in ROWS:
            continue
        field = fields.get(name) or MOMENTS.get(name)  # None for a value that is none of the model's
        label = LABELS.get(name) or getattr(field, "verbose_name", None) or name.replace("_", " ")
        yield str(label), _shown(field, before.get(name)), _shown(field, after.get(name))


def _row_differences(
    kind: str, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    """What changed in rows that are known by their names: of each row, the values that are not the same."""
    old, new = ({row["name"]: row for row in rows} for rows in (before, after))
    for name in {**old, **new}:
        changed = list(_differences(kind, old.get(name, {"name": name}), new.get(name, {"name": name})))
        was = "; ".join(f"{label}: {value}" for label, value, _now in changed) if name in old else NOTHING
        now = "; ".join(f"{label}: {value}" for label, _was, value in changed) if name in new else NOTHING
        yield name, was, now


def _shown(field: Any, value: Any) -> str:
    """A field's value, as JSON has it, for people."""
    if isinstance(value, str) and isinstance(field, DateTimeField):
        return format_moment(datetime.fromisoformat(value))
    if isinstance(value, str) and isinstance(field, DateField):
        return format_day(date.fromisoformat(value))
    if isinstance(value, str | int) and getattr(field, "choices", None):
        return str(dict(field.flatchoices).get(value, value))
    return _text(value)


def _text(value: Any) -> str:
    """A JSON value for people: ``{"players": ["A", "B"], "points": 5}`` is "A, B 5"."""
    if value in (None, "", []):
        return NOTHING
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, dict) and value.keys() == {"players", "points"}:
        return f"{_text(value['players'])} {value['points']}"  # a side; databases reorder the keys
    if isinstance(value, dict):
        return " ".join(_text(each) for each in value.values())
    if isinstance(value, list):
        separator = " · " if any(isinstance(each, dict) for each in value) else ", "
        return separator.join(_text(each) for each in value)
    return str(value)
