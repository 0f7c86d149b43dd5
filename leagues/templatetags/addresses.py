"""Addresses that lead to the main host from wherever they are."""

from typing import Any

from django import template
from django.urls import reverse

from leagues.tenancy import hosts

register = template.Library()


@register.simple_tag(takes_context=True)
def main_url(context: Any, name: str) -> str:
    """The address of a page of the site itself: ``{% main_url "leagues:directory" %}``."""
    return hosts.main_url(context.get("request"), name)


@register.simple_tag(takes_context=True)
def sign_in_url(context: Any) -> str:
    """Where to sign in, and then come back to this page."""
    return hosts.sign_in_url(context["request"])


@register.simple_tag(takes_context=True)
def canonical_url(context: Any, name: str, **kwargs: Any) -> str:
    """The whole address of a page of the context's league, for other sites."""
    league = context["league"]
    address = reverse(name, kwargs={"league": league.slug, **kwargs})
    return hosts.canonical_address(context["request"], league, address)
