"""Prize tiers and who holds them."""

from django.views.generic import TemplateView

from leagues.tenancy.requests import LeagueMixin


class PrizesView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"


class PrizesFileView(LeagueMixin, TemplateView):
    template_name = "ratings/stub.html"
