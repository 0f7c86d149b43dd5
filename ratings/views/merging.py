"""Merging players who are one person."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from leagues.models import AuditEntry, Player, Role, Season
from leagues.services import merge_players, plan_merge, undo_merge
from leagues.services.duplicates import likely_duplicates
from leagues.services.merging import Merge
from leagues.tenancy.requests import LeagueMixin
from ratings.forms.merging import MergeForm, UndoMergeForm
from ratings.services.merging import preview_merge


class PlayerMergeView(LeagueMixin, TemplateView):
    """Choose two players, see what merging them would change, and do it, or take a merge back."""

    template_name = "ratings/player_merge.html"
    role_required = Role.MANAGER

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = MergeForm(request.GET if {"keep", "gone"} & request.GET.keys() else None, league=self.league)
        merge = self._planned(form) if form.is_valid() else None
        return self._page(form, merge=merge, seasons=preview_merge(merge) if merge else [])

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if "undo" in request.POST:
            return self._undone()
        form = MergeForm(request.POST, league=self.league)
        if form.is_valid():
            try:
                keep = merge_players(by=request.user, **form.cleaned_data)
            except ValidationError as refused:
                form.add_error(None, refused.messages)
            else:
                gone = form.cleaned_data["gone"].name
                done = _("%(gone)s is merged into %(keep)s.") % {"gone": gone, "keep": keep.name}
                acts = AuditEntry.objects.in_league(self.league).filter(action="merge_players")
                undo = acts.filter(object_type="player", object_id=keep.pk).undo_url()
                messages.success(request, done, extra_tags=undo)
                return redirect("ratings:player-career", self.league.slug, keep.slug)
        return self._page(form)

    def _undone(self) -> HttpResponse:
        merged = Player.with_merged.in_league(self.league).exclude(merged_into=None)
        form = UndoMergeForm(self.request.POST)
        form.is_valid()
        gone = get_object_or_404(merged, slug=form.cleaned_data.get("undo", ""))
        try:
            undo_merge(gone=gone, by=self.request.user)
        except ValidationError as refused:
            messages.error(self.request, refused.messages[0])
        else:
            messages.success(self.request, _("%(name)s is a player again.") % {"name": gone.name})
        return HttpResponseRedirect(self.request.path)

    def _planned(self, form: MergeForm) -> Merge | None:
        try:
            return plan_merge(**form.cleaned_data)
        except ValidationError as refused:
            form.add_error(None, refused.messages)
            return None

    def _page(self, form: MergeForm, **context: Any) -> HttpResponse:
        merged = Player.with_merged.in_league(self.league).exclude(merged_into=None)
        seasons = Season.objects.in_league(self.league).select_related("rule_set")
        self.season = seasons.current_first().first()  # for the menu
        return self.render_to_response(
            self.get_context_data(
                form=form,
                suggested=[] if form.is_bound else likely_duplicates(self.league),
                merged=[] if form.is_bound else merged.select_related("merged_into"),
                **context,
            )
        )
