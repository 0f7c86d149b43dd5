"""The league in a box: which tables and columns it has. ``docs/league-box.md`` describes them to others.

Every row of a league is in it but for what is listed here, each with its reason: accounts, secrets, what
belongs to the site it was on, and what follows from other columns.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import JSONField, Model, QuerySet

from leagues.models import (
    Adjustment,
    AuditEntry,
    Challenge,
    Entry,
    FormerAddress,
    Game,
    GameReport,
    League,
    Player,
    PlayerAlias,
    ReportSeat,
    Season,
    Side,
    SideMember,
    Team,
)
from leagues.models.base import path_to_league
from ratings.models import (
    AppliedAdjustment,
    Correction,
    Meeting,
    PrizeTier,
    RatingChange,
    Replay,
    RuleSet,
    Standing,
)

FORMAT = "league-box"
VERSION = 1
MANIFEST = "league.json"

# Columns of a league in the manifest. Its host name, its organizers and its own former addresses stay
# with the site that it comes from; its logo, no text and no number, is uploaded anew.
LEAGUE_COLUMNS = (
    "name", "slug", "about", "start_text", "links", "language", "timezone", "accent_hue", "visibility",
    "in_search_engines", "version", "created_at",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Table:
    """A table of the box. Its rows are in order of their ids, which is theirs on the site too."""

    name: str
    model: type[Model]
    left_out: Collection[str] = ()  # columns that are not in the box

    @cached_property
    def fields(self) -> list[Any]:
        """The fields that are its columns, those of many to many, which are lists of ids, last."""
        fields = [*self.model._meta.concrete_fields, *self.model._meta.many_to_many]
        return [field for field in fields if field.name not in self.left_out]

    @cached_property
    def columns(self) -> list[str]:
        return [field.name for field in self.fields]

    @cached_property
    def file(self) -> str:
        """JSON, an object a line, where a column is no single value; else CSV."""
        structured = any(isinstance(field, JSONField) or field.many_to_many for field in self.fields)
        return f"{self.name}.jsonl" if structured else f"{self.name}.csv"

    def rows(self, league: League) -> QuerySet[Any]:
        return QuerySet(self.model).filter(**{path_to_league(self.model): league.pk}).order_by("pk")


# A table stands after those that its rows point to. ``league`` is the box's own; who entered what and who did
# what are accounts. An id that nothing refers to is left out.
TABLES = (
    Table("players", Player, {"league", "user", "search", "sort_key"}),
    Table("aliases", PlayerAlias, {"league", "key"}),
    Table("teams", Team, {"league", "member_key"}),
    Table("seasons", Season, {"league"}),
    Table("former_addresses", FormerAddress, {"league"}),
    Table("rules", RuleSet),
    Table("prize_tiers", PrizeTier),
    Table("entries", Entry),
    Table("games", Game, {"token", "entered_by"}),
    Table("sides", Side),
    Table("members", SideMember, {"id"}),
    Table("challenges", Challenge),
    Table("reports", GameReport, {"token"}),
    Table("report_seats", ReportSeat, {"id"}),
    Table("adjustments", Adjustment, {"entered_by"}),
    Table("replays", Replay, {"id"}),
    Table("changes", RatingChange, {"id"}),
    Table("applied_adjustments", AppliedAdjustment, {"id"}),
    Table("standings", Standing, {"id"}),
    Table("meetings", Meeting, {"id"}),
    Table("audit", AuditEntry, {"league", "by", "search"}),
    Table("corrections", Correction),
)
FILES = {table.file: table for table in TABLES}

# What acts in the audit log may be about. Those on accounts, as inviting, stay with the site.
_MODELS: list[type[Model]] = [League, *(table.model for table in TABLES)]
AUDITED = {str(model._meta.model_name): model for model in _MODELS}


def rows_in_box(table: Table, league: League) -> QuerySet[Any]:
    """The rows of a league that a box has of a table."""
    rows = table.rows(league)
    if table.model is AuditEntry:
        return rows.filter(object_type__in=AUDITED)
    if table.model is FormerAddress:
        return rows.exclude(season=None, player=None)
    return rows
