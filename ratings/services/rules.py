"""Seasons with their rules: made from a preset, and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leagues.models import League, Season
from leagues.services import create_season, update_season
from leagues.services.audit import Actor, leave_audit, lock_season, refuse_twin, season_is_changed, values_of
from leagues.services.seasons import SEASON_FIELDS
from ratings.engine.presets import DEFAULT_PRESET, PRESETS
from ratings.models import PrizeTier, RuleSet
from ratings.models.rules import LIMIT_FIELDS, RULE_FIELDS

# What a season takes over from the one it is made like.
KEPT_FIELDS = tuple(
    name for name in SEASON_FIELDS if name not in ("name", "slug", "starts_on", "ends_on", "state")
)
TIER_FIELDS = tuple(
    field.name for field in PrizeTier._meta.concrete_fields if field.name not in ("id", "season")
)

MOST_TIERS = 50  # prizes of a season


def limits_of(preset: str) -> dict[str, Any]:
    """The limits of a game that a preset gives a season, as columns of Season."""
    rules = PRESETS[preset]
    return {name: getattr(rules, name) for name in LIMIT_FIELDS} | {"duels_only": rules.system == "ladder"}


def preset_named(name: str, system: str) -> str:
    """The preset of this name, or the system's own when it is empty. Raises ValidationError."""
    name = name or DEFAULT_PRESET[system]
    fitting = [preset for preset, rules in PRESETS.items() if rules.system == system]
    if name not in fitting:
        raise ValidationError(
            {
                "preset": _("“%(name)s” is no preset of this system; its presets are: %(known)s.")
                % {"name": name, "known": ", ".join(fitting)}
            }
        )
    return name


@transaction.atomic
def create_rated_season(*, league: League, by: Actor, preset: str, **values: Any) -> Season:
    """Make a season with the rules of a preset; ``values`` are those of leagues' ``create_season``."""
    season = create_season(league=league, by=by, **limits_of(preset) | values)
    RuleSet.from_rules(season, PRESETS[preset], preset).save()
    return season


@transaction.atomic
def create_season_like(*, season: Season, by: Actor, **values: Any) -> Season:
    """Make another season of the same league, with the settings, rules and prizes of this one.

    ``values``, those of leagues' ``create_season``, come before what would be taken over.
    """
    made = create_season(league=season.league, by=by, **values_of(season, KEPT_FIELDS) | values)
    for rules in RuleSet.objects.filter(season=season):
        copy = RuleSet(season=made, preset=rules.preset, **values_of(rules, RULE_FIELDS))
        copy.full_clean()
        copy.save()
    for tier in PrizeTier.objects.filter(season=season):
        PrizeTier(season=made, **values_of(tier, TIER_FIELDS)).save()
    return made


@transaction.atomic
def update_rated_season(*, season: Season, by: Actor, **values: Any) -> None:
    """Change a season as leagues' ``update_season`` does, if its rules can rate what it then accepts."""
    update_season(season=season, by=by, **values)
    for rule_set in RuleSet.objects.filter(season=season):
        rule_set.clean()


@transaction.atomic
def change_rules(*, season: Season, by: Actor, values: Mapping[str, Any]) -> RuleSet:
    """Change fields of a season's rule set; the whole season is rated anew.

    Raises ValidationError, at its field, for a value the engine cannot rate by.
    """
    season = lock_season(season)
    rule_set = RuleSet.objects.filter(season=season).first() or RuleSet(season=season)
    before = values_of(rule_set, RULE_FIELDS) if rule_set.pk else None
    for name, value in values.items():
        setattr(rule_set, name, value)
    rule_set.full_clean()
    rule_set.save()
    after = values_of(rule_set, RULE_FIELDS)
    leave_audit("change_rules", rule_set, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=season.starts_at)
    return rule_set


@transaction.atomic
def change_prize_tiers(
    *, season: Season, by: Actor, saved: Sequence[PrizeTier] = (), deleted: Sequence[PrizeTier] = ()
) -> None:
    """Save prize tiers of a season, new or changed, and delete others.

    Raises ValidationError, at its field, for what a tier cannot be, for too many of them, and
    for a new one that is just like another.
    """
    season = lock_season(season)
    before = _tiers_of(season)
    for tier in saved:
        tier.season = season
        tier.full_clean()
        if tier.pk is None:
            refuse_twin(season.prize_tiers.filter(**values_of(tier, TIER_FIELDS)))
        tier.save()
    for tier in deleted:
        if tier.season_id != season.pk:
            kind = PrizeTier._meta.verbose_name
            message = _("A row of “%(kind)s” stays in its season.")
            raise ValidationError(message, code="moved", params={"kind": kind})
        tier.delete()
    after = {"tiers": _tiers_of(season)}
    if len(after["tiers"]) > max(MOST_TIERS, len(before)):
        raise ValidationError(_("A season has at most %(most)d prizes.") % {"most": MOST_TIERS})
    leave_audit("change_prize_tiers", season, by=by, before={"tiers": before}, after=after, season=season)
    season_is_changed(season, since=None)


def _tiers_of(season: Season) -> list[Any]:
    return list(season.prize_tiers.values(*TIER_FIELDS))
