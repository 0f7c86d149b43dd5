"""The page that describes the API, read from its OpenAPI document: without scripts, like every page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja.openapi.docs import DocsBase

if TYPE_CHECKING:
    from ninja import NinjaAPI

Schema = Mapping[str, Any]

OBJECTS = "#/components/schemas/"
# What stands for the parts of an address in the examples.
NAMES = {
    "league": "wsd", "season": "2026", "player": "ann", "game": "17",
    "battle": "5f0c1c1e-7a0b-4f0e-9d53-1f1a3c1f7a11",
}  # fmt: skip
HEADERS = {"Idempotency-Key": "5f0c1c1e-7a0b-4f0e-9d53-1f1a3c1f7a11", "If-Match": '"3"'}


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter or field: ``kind`` in the words of JSON, then ``of``, the object that it is or holds."""

    name: str
    kind: str
    of: str
    may_be_null: bool
    limits: str
    text: str
    required: bool


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    text: str
    kind: str
    of: str
    is_success: bool


@dataclass(frozen=True, slots=True)
class Operation:
    key: str
    method: str
    parts: list[str]  # of the address, between the slashes
    summary: str
    text: str
    parameters: list[Value]
    body: str  # the object that is sent; empty where none is
    answers: list[Answer]
    needs_token: bool
    curl: str


@dataclass(frozen=True, slots=True)
class Object:
    name: str
    text: str
    fields: list[Value]


class Reader:
    """Reads an OpenAPI document; ``objects`` are those that its operations send and answer, by name."""

    def __init__(self, document: Schema, site: str) -> None:
        self.document, self.site = document, site
        self.schemas: Schema = document["components"]["schemas"]

    def chapters(self) -> list[tuple[str, list[Operation]]]:
        found = [
            (operation["tags"][0], self._operation(path, method, operation))
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        ]
        tags = list(dict.fromkeys(tag for tag, _operation in found))
        found.sort(key=lambda each: tags.index(each[0]))
        return [(tag, [each for _tag, each in group]) for tag, group in groupby(found, lambda each: each[0])]

    def objects(self, chapters: Iterable[tuple[str, list[Operation]]]) -> list[Object]:
        operations = [operation for _tag, each in chapters for operation in each]
        waiting = [operation.body for operation in operations if operation.body]
        waiting += [answer.of for operation in operations for answer in operation.answers if answer.of]
        found: dict[str, Object] = {}
        while waiting:
            name = waiting.pop()
            if name not in found:
                schema = self.schemas[name]
                fields = list(self._fields(schema))
                found[name] = Object(name, schema.get("description", ""), fields)
                waiting += [field.of for field in fields if field.of]
        return [found[name] for name in sorted(found)]

    def _operation(self, path: str, method: str, operation: Schema) -> Operation:
        body: Schema = operation.get("requestBody", {})
        parameters = [
            _value(each["name"], each["schema"], required=each["required"])
            for each in operation["parameters"]
        ]
        return Operation(
            key=operation["operationId"].removeprefix("ratings_api_"),
            method=method.upper(),
            parts=path.strip("/").split("/"),
            summary=operation["summary"],
            text=operation.get("description", ""),
            parameters=parameters,
            body=_kind(_content(body))[1] if body else "",
            answers=[self._answer(*each) for each in sorted(operation["responses"].items())],
            needs_token=bool(operation.get("security")),
            curl=self._curl(path, method, operation),
        )

    def _answer(self, status: str, answer: Schema) -> Answer:
        schema = _content(answer)
        kind, name = _kind(schema) if schema else ("", "")
        listed = self.schemas.get(name, {}).get("properties", {}).get("items")
        if listed:  # a page of a list, which all have the same shape
            kind, name = _kind(listed)
        return Answer(status, answer["description"], kind, name, is_success=status.startswith("2"))

    def _fields(self, schema: Schema) -> Iterator[Value]:
        # Told of what is sent, which allows no other names: in an answer all is there.
        required = schema.get("required", ()) if schema.get("additionalProperties") is False else ()
        for name, each in schema.get("properties", {}).items():
            yield _value(name, each, required=name in required)

    def _curl(self, path: str, method: str, operation: Schema) -> str:
        lines = [f"curl {self.site}{path.format(**NAMES)}"]
        if method not in {"get", "post"}:
            lines[0] = lines[0].replace("curl", f"curl -X {method.upper()}", 1)
        elif method == "post" and "requestBody" not in operation:
            lines[0] = lines[0].replace("curl", "curl -X POST", 1)
        headers = {"Authorization": "Bearer wsd_…"} if operation.get("security") else {}
        headers |= {
            each["name"]: HEADERS[each["name"]] for each in operation["parameters"] if each["in"] == "header"
        }
        if body := operation.get("requestBody"):
            headers["Content-Type"] = "application/json"
        lines += [f"-H '{name}: {value}'" for name, value in headers.items()]
        if body:
            lines.append(f"-d '{json.dumps(self._example(_content(body)), ensure_ascii=False)}'")
        return " \\\n  ".join(lines)

    def _example(self, schema: Schema) -> Any:
        """A value that the schema allows: the one it gives itself, else one made of what it requires."""
        if "$ref" in schema:
            return self._example(self.schemas[schema["$ref"].removeprefix(OBJECTS)])
        if "examples" in schema:
            return schema["examples"][0]
        match schema.get("type"):
            case "object":
                return {name: self._example(schema["properties"][name]) for name in schema["required"]}
            case "array":
                return [self._example(schema["items"])] * schema.get("minItems", 1)
            case "integer" | "number":
                return 1
        return "…"


def _content(part: Schema) -> Schema:
    """The schema of a body or an answer; empty where it has none."""
    schema: Schema = part.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _value(name: str, schema: Schema, *, required: bool) -> Value:
    others = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    kind, of = _kind(others[0])
    text = schema.get("description") or others[0].get("description", "")
    limits = _limits({**others[0], **schema})
    return Value(name, kind, of, "anyOf" in schema, limits, text, required)


def _kind(schema: Schema) -> tuple[str, str]:
    """What a value is in the words of JSON, and the name of the object that it is or holds."""
    if "$ref" in schema:
        return "", schema["$ref"].removeprefix(OBJECTS)
    if schema.get("type") == "array":
        kind, of = _kind(schema["items"])
        return f"array of {kind}", of
    return schema.get("format") or schema.get("type", "any"), ""


def _limits(schema: Schema) -> str:
    said = []
    if "maximum" in schema:
        said.append(f"{schema['minimum']:,} to {schema['maximum']:,}")
    if "maxLength" in schema:
        said.append(f"at most {schema['maxLength']} characters")
    if "enum" in schema:
        said.append(" | ".join(map(str, schema["enum"])))
    if schema.get("default") not in {None, ""}:
        said.append(f"default {json.dumps(schema['default'])}")
    return ", ".join(said)


@lru_cache(maxsize=16)
def read(api: NinjaAPI, site: str) -> dict[str, Any]:
    """What the page shows of the API as it answers at ``site``."""
    # Through JSON, as programs get it: the schema itself holds classes.
    document = json.loads(json.dumps(api.get_openapi_schema()))
    reader = Reader(document, site)
    chapters = reader.chapters()
    return {
        "chapters": chapters,
        "objects": reader.objects(chapters),
        "text": document["info"]["description"],
    }


class DocsPage(DocsBase):
    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        context = read(api, f"{request.scheme}://{request.get_host()}")
        return render(request, "api_docs.html", context | {"openapi": self.get_openapi_url(api, kwargs)})
