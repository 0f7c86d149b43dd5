"""What a page's head says twice: to browsers, and to sites that show a link to it."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language, to_locale

register = template.Library()

# A language alone is no locale; English has the dates of Britain here (leagues/formats.py).
LOCALES = {"bg": "bg_BG", "en": "en_GB", "tr": "tr_TR"}


class RememberNode(template.Node):
    def __init__(self, nodelist: template.NodeList, name: str) -> None:
        self.nodelist, self.name = nodelist, name

    def render(self, context: Any) -> str:
        # Rendered already, so with what people typed escaped: safe in a text and in quotes alike.
        context[self.name] = SafeString(" ".join(self.nodelist.render(context).split()))
        return ""


@register.tag
def remember(parser: Any, token: Any) -> RememberNode:
    """Render what stands between, blocks too, on one line, for several places: ``{% remember title %}``."""
    try:
        _tag, name = token.split_contents()
    except ValueError:
        raise template.TemplateSyntaxError("remember takes the name to remember by.") from None
    nodelist = parser.parse(("endremember",))
    parser.delete_first_token()
    return RememberNode(nodelist, name)


@register.simple_tag
def og_locale() -> str:
    """The active language as Open Graph writes it: bg_BG."""
    language = get_language() or ""
    return LOCALES.get(language, to_locale(language))
