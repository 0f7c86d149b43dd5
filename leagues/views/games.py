"""Entering, correcting, voiding and deleting games."""

from django.views.generic import TemplateView

from leagues.models import Role
from leagues.tenancy.requests import LeagueMixin


class GameCreateView(LeagueMixin, TemplateView):
    role_required = Role.SCORER
    template_name = "leagues/game_form.html"


class GameUpdateView(GameCreateView):
    pass


class GameVoidView(GameCreateView):
    pass


class GameDeleteView(GameCreateView):
    pass


class PlayerSearchView(GameCreateView):
    pass
