"""A schema in a few words, for people."""

from typing import Any

FORMATS = {
    "email": "e-mail address",
    "time-zone": "time zone",
    "binary": "file",
    "date-time": "RFC 3339 instant",
    "uri-reference": "address",
}
TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object", "null": "null"}
SHARED = {"Line": "text", "Lines": "text of several lines", "Items": "list of text", "DateTime": "date or time"}
LARGEST = 2**63 - 1


def in_words(schema: dict[str, Any]) -> str:
    """The type that people mean, without the other ways to write it."""
    if "anyOf" in schema:
        first, *rest = schema["anyOf"]
        return in_words(first) + (" or null" if {"type": "null"} in rest else "")
    if "enum" in schema:
        return " | ".join("null" if choice is None else str(choice) for choice in schema["enum"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return SHARED.get(name, "object") + _lengths(schema)
    if schema.get("type") == "array":
        return f"list of {in_words(schema.get('items', {}))}"
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    return TYPES.get(str(schema.get("type", "")), "anything") + _lengths(schema) + _bounds(schema)


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
