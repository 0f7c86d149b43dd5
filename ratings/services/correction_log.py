"""A season's log of corrections in plain words, for everybody who sees the season.

It says what was corrected and what that changed. Who did it, and what is known of a player besides
games, stays in the league's own log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Prefetch, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_change, format_day, format_moment, format_number, format_rating
from leagues.models import AuditEntry, Game, Season
from leagues.services.seasons import LIMITS
from ratings.models import Correction, RuleSet

ACTS_TOLD = 20  # of one correction
SIDES_TOLD = 4  # of one game


@dataclass(frozen=True, slots=True)
class ToldCorrection:
    """A correction as its page tells it."""

    at: datetime
    day: date | None  # the first one whose standings it changed, where games are named
    acts: list[tuple[str, int | None]]  # a sentence, and the id of the game it is about
    more: int  # acts beyond these
    effect: str  # what all of them changed together

    @property
    def text(self) -> str:
        """The acts in one line."""
        sentences = [sentence for sentence, _game in self.acts]
        if self.more:
            more = ngettext("and %(more)s more", "and %(more)s more", self.more)
            sentences.append(more % {"more": format_number(self.more)})
        return " ".join(sentences)


def corrections_of(season: Season) -> QuerySet[Correction]:
    """The season's corrections, the latest first, each with its first acts as ``first_acts``."""
    first = Prefetch("acts", AuditEntry.objects.order_by("pk")[:ACTS_TOLD], to_attr="first_acts")
    rows = Correction.objects.filter(season=season).annotate(count=Count("acts"))
    return rows.order_by("-pk").prefetch_related(first)


def told(correction: Any) -> ToldCorrection:
    """One of ``corrections_of`` in the active language and time zone."""
    acts = [(_sentence(act), _game_of(act)) for act in correction.first_acts]
    if not acts:
        acts = [(_("Something else that ratings follow from was corrected."), None)]
    return ToldCorrection(
        at=correction.at,
        day=_first_day(correction.first_acts),
        acts=acts,
        more=correction.count - len(correction.first_acts),
        effect=_effect(correction),
    )


def _first_day(acts: Iterable[AuditEntry]) -> date | None:
    told = [facts for act in acts for facts in (act.before, act.after) if facts]
    facts = [each for each in told if "played_at" in each or "at" in each]
    return min((timezone.localtime(_time(each)).date() for each in facts), default=None)


def _effect(correction: Correction) -> str:
    largest = {"largest": format_rating(correction.largest)}
    if correction.games:
        sentence = ngettext(
            "%(count)s later game recalculated; largest change of a rating: %(largest)s.",
            "%(count)s later games recalculated; largest change of a rating: %(largest)s.",
            correction.games,
        )
        return sentence % {"count": format_number(correction.games), **largest}
    if correction.largest:
        return _("No later game is affected; largest change of a rating: %(largest)s.") % largest
    return _("No rating changed.")


def _game_of(act: AuditEntry) -> int | None:
    is_there = act.object_type == "game" and act.action not in ("delete_game", "undo_games")
    return int(act.object_id) if is_there else None


def _sentence(act: AuditEntry) -> str:
    return SENTENCES[act.action](act.before or {}, act.after or {})


Facts = Mapping[str, Any]


def _corrected(before: Facts, after: Facts) -> str:
    game = _game(before)
    players = [[side["players"] for side in facts["sides"]] for facts in (before, after)]
    changes = []
    if players[0] != players[1]:
        became = {"before": _sides(before), "after": _sides(after)}
        changes.append(_("%(before)s became %(after)s") % became)
    elif before["sides"] != after["sides"]:
        changes.append(
            _("%(before)s became %(after)s") % {"before": _points(before), "after": _points(after)}
        )
    if before["played_at"] != after["played_at"]:
        changes.append(_("moved to %(moment)s") % {"moment": format_moment(_time(after))})
    if before["kind"] != after["kind"]:
        label = dict(Game.Kind.choices).get(after["kind"], after["kind"])
        changes.append(_("it is of another kind: %(kind)s") % {"kind": label})
    if before["note"] != after["note"]:
        changes.append(_("the note was changed"))
    if not changes:
        changes.append(_("saved again without a change"))
    return f"{game}: {'; '.join(changes)}."


def _voided(_before: Facts, after: Facts) -> str:
    return f"{_game(after)}: " + _("%(points)s was voided (%(reason)s).") % {
        "points": _points(after),
        "reason": after["reason"],
    }


def _restored(before: Facts, _after: Facts) -> str:
    return f"{_game(before)}: " + _("%(points)s counts again.") % {"points": _points(before)}


def _deleted(before: Facts, _after: Facts) -> str:
    return f"{_game(before)}: " + _("%(points)s was deleted.") % {"points": _points(before)}


def _as_before(_before: Facts, after: Facts) -> str:
    if "reason" in after:
        sentence = _("%(points)s is voided again (%(reason)s), a change was taken back.")
        return f"{_game(after)}: " + sentence % {"points": _points(after), "reason": after["reason"]}
    return f"{_game(after)}: " + _("%(points)s stands again, a change was taken back.") % {
        "points": _points(after)
    }


def _taken_back(before: Facts, _after: Facts) -> str:
    if "sides" in before:
        return f"{_game(before)}: " + _("%(points)s was taken back.") % {"points": _points(before)}
    sentence = ngettext(
        "%(count)s imported game was taken back, played on %(day)s.",
        "%(count)s imported games were taken back, the first of them played on %(day)s.",
        before["games"],
    )
    day = format_day(datetime.fromisoformat(before["first"]))
    return sentence % {"count": format_number(before["games"]), "day": day}


def _recorded(_before: Facts, after: Facts) -> str:
    return f"{_game(after)}: " + _("%(points)s was entered late.") % {"points": _points(after)}


def _imported(_before: Facts, after: Facts) -> str:
    sentence = ngettext(
        "%(count)s game was imported, played on %(day)s.",
        "%(count)s games were imported, the first of them played on %(day)s.",
        after["games"],
    )
    day = format_day(datetime.fromisoformat(after["first"]))
    return sentence % {"count": format_number(after["games"]), "day": day}


def _reordered(before: Facts, _after: Facts) -> str:
    return _("Games of %(moment)s were put in another order.") % {"moment": format_moment(_time(before))}


def _rules_changed(before: Facts, after: Facts) -> str:
    return _("Rules changed: %(names)s.") % {"names": _changed(RuleSet, before, after, tuple(after))}


def _season_changed(before: Facts, after: Facts) -> str:
    if before["state"] == Season.State.CLOSED:
        return _("The season was reopened.")
    names = (*LIMITS, "forfeits_rated")
    return _("Limits of a game changed: %(names)s.") % {"names": _changed(Season, before, after, names)}


def _withdrawn(_before: Facts, after: Facts) -> str:
    sentence = ngettext(
        "%(player)s withdrew, and %(count)s game was voided.",
        "%(player)s withdrew, and %(count)s games were voided.",
        after["games"],
    )
    return sentence % {"player": after["player"], "count": format_number(after["games"])}


def _reinstated(_before: Facts, after: Facts) -> str:
    sentence = ngettext(
        "%(player)s plays on, and %(count)s game counts again.",
        "%(player)s plays on, and %(count)s games count again.",
        after["games"],
    )
    return sentence % {"player": after["player"], "count": format_number(after["games"])}


def _adjusted(_before: Facts, after: Facts) -> str:
    return _("%(player)s: an adjustment of %(change)s from %(moment)s on (%(reason)s).") % _adjustment(after)


def _adjustment_cancelled(before: Facts, after: Facts) -> str:
    told = {**_adjustment(before), "reason": after["cancel_reason"]}
    return _("%(player)s: the adjustment of %(change)s from %(moment)s on was cancelled (%(reason)s).") % told


def _adjustment(facts: Facts) -> dict[str, str]:
    change = int(Decimal(facts["change"]).scaleb(1))
    named = {"player": facts["player"], "reason": facts["reason"]}
    return {**named, "change": format_change(change), "moment": format_moment(_time(facts))}


SENTENCES: dict[str, Callable[[Facts, Facts], str]] = {
    "correct_game": _corrected,
    "void_game": _voided,
    "restore_game": _restored,
    "delete_game": _deleted,
    "undo_games": _taken_back,
    "undo_change": _as_before,
    "record_game": _recorded,
    "import_games": _imported,
    "reorder_games": _reordered,
    "withdraw_player": _withdrawn,
    "reinstate_player": _reinstated,
    "add_adjustment": _adjusted,
    "cancel_adjustment": _adjustment_cancelled,
    "change_rules": _rules_changed,
    "update_season": _season_changed,
}


def _changed(model: Any, before: Facts, after: Facts, names: tuple[str, ...]) -> str:
    fields = [model._meta.get_field(name) for name in names if before.get(name) != after.get(name)]
    return ", ".join(str(field.verbose_name) for field in fields)


def _time(facts: Facts) -> datetime:
    """When a game was played, or an adjustment takes effect."""
    return datetime.fromisoformat(facts["played_at"] if "played_at" in facts else facts["at"])


def _game(facts: Facts) -> str:
    names = [" + ".join(side["players"]) for side in facts["sides"][:SIDES_TOLD]]
    return _("Game of %(day)s, %(players)s") % {
        "day": format_day(_time(facts)),
        "players": " – ".join([*names, *_rest(facts)]),
    }


def _points(facts: Facts) -> str:
    if facts["kind"] == Game.Kind.BYE:
        return _("the bye")
    points = [format_number(side["points"]) for side in facts["sides"][:SIDES_TOLD]]
    return " : ".join([*points, *_rest(facts)])


def _sides(facts: Facts) -> str:
    sides = [" + ".join(side["players"]) for side in facts["sides"][:SIDES_TOLD]]
    if facts["kind"] != Game.Kind.BYE:
        sides = [f"{who} {side['points']}" for who, side in zip(sides, facts["sides"], strict=False)]
    return ", ".join([*sides, *_rest(facts)])


def _rest(facts: Facts) -> list[str]:
    return ["…"] if len(facts["sides"]) > SIDES_TOLD else []
