"""The admin's place in the list of applications."""

from django.contrib.admin.apps import AdminConfig


class SiteAdminConfig(AdminConfig):
    """Django's admin with the site of leagues/tenancy/admin, which confines each organizer."""

    default_site = "leagues.tenancy.admin.LeagueAdminSite"
