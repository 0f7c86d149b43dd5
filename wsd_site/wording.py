"""Texts of Django that its own Bulgarian catalogue lacks, so that ours says them. Nothing imports this."""

from django.utils.translation import gettext_noop, ngettext_lazy

TEXTS = (
    gettext_noop("Model name"),
    gettext_noop("Add link"),
    gettext_noop("Change or view list link"),
    gettext_noop("Error:"),
    gettext_noop("Forgotten your login credentials?"),
    gettext_noop("After you’ve created a user, you’ll be able to edit more user options."),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
        "",
    ),
)
