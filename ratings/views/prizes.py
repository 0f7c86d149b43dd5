"""Prize tiers, who holds them, and changing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.forms.changing import refuse
from leagues.models import Role, Season
from leagues.services.audit import read_locked
from leagues.services.holding import hold
from leagues.tenancy.requests import LeaguePage
from ratings.forms.prizes import PrizeTierForm
from ratings.models import PrizeTier
from ratings.services.facts import shown_rules
from ratings.services.prizes import HeldTier, nearest_to_a_place, passed_over, prize_tiers
from ratings.services.rules import change_prize_tiers
from ratings.views.files import TableFileView
from ratings.views.live import LiveMixin

FILE_COLUMNS = (
    "tier", "first_place", "last_place", "prize", "unit", "participants", "place", "player", "address",
    "amount",
)  # fmt: skip


class PrizesView(LiveMixin):
    """A card for each tier: what it is worth now, who holds it, and who comes next."""

    template_name = "ratings/prizes.html"
    fragment_name = "ratings/_prizes.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        tiers = prize_tiers(self.season)
        nobody = tiers and not any(held.holders for held in tiers)
        return super().get_context_data(
            tiers=tiers,
            nearest=nearest_to_a_place(self.season) if nobody else None,
            passed_over=passed_over(self.season, tiers) if tiers and not nobody else [],
            rules=shown_rules(self.season),
            **kwargs,
        )


class PrizesFileView(TableFileView):
    """A row for each holder of a tier; a tier that nobody holds has one without a player."""

    table = "prizes"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        return _file_rows(prize_tiers(self.season))


def _file_rows(tiers: Iterable[HeldTier]) -> Iterator[Sequence[object]]:
    yield FILE_COLUMNS
    for held in tiers:
        tier = held.tier
        prize = [tier.name, tier.first_place, tier.last_place, held.amount, tier.unit, held.participants]
        for standing, amount in held.holders:
            yield [*prize, standing.place, standing.player.name, standing.player.slug, amount]
        if not held.holders:
            yield [*prize, None, None, None, None]


class PrizeTierPage(LeaguePage):
    """A page on which managers change prizes; of a closed season it only says that it is closed."""

    template_name = "ratings/prize_form.html"
    role_required = Role.MANAGER
    season: Season

    def refuse_stale(self, form: PrizeTierForm) -> None:
        """Raise ValidationError where the prize is not what the form was filled with; a new one is."""

    def saved(self, form: PrizeTierForm) -> HttpResponse:
        if form.is_valid():
            tier = form.save(commit=False)  # the service saves it
            try:
                with transaction.atomic():
                    # Of two who save at once the second is compared with what the first has saved.
                    hold(self.season)
                    self.refuse_stale(form)
                    change_prize_tiers(season=self.season, saved=[tier], by=self.request.user)
            except ValidationError as refused:
                refuse(form, refused)
            else:
                messages.success(self.request, _("The prize “%(name)s” is saved.") % {"name": tier.name})
                return self.to_list()
        return self.page(form=form)

    def to_list(self) -> HttpResponse:
        kwargs = {"league": self.league.slug, "season": self.season.slug}
        return HttpResponseRedirect(reverse("ratings:prizes", kwargs=kwargs))


class PrizeTierCreateView(PrizeTierPage):
    """Add a prize, for the place after those that have one."""

    def form(self, data: Any = None) -> PrizeTierForm:
        last = self.season.prize_tiers.order_by("-last_place").first()
        tier = PrizeTier(season=self.season, first_place=last.last_place + 1 if last else 1)
        if last:
            tier.unit, tier.per_participant, tier.tie_rule = last.unit, last.per_participant, last.tie_rule
        return PrizeTierForm(data, instance=tier)

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=self.form())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.saved(self.form(request.POST))


class PrizeTierUpdateView(PrizeTierPage):
    """Change a prize, or delete it."""

    @cached_property
    def tier(self) -> PrizeTier:
        return get_object_or_404(PrizeTier.objects.filter(season=self.season), pk=self.kwargs["prizetier"])

    def refuse_stale(self, form: PrizeTierForm) -> None:
        form.refuse_stale(read_locked(PrizeTier.objects.all(), self.tier))

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=PrizeTierForm(instance=self.tier))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if "delete" in request.POST:
            return self.deleted()
        return self.saved(PrizeTierForm(request.POST, instance=self.tier))

    def deleted(self) -> HttpResponse:
        form = PrizeTierForm(self.request.POST, instance=self.tier)
        try:
            with transaction.atomic():
                hold(self.season)
                self.refuse_stale(form)
                change_prize_tiers(season=self.season, deleted=[self.tier], by=self.request.user)
        except ValidationError as refused:
            messages.error(self.request, refused.messages[0])
            if getattr(refused, "code", "") == "conflict":
                return HttpResponseRedirect(self.request.path)  # where it is shown as it is now
        else:
            messages.success(self.request, _("The prize “%(name)s” is deleted.") % {"name": self.tier.name})
        return self.to_list()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(tier=self.tier, **kwargs)
