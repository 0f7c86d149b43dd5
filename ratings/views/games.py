"""Games of a season, and one game explained."""

from django.views.generic import TemplateView

from leagues.tenancy.requests import LeagueMixin


class GameListView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class GameDetailView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class GamesFileView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class ChangesFileView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"
