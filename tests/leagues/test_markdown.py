"""Markdown of organizers: what it may say, and that text stays text."""

import re
from html.parser import HTMLParser

import pytest
from django.template import engines

from leagues.markdown import to_html


class Markup(HTMLParser):
    """The tags of a text, and the attributes of each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_paragraphs_lists_emphasis_and_tables():
    html = to_html("Hello **all**\n\n- one\n- ~~two~~\n\n| a | b |\n|---|--:|\n| x | 1 |\n")
    assert "<p>Hello <strong>all</strong></p>" in html
    assert re.search(r"<ul>\s*<li>one</li>\s*<li><s>two</s></li>\s*</ul>", html)
    assert '<th class="num">b</th>' in html
    assert '<td class="num">1</td>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    ("text", "top", "tags"),
    [
        ("# A\n\n## B", 2, ["h2", "h3"]),
        ("# A\n\n### B\n\n# C", 3, ["h3", "h4", "h3"]),  # no level is left out
        ("##### A\n", 2, ["h2"]),
        ("# A\n## B\n### C\n#### D", 5, ["h5", "h6", "h6", "h6"]),
        ("A\n===", 2, ["h2"]),
    ],
)
def test_headings_begin_below_the_heading_of_the_page(text, top, tags):
    assert [tag for tag, _attributes in Markup(to_html(text, top)).tags] == tags


def test_links_lead_away_without_a_recommendation_and_without_a_way_back():
    html = to_html("[here](https://example.org/ 'there') and <mailto:a@example.org>")
    ((_p, _), (tag, attributes), (_other, mail)) = Markup(html).tags
    expected = {"href": "https://example.org/", "title": "there", "rel": "nofollow noopener"}
    assert (tag, attributes) == ("a", expected)
    assert mail == {"href": "mailto:a@example.org", "rel": "nofollow noopener"}


@pytest.mark.parametrize(
    "text",
    [
        "![a photo](https://example.org/x.png)",
        '<img src="https://example.org/x.png" alt="a photo">',
        "[![a photo](https://example.org/x.png)](https://example.org/)",
    ],
)
def test_nothing_is_asked_of_another_host(text):
    tags = Markup(to_html(text)).tags
    assert {tag for tag, _attributes in tags} <= {"p", "a"}
    assert not any({"src", "srcset", "style"} & attributes.keys() for _tag, attributes in tags)
    assert "a photo" in to_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<b onclick=x>bold</b>",
        '"\'></script></title><canary-tag oncanary="1">',
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&colon;alert(1))",
        "[x](data:text/html,<script>1</script>)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        '[x](https://example.org/"onmouseover="x)',
        "[x](https://example.org '\" onmouseover=\"x')",
        "```html\n<script>1</script>\n```",
        "`<script>`",
        "<!-- --!><script>1</script>",
        "<svg/onload=x><style>*{}</style><iframe srcdoc=x>",
        "![<script>](x)",
        "[a]: javascript:x\n\n[a]",
        "&lt;script&gt;x&lt;/script&gt;",
    ],
)
def test_xs_01_text_stays_text(text):
    for tag, attributes in Markup(to_html(text)).tags:
        assert tag in {"p", "a", "code", "pre"}
        assert attributes.keys() <= {"href", "title", "rel"}
        assert (attributes.get("href") or "https:").startswith("https:")


def test_template_braces_are_no_template():
    template = engines["django"].from_string("{% load markdown %}{{ text|markdown }}")
    assert template.render({"text": "{{ 6|add:7 }} {% now 'Y' %}"}) == "<p>{{ 6|add:7 }} {% now 'Y' %}</p>\n"


def test_the_filter_says_nothing_of_nothing():
    template = engines["django"].from_string("{% load markdown %}{{ text|markdown:3 }}")
    assert template.render({"text": ""}) == ""
    assert template.render({"text": "# A"}) == "<h3>A</h3>\n"
