"""Penalties and bonuses of a season: the list everybody sees, and what organizers do with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.models import Adjustment, Role, Season
from leagues.services import add_adjustment, cancel_adjustment
from leagues.tenancy.requests import LeaguePage
from ratings.forms.adjustments import AdjustmentForm, CancelForm
from ratings.services.adjustments import listed_adjustments
from ratings.views.files import TableFileView, in_points
from ratings.views.live import LiveMixin

ADJUSTMENTS_A_PAGE = 50
FILE_COLUMNS = (
    "in_effect_from", "player", "address", "change", "reason", "before", "after",
    "cancelled_at", "cancel_reason",
)  # fmt: skip


def adjustments_in(season: Season) -> Any:
    """All adjustments of a season with their players, cancelled ones too, the latest first."""
    return Adjustment.objects.filter(season=season).select_related("player").latest_first()


class AdjustmentsView(LiveMixin):
    """The adjustments of a season."""

    template_name = "ratings/adjustments.html"
    fragment_name = "ratings/_adjustments.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        pages = Paginator(adjustments_in(self.season), ADJUSTMENTS_A_PAGE)
        page = pages.get_page(self.request.GET.get("page"))
        return super().get_context_data(page=page, adjustments=listed_adjustments(list(page)), **kwargs)


class AdjustmentsFileView(TableFileView):
    """The same as a file."""

    table = "adjustments"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        yield FILE_COLUMNS
        zone = self.league.zone
        for each in listed_adjustments(list(adjustments_in(self.season))):
            adjustment, applied = each.adjustment, each.applied
            cancelled_at = adjustment.cancelled_at
            yield [
                adjustment.at.astimezone(zone),
                adjustment.player.name,
                adjustment.player.slug,
                in_points(adjustment.change),
                adjustment.reason,
                in_points(applied.before if applied else None),
                in_points(applied.after if applied else None),
                cancelled_at.astimezone(zone) if cancelled_at else None,
                adjustment.cancel_reason,
            ]


class AdjustmentActView(LeaguePage):
    """A page on which managers adjust ratings; of a closed season it only says that it is closed."""

    role_required = Role.MANAGER
    season: Season


class AdjustmentCreateView(AdjustmentActView):
    """Give or take rating points."""

    template_name = "ratings/adjustment_form.html"

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=AdjustmentForm(self.season, player=request.GET.get("player", "")))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = AdjustmentForm(self.season, request.POST)
        if form.is_valid():
            try:
                made = add_adjustment(season=self.season, by=request.user, **form.facts())
            except ValidationError as refused:
                form.add_error(None, refused)
            else:
                messages.success(request, _("The adjustment is saved."))
                return HttpResponseRedirect(made.get_absolute_url())
        return self.page(form=form)


class AdjustmentCancelView(AdjustmentActView):
    """Cancel an adjustment for a reason; it stays on record."""

    template_name = "ratings/adjustment_cancel.html"

    @cached_property
    def adjustment(self) -> Adjustment:
        adjustment = get_object_or_404(adjustments_in(self.season), pk=self.kwargs["adjustment"])
        adjustment.season = self.season
        return adjustment

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(adjustment=self.adjustment, form=CancelForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = CancelForm(request.POST)
        if form.is_valid():
            try:
                cancel_adjustment(
                    adjustment=self.adjustment, reason=form.cleaned_data["reason"], by=request.user
                )
            except ValidationError as refused:
                form.add_error(None, refused.messages)
            else:
                messages.success(request, _("The adjustment is cancelled."))
                return HttpResponseRedirect(self.adjustment.get_absolute_url())
        return self.page(adjustment=self.adjustment, form=form)
