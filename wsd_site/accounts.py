"""Signing in and out, and passwords: Django's views at names of their own."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.http import HttpResponse
from django.urls import path, reverse_lazy

from wsd_site.sign_in import know_device

app_name = "accounts"


class MainHostResetForm(PasswordResetForm):
    """Mails a link to the configured host: the one of the request may be an attacker's."""

    def save(self, *_args: Any, **options: Any) -> None:
        super().save(**options | {"domain_override": settings.MAIN_HOST})


class KnownDeviceResetView(views.PasswordResetConfirmView):
    """Who read the mail owns the account: the browser may sign in however often others have guessed."""

    def form_valid(self, form: Any) -> HttpResponse:
        know_device(self.request, form.user.get_username())
        return super().form_valid(form)


def _next(name: str) -> dict[str, Any]:
    return {"success_url": reverse_lazy(f"accounts:{name}")}


urlpatterns = [
    path("login/", views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path(
        "password/", views.PasswordChangeView.as_view(**_next("password_change_done")), name="password_change"
    ),
    path("password/changed/", views.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path(
        "reset/",
        views.PasswordResetView.as_view(form_class=MainHostResetForm, **_next("password_reset_done")),
        name="password_reset",
    ),
    path("reset/sent/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path(
        "reset/<uidb64>/<token>/",
        KnownDeviceResetView.as_view(**_next("password_reset_complete")),
        name="password_reset_confirm",
    ),
    path("reset/done/", views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
