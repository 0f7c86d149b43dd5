"""Markdown that organizers write, as HTML that is safe to show.

Text stays text: HTML in it is escaped, and what Markdown makes of it is cleaned once more. Nothing of it
asks another host for anything: an image is told by its description alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

LOWEST_HEADING = 6
TAGS = {
    "p", "br", "hr", "strong", "em", "s", "blockquote", "code", "pre", "a", "ul", "ol", "li",
    "table", "thead", "tbody", "tr", "th", "td", *(f"h{level}" for level in range(2, LOWEST_HEADING + 1)),
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
# The policy of the site allows no style attributes, by which Markdown would align columns.
ALIGNED = {"text-align:right": "num", "text-align:center": "centre"}
SCHEMES = {"http", "https", "mailto"}


def _as_description(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """What stands for an image."""
    return escape(renderer.renderInlineAsText(tokens[index].children or [], options, env))


_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_parser.add_render_rule("image", _as_description)


@lru_cache(maxsize=64)
def to_html(text: str, top: int = 2) -> SafeString:
    """The text as HTML. Its headings begin at ``<h{top}>`` and leave no level out."""
    tokens = _parser.parse(text)
    levels = sorted({token.tag for token in tokens if token.type == "heading_open"})
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(top + levels.index(token.tag), LOWEST_HEADING)}"
        elif aligned := ALIGNED.get(str(token.attrGet("style"))):
            token.attrSet("class", aligned)
    html = nh3.clean(
        _parser.renderer.render(tokens, _parser.options, {}),
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"th": set(ALIGNED.values()), "td": set(ALIGNED.values())},
        url_schemes=SCHEMES,
        link_rel="nofollow noopener",
    )
    return SafeString(html)
