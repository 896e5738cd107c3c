"""A schema in a few words, for people."""

from typing import Any

FORMATS = {
    "email": "e-mail address",
    "time-zone": "time zone",
    "binary": "file",
    "date-time": "RFC 3339 instant",
    "uri": "address",
    "uri-reference": "address",
    "date-or-date-time": "date or time",
    "phone": "phone number",
    "user-name": "user name",
}
TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object", "null": "null"}
LARGEST = 2**63 - 1


def in_words(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The type as people say it."""
    if "anyOf" in schema:
        return " or ".join(in_words(kind, schemas) for kind in schema["anyOf"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        target = schemas[name]
        return " | ".join(target["enum"]) if "enum" in target else name
    kind, *null = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ["anything"])
    if kind == "array":
        words = f"list of {in_words(schema.get('items', {}), schemas)}"
    else:
        words = FORMATS.get(schema.get("format", "")) or TYPES.get(kind, "anything") + _lengths(schema) + _bounds(schema)
    return f"{words} or null" if null else words


def _lengths(schema: dict[str, Any]) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if most is None:
        return ""
    return f" of {least} to {most:,} characters" if least > 1 else f" of at most {most:,} characters"


def _bounds(schema: dict[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None or most is None or least < -LARGEST:
        return ""
    return f" from {least}" if most == LARGEST else f" from {least} to {most:,}"
