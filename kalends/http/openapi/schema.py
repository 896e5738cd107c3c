"""JSON schemas of parameters, as OpenAPI describes them: the one form of each value that clients should send.

The readers in fields.py accept more (`"7"` for 7, `yes` for true, comma-delimited lists). Describing all of it would make clients
that are generated from the description harder to use, or break them.

Two things about a Struct go beyond its fields, and are class variables of it. `SETS`: exactly one of these sets of fields is
sent. `RULES`: what no schema can say, by the field that a broken rule names, in words."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import replace

from kalends.http.input.fields import INT_MAX, INT_MIN, MAX_ITEMS, Field, Upload, described, fields_of

Schema = dict[str, Any]


class Carrier(Enum):
    """What carries the parameters of a request. A query string and multipart know no objects in objects."""

    JSON = "application/json"
    MULTIPART = "multipart/form-data"
    QUERY = "query"


def object_schema(kind: type[Struct], carrier: Carrier, *, partial: bool = False) -> Schema:
    """The Struct as one object."""
    fields = list(carried(kind, carrier))
    sets: tuple[tuple[str, ...], ...] = getattr(kind, "SETS", ())
    if sets:
        return {"oneOf": [_one_set(fields, names, carrier) for names in sets]}
    schema: Schema = {"type": "object", "properties": {field.name: field_schema(field, carrier, partial=partial) for field in fields}}
    required = [field.name for field in fields if field.required and not partial]
    return schema | ({"required": required} if required else {})


def carried(kind: type[Struct], carrier: Carrier) -> Iterator[Field]:
    """The fields as the carrier names them: `name[inner]` is an object's field. A file that may be left out is not described:
    actions that read files have endpoints of their own."""
    for field in fields_of(kind):
        bare, meta = described(field.type)
        if field.is_file and not field.required:
            continue
        if isinstance(bare, type) and issubclass(bare, Struct) and not field.is_file and carrier is not Carrier.JSON:
            if meta.extra and "instead" in meta.extra:
                yield replace(field, type=meta.extra["instead"])
            for inner in carried(bare, carrier):
                yield replace(inner, name=f"{field.name}[{inner.name}]", required=inner.required and field.required)
        else:
            yield field


def rules_of(kind: type[Struct]) -> dict[str, str]:
    return dict(getattr(kind, "RULES", {}))


def field_schema(field: Field, carrier: Carrier, *, partial: bool = False) -> Schema:
    """One field: its type, or null where that clears it. What a partial update leaves out stays as it is."""
    schema = _type_schema(field.type, carrier)
    if field.optional and carrier is Carrier.JSON:
        schema = nullable(schema)
    _, meta = described(field.type)
    if meta.description:
        schema["description"] = meta.description
    if meta.examples:
        schema["examples"] = meta.examples
    default = None if field.required or partial else field.fallback()
    return schema | ({"default": default} if isinstance(default, str | int) else {})


def nullable(schema: Schema) -> Schema:
    """The same schema, or null."""
    if "enum" in schema:
        return schema | {"type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str):
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _one_set(fields: list[Field], names: tuple[str, ...], carrier: Carrier) -> Schema:
    properties = {
        field.name: field_schema(replace(field, required=True, optional=False), carrier) for field in fields if field.name in names
    }
    return {"title": " and ".join(names), "type": "object", "properties": properties, "required": list(names)}


def _type_schema(hint: Any, carrier: Carrier) -> Schema:
    bare, meta = described(hint)
    if get_origin(bare) is list:
        return {"type": "array", "items": _type_schema(get_args(bare)[0], carrier), "maxItems": meta.max_length or MAX_ITEMS}
    if get_origin(bare) is Literal:
        return {"type": "string", "enum": list(get_args(bare))}
    if bare is bool:
        return {"type": "boolean"}
    if bare is int:
        low, high = INT_MIN if meta.ge is None else int(meta.ge), INT_MAX if meta.le is None else int(meta.le)
        return {"type": "integer", "format": "int64", "minimum": low, "maximum": high}
    if bare is str:
        return _text(meta)
    if bare is Upload:
        return {"type": "string", "format": "binary"}
    return object_schema(bare, carrier)


def _text(meta: Meta) -> Schema:
    extra = meta.extra or {}
    length: Schema = {"maxLength": meta.max_length} if meta.max_length else {}
    if "schema" in extra:
        return {"type": "string", **length, **extra["schema"]}
    least = {"minLength": meta.min_length or 1}
    if extra.get("verbatim"):
        return {"type": "string", "format": "password", **least, **length}
    if "pattern" in extra:
        return {"type": "string", **least, **length, "pattern": extra["pattern"]}
    return {"type": "string", **least, **length}
