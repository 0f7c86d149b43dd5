"""What every model of a league shares, and what keeps the facts of a closed season as they are.

A closed season refuses each write of its facts, by whatever path it comes: ``Fact`` and
``FactQuerySet`` hold this guard. Only deleting a whole league takes its closed seasons along.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Self

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from leagues.names import tidy

if TYPE_CHECKING:
    from leagues.models.league import League

CLOSED = "closed"  # the state of a season whose facts are final


class NameField(models.CharField):
    """What something is called, as it is stored: with nothing invisible in it, and single spaces.

    A name that nobody sees is a link that nobody can follow, and a sign that turns the direction of writing
    turns what stands after the name.
    """

    default_error_messages = {"blank": _("A name is needed: it has no visible character.")}

    def to_python(self, value: Any) -> Any:
        return tidy(value) if isinstance(value, str) else super().to_python(value)

    def deconstruct(self) -> Any:
        """For migrations it is a text like others."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class LeagueQuerySet(models.QuerySet):
    """Rows that belong to leagues, each by its model's ``league_path``."""

    def in_league(self, league: League | Any) -> Self:
        """Only the rows of one league, given as a league or its id."""
        return self.filter(**{path_to_league(self.model): getattr(league, "pk", league)})

    def in_leagues(self, leagues: models.QuerySet | list) -> Self:
        """Only the rows of these leagues."""
        return self.filter(**{f"{path_to_league(self.model)}__in": leagues})


def path_to_league(model: type[models.Model]) -> str:
    """The look-up that leads from a model to its league: ``season__league``."""
    return model.league_path  # type: ignore[attr-defined]


def league_of(row: models.Model) -> League:
    """The league a row belongs to, by its model's ``league_path``."""
    value: Any = row
    for step in path_to_league(type(row)).split("__"):
        value = row if step == "pk" else getattr(value, step)
    return value


class SeasonClosedError(ValidationError):
    """A write of facts of a closed season; nothing was written."""

    def __init__(self, season: str) -> None:
        message = _("The season “%(season)s” is closed and takes no changes; an owner can reopen it.")
        super().__init__(message, code="closed", params={"season": season})


class _HeldOpen:
    """A season of which the transaction knows that it is open, because it holds the season's row.

    It stands among the transaction's callbacks, and so is gone with the transaction, or with the
    savepoint whose rollback lets go of the row.
    """

    def __init__(self, season_id: int) -> None:
        self.season_id: int | None = season_id

    def __call__(self) -> None:
        """Nothing is left to do on commit."""


def hold_open(season_id: int) -> None:
    """Remember until the transaction ends that it holds this season's row, and that it is not closed."""
    if season_id not in {each.season_id for each in _held()}:
        transaction.on_commit(_HeldOpen(season_id))


def forget_held() -> None:
    """Forget which seasons are open: the state of one may have changed."""
    for each in _held():
        each.season_id = None


def _held() -> list[_HeldOpen]:
    callbacks = transaction.get_connection().run_on_commit
    return [callback for _savepoints, callback, _robust in callbacks if isinstance(callback, _HeldOpen)]


class FactQuerySet(LeagueQuerySet):
    """Facts of seasons, each by its model's ``season_path``.

    A write costs one query for the guard, and one more where a season is not held yet.
    """

    model: Any

    def refuse_closed(self) -> None:
        """Raise SeasonClosedError when any of these rows is of a closed season; else hold those seasons."""
        seasons = self.order_by().values_list(_of_season(self.model, "pk"), flat=True)
        hold_seasons_open(set(seasons.distinct()))

    def update(self, **values: Any) -> int:
        step = self.model.season_path.partition("__")[0]
        if {step, f"{step}_id"} & values.keys():
            raise _moved(self.model)
        if values.keys() <= self.model.free_fields:
            return super().update(**values)
        with one_transaction():
            self.refuse_closed()
            return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        with one_transaction():
            self.refuse_closed()
            return super().delete()

    delete.queryset_only = True  # type: ignore[attr-defined] # as Django's own: no manager deletes all

    def bulk_create(
        self, objs: Iterable[Any], *args: Any, update_conflicts: bool = False, **options: Any
    ) -> list[Any]:
        rows = list(objs)
        if update_conflicts:
            raise TypeError("Facts are inserted or updated; which of both is not left to the database.")
        with one_transaction():
            hold_seasons_open(_season_ids(self.model, rows))
            return super().bulk_create(rows, *args, **options)


class Fact(models.Model):
    """A row of what organizers typed about a season. It stays in its season."""

    league_path: str
    season_path: str  # the look-up that leads from the model to its season: ``game__season``
    free_fields: frozenset[str] = frozenset()  # those that change in a closed season too

    objects = models.Manager.from_queryset(FactQuerySet)()

    class Meta:
        abstract = True
        base_manager_name = "objects"  # related managers write by it

    def save(self, *args: Any, **options: Any) -> None:
        with one_transaction():
            self.refuse_save(options.get("update_fields"))
            super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        with one_transaction():
            _stored(self).refuse_closed()
            return super().delete(*args, **options)

    def refuse_save(self, update_fields: Iterable[str] | None) -> None:  # noqa: ARG002 - a season asks
        """Raise SeasonClosedError when the row is, or is about to be, of a closed season."""
        if self.pk is not None:
            names = (_of_season(type(self), name) for name in ("pk", "name", "state"))
            for season_id, season, state in _stored(self).values_list(*names):
                if state == CLOSED:
                    raise SeasonClosedError(season)
                if {season_id} != _season_ids(type(self), [self]):
                    raise _moved(type(self))
        hold_seasons_open(_season_ids(type(self), [self]))


def _of_season(model: type[Any], name: str) -> str:
    """The look-up from a model to a field of its season."""
    return name if model.season_path == "pk" else f"{model.season_path}__{name}"


def _stored(row: models.Model) -> Any:
    return type(row)._base_manager.filter(pk=row.pk).order_by()


def _moved(model: type[models.Model]) -> ValidationError:
    return ValidationError(
        _("A row of “%(kind)s” stays in its season."),
        code="moved",
        params={"kind": model._meta.verbose_name},
    )


def hold_seasons_open(ids: set[int]) -> None:
    """Raise SeasonClosedError when a season with one of these ids is closed; else nobody closes it meanwhile.

    Their rows are held until the transaction ends; no query for those held already.
    """
    if unknown := ids - {each.season_id for each in _held()}:
        seasons = apps.get_model("leagues", "Season")._default_manager.filter(pk__in=unknown)
        # In the order in which every service locks several.
        rows = seasons.order_by("starts_on", "pk").select_for_update(no_key=True)
        for season_id, name, state in rows.values_list("id", "name", "state"):
            if state == CLOSED:
                raise SeasonClosedError(name)
            hold_open(season_id)


def one_transaction() -> AbstractContextManager[Any]:
    """The transaction under way, or a new one: what the guard finds open stays so until the write is done."""
    return nullcontext() if transaction.get_connection().in_atomic_block else transaction.atomic()


def _season_ids(model: type[Any], rows: Iterable[Any]) -> set[int]:
    """Ids of the seasons these rows say they are of; a query only where a row does not know its game."""
    step, _separator, rest = model.season_path.partition("__")
    if not rest:
        ids = {row.pk if step == "pk" else getattr(row, f"{step}_id") for row in rows}
        return ids - {None}
    field = model._meta.get_field(step)
    parent = field.related_model
    known = [field.get_cached_value(row) for row in rows if field.is_cached(row)]
    unknown = {getattr(row, field.attname) for row in rows if not field.is_cached(row)}
    return _season_ids(parent, [*known, *parent._base_manager.in_bulk(unknown).values()])
