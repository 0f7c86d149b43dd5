"""Signing in and out, and passwords: Django's views at names of their own."""

from django.contrib.auth import views
from django.urls import path, reverse_lazy

app_name = "accounts"


def _next(name: str) -> dict[str, object]:
    return {"success_url": reverse_lazy(f"accounts:{name}")}


urlpatterns = [
    path("login/", views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path(
        "password/", views.PasswordChangeView.as_view(**_next("password_change_done")), name="password_change"
    ),
    path("password/changed/", views.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path("reset/", views.PasswordResetView.as_view(**_next("password_reset_done")), name="password_reset"),
    path("reset/sent/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path(
        "reset/<uidb64>/<token>/",
        views.PasswordResetConfirmView.as_view(**_next("password_reset_complete")),
        name="password_reset_confirm",
    ),
    path("reset/done/", views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
