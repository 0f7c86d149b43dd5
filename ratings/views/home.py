"""A league's home."""

from django.views.generic import TemplateView

from leagues.tenancy.requests import LeagueMixin


class LeagueHomeView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"
