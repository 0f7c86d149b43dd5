"""A person's data as a file."""

from __future__ import annotations

from typing import Any

from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.views.generic import View

from leagues.models import Player, Role
from leagues.tenancy.requests import LeagueMixin
from ratings.services.personal import data_of


class PersonalFileView(LeagueMixin, View):
    """All that the league knows of a player: for the player, or for an organizer to hand to that person."""

    role_required: Role | None = Role.MANAGER

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if request.player == kwargs["player"]:
            self.role_required = None

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> JsonResponse:
        players = Player.objects.in_league(self.league).select_related("league")
        player = get_object_or_404(players, slug=self.kwargs["player"])
        return JsonResponse(
            data_of(player),
            json_dumps_params={"ensure_ascii": False, "indent": 2},
            headers={
                "Content-Disposition": f'attachment; filename="{self.league.slug}-{player.slug}.json"',
                "Cache-Control": "private, no-store",
            },
        )
