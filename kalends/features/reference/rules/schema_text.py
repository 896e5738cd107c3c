"""The type of a JSON schema in a few words."""

from typing import Any

from kalends.features.changes.model import KINDS, Change
from kalends.http.openapi.derived import REF

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
TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
MAX_INTEGER = 2**63 - 1

Schema = dict[str, Any]


def in_words(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The type in words, such as `text of at most 100 characters`."""
    if "anyOf" in schema:
        return " or ".join(in_words(kind, schemas) for kind in schema["anyOf"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        target = schemas[name]
        return " | ".join(target["enum"]) if "enum" in target else name
    kind, *null = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ["anything"])
    if kind == "array":
        words = f"list of {in_words(schema.get('items', {}), schemas)}"
    elif kind == "object":
        words = f"{{{', '.join(schema['properties'])}}}"
    else:
        words = FORMATS.get(schema.get("format", "")) or TYPES.get(kind, "anything") + _lengths(schema) + _bounds(schema)
    return f"{words} or null" if null else words


def _lengths(schema: dict[str, Any]) -> str:
    minimum, maximum = schema.get("minLength", 0), schema.get("maxLength")
    if maximum is None:
        return ""
    return f" of {minimum} to {maximum:,} characters" if minimum > 1 else f" of at most {maximum:,} characters"


def _bounds(schema: dict[str, Any]) -> str:
    minimum, maximum = schema.get("minimum"), schema.get("maximum")
    if minimum is None or maximum is None or minimum < -MAX_INTEGER:
        return ""
    return f" from {minimum}" if maximum == MAX_INTEGER else f" from {minimum} to {maximum:,}"


def split_changes(schemas: dict[str, Schema]) -> None:
    """Replace the schema of a change by its alternatives, so that clients know by `kind` and `op` which record there is."""
    change = schemas[Change.__name__]
    fields = change["properties"]
    variants = {f"{kind.capitalize()}Put": _variant(fields, {"kind": kind, "op": "put"}, record=kind) for kind in KINDS}
    variants["RecordGone"] = _variant(fields, {"op": "gone"})
    schemas |= variants
    schemas[Change.__name__] = {
        "title": change["title"],
        "description": change["description"],
        "oneOf": [{"$ref": REF.format(name=name)} for name in variants],
    }


def _variant(fields: Schema, constants: dict[str, str], record: str = "") -> Schema:
    names = ["kind", "op", "id", *([record] if record else [])]
    properties = {name: fields[name] for name in names}
    for name, value in constants.items():
        properties[name] = {"type": "string", "const": value, "description": fields[name]["description"]}
    return {"type": "object", "properties": properties, "required": names}
