"""JSON schemas of parameters: what the readers in fields.py accept, as OpenAPI says it."""

from typing import Any, Literal, get_args, get_origin

from msgspec import Meta, Struct

from kalends.http.fields import INT_MAX, INT_MIN, MAX_ITEMS, Field, Upload, described, fields_of

BOOLEAN_WORDS = r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|1|0)$"
# No control characters, no surrogates; white space alone would count as empty.
ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*$"
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]*$"


def object_schema(kind: type[Struct], *, partial: bool = False, uploads: bool = False) -> dict[str, Any]:
    """The Struct as a JSON object; files only travel in multipart."""
    fields = [f for f in fields_of(kind) if f.type is not Upload or uploads]
    schema: dict[str, Any] = {"type": "object", "properties": {f.name: field_schema(f) for f in fields}}
    required = [f.name for f in fields if f.required and not partial]
    if required:
        schema["required"] = required
    extra = getattr(kind, "__schema__", None)
    return schema | extra if extra and not partial else schema


def field_schema(field: Field) -> dict[str, Any]:
    """One field of a body: its type, or empty where it may be left out."""
    schema = type_schema(field.type)
    described = {key: schema.pop(key) for key in ("description", "examples") if key in schema}
    if not field.required:
        branches = schema.pop("anyOf", None) or [schema]
        schema = {"anyOf": [*branches, {"type": "null"}, {"type": "string", "maxLength": 0}]}
        default = field.fallback()
        if isinstance(default, str | int | bool):
            schema["default"] = default
    return schema | described


def query_schema(field: Field) -> dict[str, Any]:
    """One field of a query string, where everything is text."""
    schema = type_schema(field.type)
    schema.pop("description", None)
    plain: list[dict[str, Any]] = [s for s in schema.get("anyOf", []) if s.get("type") in ("integer", "boolean", "array")]
    return plain[0] if plain and plain[0]["type"] != "array" else schema.get("anyOf", [schema])[-1] if plain else schema


def type_schema(hint: Any) -> dict[str, Any]:
    """What a value of this type may be, whatever carries it."""
    bare, meta = described(hint)
    schema = _bare(bare, meta)
    if meta.description:
        schema["description"] = meta.description
    if meta.examples:
        schema["examples"] = meta.examples
    return schema


def _bare(hint: Any, meta: Meta) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin is list:
        return _list(get_args(hint)[0], meta)
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if hint is bool:
        return {"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": BOOLEAN_WORDS}, {"type": "integer", "enum": [0, 1]}]}
    if hint is int:
        return {"anyOf": [_integer(meta), {"type": "string", "pattern": _digits(meta)}]}
    if hint is Upload:
        return {"type": "string", "format": "binary"}
    if hint is str:
        return _text(meta)
    return object_schema(hint)


def _integer(meta: Meta) -> dict[str, Any]:
    low = INT_MIN if meta.ge is None else int(meta.ge)
    high = INT_MAX if meta.le is None else int(meta.le)
    return {"type": "integer", "format": "int64", "minimum": low, "maximum": high}


def _digits(meta: Meta) -> str:
    """The bounds as a pattern: exact below a power of ten, and never wider than what is read."""
    sign = "" if meta.ge is not None and meta.ge >= 0 else "-?"
    if meta.le is not None and (meta.ge or 0) <= 1:
        return rf"^{'[1-9]' if meta.ge == 1 else '[0-9]'}[0-9]{{0,{len(str(int(meta.le))) - 2}}}$"
    return rf"^{sign}[0-9]{{1,18}}$" if meta.ge != 1 else r"^[1-9][0-9]{0,17}$"


def _text(meta: Meta) -> dict[str, Any]:
    extra = meta.extra or {}
    if "schema" in extra:
        return dict(extra["schema"])
    schema: dict[str, Any] = {"type": "string", "minLength": meta.min_length or 1}
    if meta.max_length:
        schema["maxLength"] = meta.max_length
    schema["pattern"] = extra.get("pattern") or (LINES if extra.get("lines") else ONE_LINE)
    return schema


def _list(item: Any, meta: Meta) -> dict[str, Any]:
    array: dict[str, Any] = {"type": "array", "items": type_schema(item), "maxItems": meta.max_length or MAX_ITEMS}
    if described(item)[0] is int:
        return {"anyOf": [array, {"type": "string", "pattern": r"^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,499}$"}]}
    return {"anyOf": [array, {"type": "string", "pattern": ONE_LINE, "maxLength": 200}]}
