"""The admin, confined: every model's admin stands on the bases here.

``site`` lets organizers in and shows them what is theirs; ``base`` holds the bases, ``history``
what is shown of the audit log; ``sealed`` is the system check that refuses an admin on another base.
"""

from leagues.tenancy.admin.base import (
    LeagueForm,
    LeagueScopedAdmin,
    LeagueScopedInline,
    LeagueStackedInline,
    LeagueTabularInline,
    RowsField,
    SuperuserAdmin,
    in_zone,
)
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
    "in_zone",
]
