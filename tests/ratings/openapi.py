"""Whether a JSON answer is what the API's own description says."""

from __future__ import annotations

from typing import Any

TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip


def differences(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "$") -> list[str]:
    """Where the value is not of the schema; a key that the schema does not know is a difference too."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        tried = [differences(value, each, document, at) for each in schema["anyOf"]]
        return [] if [] in tried else [f"{at}: {value!r} is none of {schema['anyOf']}"]
    kind = schema["type"]
    is_bool_as_number = isinstance(value, bool) and kind in ("integer", "number")
    if not isinstance(value, TYPES[kind]) or is_bool_as_number:
        return [f"{at}: {value!r} is no {kind}"]
    if kind == "array":
        return [
            each
            for index, item in enumerate(value)
            for each in differences(item, schema["items"], document, f"{at}[{index}]")
        ]
    if kind == "object" and "properties" in schema:
        known = schema["properties"]
        missing = [f"{at}.{name}: missing" for name in schema.get("required", []) if name not in value]
        strange = [f"{at}.{name}: not described" for name in value if name not in known]
        inside = [
            each
            for name in value
            if name in known
            for each in differences(value[name], known[name], document, f"{at}.{name}")
        ]
        return missing + strange + inside
    return []
