"""The leagues of this site."""

from __future__ import annotations

from typing import Any

from django.views.generic import TemplateView

from leagues.services.directory import listed_leagues
from leagues.tenancy.reach import reach_of


class DirectoryView(TemplateView):
    """Every public league with its season now, and for organizers their own."""

    template_name = "leagues/directory.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            leagues=listed_leagues(self.request.user),
            is_organizer=reach_of(self.request).anywhere(),
            **kwargs,
        )
