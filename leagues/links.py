"""Links that people write below each other: a label, and then where it leads."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext as _

MOST_LINKS = 8
LABEL_LENGTH = 60

_check_address = URLValidator(schemes=["https"])


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    url: str


def links_in(text: str) -> list[Link]:
    """The links of a text, one a line: “Our club https://example.org”. Lines without one are left out."""
    return [link for line in text.splitlines() if (link := _link(line)) is not None]


def _link(line: str) -> Link | None:
    label, _space, url = line.strip().rpartition(" ")
    try:
        _check_address(url)
    except ValidationError:
        return None
    return Link(label.strip() or url.removeprefix("https://").strip("/"), url)


def check_links(text: str) -> None:
    """Validator of such a text. Raises ValidationError that names each line that is no link."""
    lines = [line.strip() for line in text.splitlines()]
    problems = [
        _("Line %(number)d: “%(line)s” does not end with an address like https://example.org.")
        % {"number": number, "line": line[:LABEL_LENGTH]}
        for number, line in enumerate(lines, 1)
        if line and _link(line) is None
    ]
    links = links_in(text)
    problems += [
        _("“%(label)s…” is too long: a label has at most 60 characters.")
        % {"label": link.label[:LABEL_LENGTH]}
        for link in links
        if len(link.label) > LABEL_LENGTH
    ]
    if len(links) > MOST_LINKS:
        problems.append(_("There are %(count)d links; 8 are shown at most.") % {"count": len(links)})
    if problems:
        raise ValidationError(problems)
