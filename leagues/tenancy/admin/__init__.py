"""The admin, confined: every model's admin stands on the bases here.

``site`` lets organizers in and shows them what is theirs; ``base`` holds the bases of a league's rows, with
their ``forms`` and ``display``, ``accounts`` the one of all else, ``history`` what is shown of the audit log;
``sealed`` is the system check that refuses an admin on another base.
"""

from leagues.tenancy.admin.accounts import SuperuserAdmin
from leagues.tenancy.admin.base import (
    LeagueScopedAdmin,
    LeagueScopedInline,
    LeagueStackedInline,
    LeagueTabularInline,
)
from leagues.tenancy.admin.display import YesNoFilter, in_zone
from leagues.tenancy.admin.forms import LeagueForm, RowsField
from leagues.tenancy.admin.site import LeagueAdminSite

__all__ = [
    "LeagueAdminSite",
    "LeagueForm",
    "LeagueScopedAdmin",
    "LeagueScopedInline",
    "LeagueStackedInline",
    "LeagueTabularInline",
    "RowsField",
    "SuperuserAdmin",
    "YesNoFilter",
    "in_zone",
]
