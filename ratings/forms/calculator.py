"""The game that the calculator is asked about, as its address says it.

``?side1=zahari&points1=500&side2=marina&side2=~1400&points2=100``: players by their addresses, and
ratings that stand for anybody so rated.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import slug_re
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.formats import format_rating
from leagues.forms.sides import PointsField
from leagues.models import Player, Season
from leagues.services import PlayedSide, check_game
from ratings.engine.rulebook import Rated
from ratings.engine.types import Tenths
from ratings.models import Standing
from ratings.services.comparing import first_by_name

RATED = "~"  # before a rating; no player's address begins with it
HIGHEST = 1_000_000  # tenths, either way
MOST_SIDES = 12
MOST_MEMBERS = 20
# So many to choose from are a help without scripts; more make the page heavy on a phone.
LISTED = 400


def query_of(sides: Sequence[Rated]) -> str:
    """The query that asks about a game of players with these ratings."""
    asked: list[tuple[str, Any]] = []
    for number, (ratings, points) in enumerate(sides, 1):
        asked += [(f"side{number}", rated(rating)) for rating in ratings]
        asked.append((f"points{number}", points))
    return urlencode(asked)


def rated(rating: Tenths) -> str:
    """The value that stands for anybody with this rating."""
    return f"{RATED}{Decimal(rating) / 10}"


def read_rating(text: str) -> Tenths | None:
    """A rating as somebody writes it, with at most one decimal; None where it is none."""
    try:
        tenths = Decimal(text.strip().replace(",", ".").replace("−", "-")) * 10
    except InvalidOperation:
        return None
    if not tenths.is_finite() or abs(tenths) > HIGHEST or tenths != int(tenths):
        return None
    return int(tenths)


class PeopleField(forms.Field):
    """The players of a side; the form knows whom the values mean."""

    widget = forms.SelectMultiple

    def clean(self, value: Any) -> list[str]:
        return [each for each in value or () if each]


class CalculatorForm(forms.Form):
    """The sides of a game, the empty ones at the end left out."""

    def __init__(self, data: Any, *, season: Season) -> None:
        self.asked = data
        names = (name for name in data if name.startswith(("side", "points")))
        self.is_asked = any(any(data.getlist(name)) for name in names)
        # Nothing is wrong with a game that nobody has asked about yet.
        super().__init__(data if self.is_asked else None)
        self.season = season
        self.stand_ins: dict[int, Tenths] = {}
        self.sides: list[PlayedSide] = []  # once it is valid, and points are given
        self.pair: list[Player] = []  # two players without points yet
        people = gettext_lazy("Player") if season.duels_only else gettext_lazy("Players")
        for number in range(1, self._count(data) + 1):
            self.fields[f"side{number}"] = PeopleField(label=people, required=False)
            self.fields[f"points{number}"] = PointsField(label=gettext_lazy("Points"), required=False)

    def _count(self, data: Any) -> int:
        """How many sides are shown: those of the address, or one more, but two at least."""
        if self.season.duels_only:
            return 2
        numbers = range(MOST_SIDES, 2, -1)
        named = next((n for n in numbers if f"side{n}" in data or f"points{n}" in data), 2)
        return min(named + ("more" in data), MOST_SIDES)

    @cached_property
    def _named(self) -> dict[str, Player]:
        """The players of this league whom the address names."""
        values = {value for name in self.fields for value in self.asked.getlist(name)[:MOST_MEMBERS]}
        slugs = [value for value in values if slug_re.match(value)]  # nothing else is an address
        found = Player.objects.in_league(self.season.league_id).filter(slug__in=slugs)
        return {player.slug: player for player in found}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        count = len(self.fields) // 2
        people = [self._people(number) for number in range(1, count + 1)]
        points = [cleaned.get(f"points{number}") for number in range(1, count + 1)]
        while len(people) > 2 and not people[-1] and points[-1] is None:
            people.pop()
            points.pop()
        if self.errors:
            return cleaned
        if len(people) == 2 and points == [None, None] and all(len(side) == 1 for side in people):
            self.pair = [side[0] for side in people]
            points = [0, 0]  # to be judged as a draw
        for number, each in enumerate(points, 1):
            if each is None:
                self.add_error(f"points{number}", _("Write the points."))
        if not self.errors:
            self.sides = self._judged(people, [each or 0 for each in points])
        return cleaned

    def _people(self, number: int) -> tuple[Player, ...]:
        name = f"side{number}"
        values = self.cleaned_data.get(name, [])
        if len(values) > MOST_MEMBERS:
            message = _("A side has at most %(most)d players here.")
            self.add_error(name, message % {"most": MOST_MEMBERS})
            return ()
        found = []
        for value in values:
            try:
                found.append(self._person(value))
            except ValidationError as refused:
                self.add_error(name, refused)
        return tuple(found)

    def _person(self, value: str) -> Player:
        """Whom a value means. Raises ValidationError with a sentence."""
        if not value.startswith(RATED):
            if value not in self._named:
                raise ValidationError(_("This player is unknown in this league."))
            return self._named[value]
        rating = read_rating(value.removeprefix(RATED))
        if rating is None:
            message = _("“%(text)s” is no rating; write a number like 1400 or 1400.5.")
            raise ValidationError(message, params={"text": value.removeprefix(RATED)[:30]})
        stand_in = -len(self.stand_ins) - 1
        self.stand_ins[stand_in] = rating
        return Player(pk=stand_in, league_id=self.season.league_id, name=stand_in_name(rating))

    def _judged(self, people: Sequence[tuple[Player, ...]], points: Sequence[int]) -> list[PlayedSide]:
        """The sides, once the season accepts a game of them."""
        sides = [PlayedSide(*side) for side in zip(people, points, strict=True)]
        problems = check_game(self.season, played_at=self.season.starts_at, sides=sides)
        for problem in problems:
            field = {"side": "side", "points": "points"}.get(problem.field)
            self.add_error(f"{field}{problem.side}" if field and problem.side else None, problem.message)
        return [] if problems else sides

    @property
    def pair_query(self) -> str:
        """The query that asks about the same sides without points."""
        return urlencode(
            [
                (f"side{number}", self._value(player))
                for number, side in enumerate(self.sides, 1)
                for player in side.members
            ]
        )

    def _value(self, player: Player) -> str:
        rating = self.stand_ins.get(player.pk)
        return player.slug if rating is None else rated(rating)

    @property
    def has_players(self) -> bool:
        """Whether anybody can be chosen."""
        return bool(self._listed)

    def problems(self) -> list[tuple[str, str]]:
        """Every error, with the id of the input it is about."""
        found = [("", str(error)) for error in self.non_field_errors()]
        for field in self:
            place = f"{field.id_for_label}_field" if field.name.startswith("side") else field.id_for_label
            found += [(place, str(error)) for error in field.errors]
        return found

    def shown_sides(self) -> list[dict[str, Any]]:
        """What the page shows of each side: its fields, and the options of its players."""
        listed = self._listed
        return [
            {
                "number": number,
                "people": self[f"side{number}"],
                "points": self[f"points{number}"],
                "options": self._options(f"side{number}", listed),
            }
            for number in range(1, len(self.fields) // 2 + 1)
        ]

    @cached_property
    def _listed(self) -> dict[str, str]:
        """Address and name of the season's players, in order of their names."""
        return dict(first_by_name(Standing.objects.filter(season=self.season), LISTED))

    def _options(self, name: str, listed: dict[str, str]) -> list[tuple[str, str, bool]]:
        """Value and label of each choice, and whether it is made."""
        chosen = [value for value in self.asked.getlist(name)[:MOST_MEMBERS] if value]
        labels = {value: label for value in chosen if (label := self._label(value))}
        return [(value, label, value in labels) for value, label in (labels | listed).items()]

    def _label(self, value: str) -> str:
        if value.startswith(RATED):
            rating = read_rating(value.removeprefix(RATED))
            return "" if rating is None else stand_in_name(rating)
        player = self._named.get(value)
        return player.name if player else ""


def stand_in_name(rating: Tenths) -> str:
    """What a player is called who stands for anybody with this rating."""
    return _("player with %(rating)s") % {"rating": format_rating(rating)}


class PlayerSearchForm(forms.Form):
    """What is typed into a picker of the season's players, and whom it is for."""

    ENTERED, PLAYED = "entered", "played"

    q = forms.CharField(max_length=100, required=False)
    # The calculator's takes ratings too; others take only people, or only those who have played.
    only = forms.ChoiceField(choices=[(ENTERED, ENTERED), (PLAYED, PLAYED)], required=False)
