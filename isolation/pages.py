"""The forms of a page, filled in, and then each field with what belongs to another league."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count

from isolation.world import Side

Data = dict[str, list[str]]

# What fields and parameters call rows that have another name as models.
KINDS = {
    "members": "player",
    "opponent": "player",
    "white": "player",
    "black": "player",
    "keep": "player",
    "like": "season",
    "gone": "player",
    "undo": "player",
    "absent": "player",
    "alias": "playeralias",
    "aliases": "playeralias",
    "prize_tiers": "prizetier",
    "rule_set": "ruleset",
    "sides": "side",
    "user": "user",
    "by": "user",
}
TYPED = {
    "text": "Word",
    "number": "1",
    "date": "2026-05-03",
    "time": "18:00:00",
    "email": "a@example.org",
    "datetime-local": "2026-05-03T18:00",
}
SEPARATORS = ("-", "__")
NAMES = "_names"


@dataclass
class Form:
    action: str
    fields: list[tuple[str, str, str]] = field(default_factory=list)  # name, kind, value


class FormReader(HTMLParser):
    """The forms of a page that are sent by POST."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""))
            if given.get("method", "").lower() == "post":
                self.forms.append(self._form)
        elif (
            self._form is not None and tag in ("input", "textarea", "select", "button") and given.get("name")
        ):
            kind = given.get("type", "text") if tag == "input" else tag
            self._form.fields.append((given["name"], kind, given.get("value", "")))
            self._select = given["name"] if tag == "select" else None
        elif self._form is not None and tag == "option" and self._select and "selected" in given:
            self._form.fields.append((self._select, "select", given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None


def kind_of(name: str, side: Side) -> str | None:
    """The model of the rows that a field or parameter of this name takes, if it takes any."""
    for separator in SEPARATORS:
        name = name.replace(separator, " ")
    words = [word for word in name.split() if not word.isdecimal()]
    if words[-1:] == ["id"] and len(words) > 1:
        words.pop()
    last = words[-1] if words else ""
    kind = KINDS.get(last, last.replace("_", ""))
    return kind if side.ids.get(kind) else None


def filled(form: Form, a: Side) -> Data:
    """The form as somebody of league A would send it: what the page has in it, and its gaps filled."""
    data: Data = {}
    numbers = count()
    for name, kind, value in form.fields:
        if kind in ("submit", "button", "file", "image") or name == "csrfmiddlewaretoken":
            continue
        rows = kind_of(name, a)
        if not value and rows:
            ids = a.ids[rows]
            value = str(ids[next(numbers) % len(ids)]) if kind == "select" else a.slugs.get(rows, "")
        value = value or TYPED.get(kind, "")
        if value or name not in data:
            data[name] = [value]
    return data


def poisoned(form: Form, a: Side, b: Side) -> Iterator[Data]:
    """The filled form once for each field that names a row, with one of league B there; then with all."""
    data = filled(form, a)
    everywhere = dict(data)
    buttons = {name: [value] for name, kind, value in form.fields if kind in ("submit", "button") and name}
    for name in data:
        values = foreign_values(name, b, is_choice=any(each[:2] == (name, "select") for each in form.fields))
        for value in values:
            everywhere[name] = [value]
            yield {**data, name: [value]}
        if name.endswith(NAMES) and not values:  # the picker of players sends names, or else ids
            by_id = {key: each for key, each in data.items() if key != name}
            yield by_id | {name.removesuffix(NAMES): [str(b.ids["player"][0])]}
    yield everywhere
    if buttons:
        yield everywhere | buttons


def foreign_values(name: str, b: Side, *, is_choice: bool) -> list[str]:
    """What a field or parameter of this name would take for rows of league B."""
    kind = kind_of(name, b)
    if kind is None:
        return [str(b.league.pk)] if is_choice else []
    values = [str(b.ids[kind][0])]
    return [*values, b.slugs[kind]] if kind in b.slugs and not is_choice else values
