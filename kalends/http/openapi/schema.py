"""JSON schemas of parameters, as OpenAPI describes them: the one form of each value that clients should send.

The readers in fields.py accept more (`"7"` for 7, `yes` for true, comma-delimited lists). Describing all of it would make clients
that are generated from the description harder to use, or break them."""

from collections.abc import Iterator
from copy import deepcopy
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import replace

from kalends.http.input.fields import Field, fields_of
from kalends.http.input.multipart import Upload
from kalends.http.input.options import FieldOptions, field_options, split_annotated, struct_options
from kalends.http.input.readers import INT_MAX, INT_MIN, MAX_ITEMS

Schema = dict[str, Any]


class Carrier(Enum):
    """What carries the parameters of a request. A query string and multipart have no nested objects."""

    JSON = "application/json"
    MULTIPART = "multipart/form-data"
    QUERY = "query"


def object_schema(kind: type[Struct], carrier: Carrier, *, partial: bool = False) -> Schema:
    """The schema of a Struct as one object."""
    fields = list(carried(kind, carrier))
    alternatives = struct_options(kind).alternatives
    if alternatives:
        common = [field for field in fields if not any(field.name in names for names in alternatives)]
        return {"oneOf": [_alternative(fields, names, common, carrier) for names in alternatives]}
    schema: Schema = {"type": "object", "properties": {field.name: field_schema(field, carrier, partial=partial) for field in fields}}
    in_query = struct_options(kind).same_in_query
    required = [field.name for field in fields if field.required and not partial and field.name not in in_query]
    return schema | ({"required": required} if required else {})


def carried(kind: type[Struct], carrier: Carrier) -> Iterator[Field]:
    """The fields by their names in the carrier: `name[inner]` is a field of a nested object.

    An optional file is left out: actions that import files have their own endpoints.
    """
    for field in fields_of(kind):
        bare, _ = split_annotated(field.type)
        if field.is_file and not field.required:
            continue
        if isinstance(bare, type) and issubclass(bare, Struct) and not field.is_file and carrier is not Carrier.JSON:
            if or_type := field_options(field.type).or_type:
                yield replace(field, type=or_type)
            for inner in carried(bare, carrier):
                yield replace(inner, name=f"{field.name}[{inner.name}]", required=inner.required and field.required)
        else:
            yield field


def field_schema(field: Field, carrier: Carrier, *, partial: bool = False) -> Schema:
    """The schema of a field; null is allowed where it clears the field. A partial update has no defaults."""
    schema = _type_schema(field.type, carrier)
    if field.optional and carrier is Carrier.JSON:
        schema = nullable(schema)
    _, meta = split_annotated(field.type)
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


def _alternative(fields: list[Field], names: tuple[str, ...], common: list[Field], carrier: Carrier) -> Schema:
    """One of the sets of fields, with the fields that go with any of them."""
    required = [replace(field, required=True, optional=False) for field in fields if field.name in names]
    properties = {field.name: field_schema(field, carrier) for field in (*required, *common)}
    return {"title": " and ".join(names), "type": "object", "properties": properties, "required": list(names)}


def _type_schema(hint: Any, carrier: Carrier) -> Schema:
    bare, meta = split_annotated(hint)
    options = field_options(hint)
    if options.schema is not None and not options.schema.keys().isdisjoint(("type", "anyOf")):
        return deepcopy(dict(options.schema))
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
        return _text(meta, options)
    if bare is Upload:
        return {"type": "string", "format": "binary"}
    return object_schema(bare, carrier)


def _text(meta: Meta, options: FieldOptions) -> Schema:
    length: Schema = {"maxLength": meta.max_length} if meta.max_length else {}
    if options.schema is not None:
        return {"type": "string", **length, **options.schema}
    least = {"minLength": meta.min_length or 1}
    if options.keep_whitespace:
        return {"type": "string", "format": "password", **least, **length}
    if options.pattern:
        return {"type": "string", **least, **length, "pattern": options.pattern}
    return {"type": "string", **least, **length}
