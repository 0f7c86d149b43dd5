"""What a league is called and who sees it; its texts, links, colour and logo."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from leagues.forms.changing import ChangeForm
from leagues.models import League
from leagues.models.league import zones_of_places
from leagues.pictures import LARGEST_FILE, Pictures, pictures_of


class PictureField(forms.FileField):
    """An uploaded picture as the files that are made of it; None where there is none."""

    def __init__(self, **options: Any) -> None:
        given: dict[str, Any] = {
            "label": capfirst(gettext_lazy("logo")),
            "required": False,
            "allow_empty_file": True,  # the reader says it better
            "widget": forms.FileInput(attrs={"accept": "image/png,image/jpeg,image/webp"}),
            "help_text": gettext_lazy("a PNG, JPEG or WebP of at most 2 MB; about square looks best"),
        }
        super().__init__(**given | options)

    def clean(self, data: Any, initial: Any = None) -> Pictures | None:
        file = super().clean(data, initial)
        # One byte too many says that it is too large.
        return pictures_of(file.read(LARGEST_FILE + 1)) if file else None


class DropLogoField(forms.BooleanField):
    def __init__(self, **options: Any) -> None:
        super().__init__(label=gettext_lazy("Take the logo away"), required=False, **options)


class LookForm(ChangeForm):
    pictures = PictureField()
    drop_logo = DropLogoField()

    class Meta:
        model = League
        fields = ("about", "start_text", "links", "accent_hue")
        widgets = {
            "about": forms.Textarea(attrs={"rows": 3}),
            "start_text": forms.Textarea(attrs={"rows": 8}),
            "links": forms.Textarea(attrs={"rows": 4}),
            "accent_hue": forms.RadioSelect,
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.logo:
            del self.fields["drop_logo"]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("pictures") and cleaned.get("drop_logo"):
            raise ValidationError(gettext_lazy("Choose a new logo or take it away, not both."), code="both")
        return cleaned


class LeagueForm(ChangeForm):
    """What of a league is its owners' to change, but for the host name, which is the operator's."""

    class Meta:
        model = League
        fields = ("name", "slug", "language", "timezone", "visibility", "in_search_engines")
        widgets = {"timezone": forms.TextInput(attrs={"list": "zones"})}

    zones = property(lambda _form: zones_of_places())
