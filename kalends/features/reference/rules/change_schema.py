"""The schema of a change: one object for each kind of record that was put, with the record, and one for those that are gone."""

from typing import Any

from kalends.features.changes.model import KINDS, Change
from kalends.http.openapi.derived import REF

Schema = dict[str, Any]


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
