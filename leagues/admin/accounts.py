"""Accounts of the site, for superusers only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from leagues.models import Organizer
from leagues.tenancy.admin import SuperuserAdmin


class UsersAdmin(SuperuserAdmin, UserAdmin):
    """Accounts. One who organizes a league is deactivated, not deleted: a league needs its owner."""

    actions = None

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_free = obj is None or not Organizer.objects.filter(user=obj).exists()
        return super().has_delete_permission(request, obj) and is_free


class GroupsAdmin(SuperuserAdmin, GroupAdmin):
    pass


admin.site.unregister([User, Group])
admin.site.register(User, UsersAdmin)
admin.site.register(Group, GroupsAdmin)
