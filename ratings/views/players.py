"""Players of a league, and a player in a season."""

from django.views.generic import TemplateView

from leagues.tenancy.requests import LeagueMixin


class PlayerListView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class PlayerCareerView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class PlayerSeasonView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class PlayersFileView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"
