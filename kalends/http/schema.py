"""JSON schemas of parameters: what the readers in fields.py accept, as OpenAPI says it.

Three things about a Struct go beyond its fields, and are class variables of it. `SETS`: exactly one of these sets of fields is
given. `OR_FILE`: these fields are required, unless a file comes in their place. `RULES`: what no schema can say, by the field that
a broken rule names, in words."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import replace

from kalends.http import patterns
from kalends.http.fields import INT_MAX, INT_MIN, MAX_ITEMS, Field, Upload, described, fields_of

Schema = dict[str, Any]

# What is as good as nothing.
NOTHING = "Nothing: clears the field, or leaves it at its default."
SHARED: dict[str, Schema] = {
    "Empty": {"type": ["null", "string"], "pattern": patterns.BLANK, "description": NOTHING},
    "Blank": {"type": "string", "pattern": patterns.BLANK, "description": NOTHING},
    "Line": {
        "type": "string",
        "minLength": 1,
        "pattern": patterns.LINE,
        "description": "Text in one line; white space around it is dropped.",
    },
    "Items": {"type": "string", "pattern": patterns.ITEMS, "description": "Texts between commas."},
    "DateTime": {
        "type": "string",
        "pattern": patterns.DATETIME,
        "examples": ["2026-05-11T17:00:00+02:00", "2026-05-11"],
        "description": "RFC 3339, the same without an offset, or a date alone; 29 February, zone suffixes and compact forms are read too.",
    },
    "Lines": {"type": "string", "minLength": 1, "pattern": patterns.LINES, "description": "Text; white space around it is dropped."},
}


class Carrier(Enum):
    """What carries the parameters of a request. All but JSON knows text alone, and no objects in objects."""

    JSON = "application/json"
    FORM = "application/x-www-form-urlencoded"
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
    """The fields as the carrier names them: a file travels in multipart alone, and `name[inner]` is an object's field."""
    for field in fields_of(kind):
        bare, meta = described(field.type)
        if field.is_file and carrier is not Carrier.MULTIPART:
            continue
        if field.or_file and carrier is Carrier.MULTIPART:
            field = replace(field, required=False)
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
    """One field: its type, or nothing where it may be left out. What a partial update leaves out stays as it is."""
    branches = _branches(field.type, carrier) + ([] if field.required else _nothing(field, carrier))
    schema: Schema = dict(branches[0]) if len(branches) == 1 else {"anyOf": branches}
    _, meta = described(field.type)
    if meta.description:
        schema["description"] = meta.description
    if meta.examples:
        schema["examples"] = meta.examples
    default = None if field.required or partial else field.fallback()
    return schema | ({"default": default} if isinstance(default, str | int) else {})


def _one_set(fields: list[Field], names: tuple[str, ...], carrier: Carrier) -> Schema:
    """An object with these fields, and nothing in the others."""
    given = {field.name: field_schema(replace(field, required=True), carrier) for field in fields if field.name in names}
    others = {field.name: _nothing(field, carrier)[0] for field in fields if field.name not in names}
    return {"title": " and ".join(names), "type": "object", "properties": given | others, "required": list(names)}


def _nothing(field: Field, carrier: Carrier) -> list[Schema]:
    """What stands for a value that is not given. In a query string the parameter's `allowEmptyValue` says it."""
    if carrier is Carrier.QUERY or field.is_file:
        return []
    in_json = carrier is Carrier.JSON
    if field.verbatim:
        return [{"type": ["null", "string"] if in_json else "string", "maxLength": 0, "description": NOTHING}]
    return [_shared("Empty" if in_json else "Blank")]


def _branches(hint: Any, carrier: Carrier) -> list[Schema]:
    """What a value may be: one of these."""
    bare, meta = described(hint)
    in_json = carrier is Carrier.JSON
    if meta.extra and "like" in meta.extra:
        return _branches(meta.extra["like"], carrier)
    if get_origin(bare) is list:
        return _list(get_args(bare)[0], meta, carrier)
    if get_origin(bare) is Literal:
        return [{"type": "string", "enum": list(get_args(bare))}]
    if bare is bool:
        return [{"type": "boolean"}, *_other_truths(carrier)]
    if bare is int:
        low, high = _bounds(meta)
        number = {"type": "integer", "format": "int64", "minimum": low, "maximum": high}
        return [number, *([{"type": "string", "pattern": patterns.whole_number(low, high)}] if in_json else [])]
    if bare is str:
        return [_text(meta)]
    if bare is Upload:
        return [{"type": "string", "format": "binary"}]
    return [object_schema(bare, carrier), *(_branches(meta.extra["instead"], carrier) if meta.extra and "instead" in meta.extra else [])]


def _other_truths(carrier: Carrier) -> list[Schema]:
    """Booleans in other words, which a query string need not be told: there `1` is as good a boolean as `true`."""
    word: Schema = {"type": "string", "pattern": patterns.TRUTH}
    number: Schema = {"type": "integer", "minimum": 0, "maximum": 1}
    return {Carrier.JSON: [word, number], Carrier.QUERY: []}.get(carrier, [word])


def _shared(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _bounds(meta: Meta) -> tuple[int, int]:
    return INT_MIN if meta.ge is None else int(meta.ge), INT_MAX if meta.le is None else int(meta.le)


def _text(meta: Meta) -> Schema:
    extra = meta.extra or {}
    if "schema" in extra:
        return dict(extra["schema"])
    length: Schema = {"maxLength": meta.max_length} if meta.max_length else {}
    least = {"minLength": meta.min_length or 1}
    if extra.get("verbatim"):
        return {"type": "string", "format": "password", **least, **length, "pattern": patterns.VERBATIM}
    if "pattern" in extra:
        return {"type": "string", **least, **length, "pattern": extra["pattern"]}
    return _shared("Lines" if extra.get("lines") else "Line") | length | (least if meta.min_length else {})


def _list(item: Any, meta: Meta, carrier: Carrier) -> list[Schema]:
    """Comma-delimited, which a query string says by the parameter's style; in JSON an array too, and a number by itself."""
    bare, item_meta = described(item)
    most = {"maxItems": meta.max_length or MAX_ITEMS}
    if carrier is Carrier.QUERY:
        (one,) = _branches(item, carrier)
        return [{"type": "array", "items": one, **most}]
    text = {"type": "string", "pattern": patterns.listed_numbers(*_bounds(item_meta))} if bare is int else _shared("Items")
    if carrier is not Carrier.JSON:
        return [text]
    items = _branches(item, carrier)
    array = {"type": "array", "items": {"anyOf": [*items, _shared("Empty")]}, **most}
    return [array, text, *([items[0]] if bare is int else [])]
