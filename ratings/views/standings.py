"""The standings of a season."""

from django.views.generic import TemplateView

from leagues.tenancy.requests import LeagueMixin


class StandingsView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class StandingsFileView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"
