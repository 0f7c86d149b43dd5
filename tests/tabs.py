"""Forms as browser tabs hold them: filled by the page, and sent some time later."""

from __future__ import annotations

from typing import Any

from django.test import Client

from isolation.pages import FormReader


def filled(client: Client, address: str, **typed: Any) -> dict[str, Any]:
    """The form of a page that changes a row, as the page fills it, with what is typed."""
    forms = [
        {name: value for name, kind, value in form.fields if is_sent(kind, value)}
        for form in FormReader(client.get(address).content.decode()).forms
    ]
    (form,) = [each for each in forms if {"seen", "version"} & each.keys()]
    return form | typed


def is_sent(kind: str, value: str) -> bool:
    """Whether a browser sends a field that nobody has touched."""
    return kind not in ("submit", "button", "checkbox") and (value != "" or kind != "select")
