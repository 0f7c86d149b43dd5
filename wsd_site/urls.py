"""Addresses. What stands here first cannot be a league's address."""

from django.contrib import admin
from django.urls import include, path

from wsd_site.api import api
from wsd_site.health import healthz

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("wsd_site.accounts")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("healthz", healthz, name="healthz"),
    path("api/v1/", api.urls),
    path("", include("leagues.urls")),
    path("", include("ratings.urls")),
]
