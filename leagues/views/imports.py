"""Importing a game file: upload, preview, confirm."""

from django.views.generic import TemplateView

from leagues.models import Role
from leagues.tenancy.requests import LeagueMixin


class ImportView(LeagueMixin, TemplateView):
    role_required = Role.MANAGER
    template_name = "leagues/import_form.html"
