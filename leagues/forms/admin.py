"""Forms of the admin. They clean; the services they are handed to write."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminIntegerFieldWidget, AdminSplitDateTime
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.api_tokens import LifetimeField
from leagues.forms.look import DropLogoField, PictureField
from leagues.forms.sides import PointsField
from leagues.models import Game, League, Organizer, Player, Side
from leagues.services import PlayedSide, check_game
from leagues.services.leagues import LEAGUE_FIELDS
from leagues.tenancy.admin import LeagueForm, RowsField


class UsernameField(forms.CharField):
    """An active account, named exactly: nobody can look through the accounts of others."""

    def clean(self, value: Any) -> User | None:
        name = super().clean(value)
        if not name:
            return None
        user = User.objects.filter(username=User.normalize_username(name), is_active=True).first()
        if user is None:
            raise ValidationError(_("There is no account “%(name)s”."), params={"name": name})
        return user


class LeagueAdminForm(LeagueForm):
    owner = UsernameField(
        label=capfirst(gettext_lazy("owner")),
        required=False,
        help_text=gettext_lazy("user name of the first organizer"),
    )

    pictures = PictureField()
    drop_logo = DropLogoField()

    class Meta:
        model = League
        fields = LEAGUE_FIELDS


class OrganizerAdminForm(LeagueForm):
    account = UsernameField(
        label=capfirst(gettext_lazy("user name")),
        help_text=gettext_lazy("the exact user name; the account must exist already"),
    )

    class Meta:
        model = Organizer
        fields = ("league", "role")


class ClockField(forms.SplitDateTimeField):
    """A date and a time of day on a clock; GameAdminForm gives it the zone of the season's league."""

    widget = AdminSplitDateTime

    def compress(self, data_list: Any) -> datetime | None:
        if not data_list or any(part in self.empty_values for part in data_list):
            return super().compress(data_list)  # says which part is missing
        if data_list[0].year in (MINYEAR, MAXYEAR):  # other zones would be beyond
            raise ValidationError(self.error_messages["invalid_date"], code="invalid_date")
        return datetime.combine(*data_list)


class ApiTokenAdminForm(LeagueForm):
    days = LifetimeField()


class GameAdminForm(LeagueForm):
    played_at = ClockField(label=capfirst(gettext_lazy("played at")))

    class Meta:
        model = Game
        fields = ("season", "played_at", "kind", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "played_at" not in self.fields:
            return
        self.fields["kind"].required = False
        zone = (
            self.instance.season.league.timezone if self.instance.pk else timezone.get_current_timezone_name()
        )
        seasons: Any = self.fields.get("season")
        is_known = seasons is None or seasons.queryset.values("league").distinct().count() < 2
        self.fields["played_at"].help_text = (
            _("time zone of the league: %(zone)s") % {"zone": zone}
            if is_known
            else _("in the time zone of the season’s league")
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        moment = cleaned.get("played_at")
        season = self.instance.season if self.instance.pk else cleaned.get("season")
        if moment is None or season is None:
            cleaned.pop("played_at", None)
            return cleaned
        if self.instance.pk and "played_at" not in self.changed_data:
            moment = self.instance.played_at  # to the second, and in the right one of two hours in autumn
        else:
            moment = moment.replace(tzinfo=season.league.zone)
        cleaned["played_at"] = moment
        for problem in check_game(season, played_at=moment, sides=[]):
            if problem.field == "played_at":
                self.add_error("played_at", problem.message)
        return cleaned


class SideAdminForm(forms.ModelForm):
    points = PointsField(label=capfirst(gettext_lazy("points")), widget=AdminIntegerFieldWidget)
    position = forms.IntegerField(
        label=capfirst(gettext_lazy("position")), required=False, min_value=1, max_value=10_000
    )
    members = RowsField(Player.objects.none(), label=capfirst(gettext_lazy("members")))

    class Meta:
        model = Side
        fields = ("position", "points")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["members"] = [member.player_id for member in self.instance.members.all()]


class SideFormSet(forms.BaseInlineFormSet):
    """The sides of a game: ordered by position, those without one last, as the rows stand."""

    def is_dropped(self, form: Any) -> bool:
        return bool(self.can_delete and form.cleaned_data.get("DELETE"))

    def filled(self) -> list[Any]:
        """The forms with a side in them, in order."""
        filled = [
            form
            for form in self.forms
            if not self.is_dropped(form) and (form.instance.pk or form.has_changed())
        ]
        return sorted(filled, key=lambda form: form.cleaned_data.get("position") or float("inf"))

    def played_sides(self) -> list[PlayedSide]:
        """The sides as services take them; only of a valid formset."""
        return [
            PlayedSide(tuple(form.cleaned_data["members"]), form.cleaned_data["points"] or 0)
            for form in self.filled()
        ]

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["points"].required = not self.instance.is_bye

    def clean(self) -> None:
        super().clean()
        if any("id" in form.errors for form in self.forms):
            raise ValidationError(_("Somebody else changed this game meanwhile; open it again and look."))
        is_wrong = any(form.errors for form in self.forms if not self.is_dropped(form))
        if is_wrong or self.instance.season_id is None:
            return
        general = []
        season, forms_in_order = self.instance.season, self.filled()
        played_at = self.instance.played_at or season.starts_at
        sides, kind = self.played_sides(), self.instance.kind
        for problem in check_game(season, played_at=played_at, sides=sides, kind=kind):
            if problem.side is not None:
                field = "points" if problem.field == "points" else "members"
                forms_in_order[problem.side - 1].add_error(field, problem.message)
            elif problem.field != "played_at":  # the game's own form says that
                general.append(problem.message)
        if general:
            raise ValidationError(general)
