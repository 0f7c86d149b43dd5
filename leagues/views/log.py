"""The league's own log, for its organizers."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.views.generic import TemplateView

from leagues.forms.log import LogFilterForm
from leagues.models import AuditEntry, Role
from leagues.tenancy.admin.history import ACTS, act, differences
from leagues.tenancy.requests import LeagueMixin
from leagues.views.undo import UNDOS, undoable

ACTS_A_PAGE = 50


class LogView(LeagueMixin, TemplateView):
    """Who did what in the league, the latest first."""

    role_required = Role.SCORER
    template_name = "leagues/log.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = LogFilterForm(self.request.GET, league=self.league, actions=ACTS)
        form.is_valid()
        entries = form.narrow(AuditEntry.objects.in_league(self.league)).select_related("by")
        page = Paginator(entries, ACTS_A_PAGE).get_page(self.request.GET.get("page"))
        undo, role = undoable(list(page)), self.request.role
        acts = [
            (
                entry,
                act(entry),
                differences(entry),
                entry.pk in undo and role.covers(UNDOS[entry.action].role),
            )
            for entry in page
        ]
        return super().get_context_data(form=form, page=page, acts=acts, **kwargs)
