"""The admin's place in the list of applications."""

from django.contrib.admin.apps import AdminConfig


class SiteAdminConfig(AdminConfig):
    """Django's admin with the site of leagues/tenancy/admin.py, which confines each organiser."""

    default_site = "leagues.tenancy.admin.LeagueAdminSite"
