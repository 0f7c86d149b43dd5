"""The leagues of this site."""

from __future__ import annotations

from typing import Any

from django.views.generic import TemplateView

from leagues.services.directory import listed_leagues


class DirectoryView(TemplateView):
    """Every public league with its season now, and for organizers their own."""

    template_name = "leagues/directory.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user = self.request.user
        return super().get_context_data(
            leagues=listed_leagues(user),
            is_organizer=user.is_superuser or (user.is_authenticated and user.organizer_roles.exists()),
            **kwargs,
        )
