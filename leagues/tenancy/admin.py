"""The admin, confined: every model's admin stands on the base here."""

from django.contrib.admin import AdminSite


class LeagueAdminSite(AdminSite):
    pass
