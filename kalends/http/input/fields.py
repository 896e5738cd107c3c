"""Read the fields of a parameter Struct from what a client sent, and report every invalid one at once."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Struct

from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.values import text
from kalends.http.input import readers
from kalends.http.input.multipart import Upload
from kalends.http.input.options import field_options, split_annotated, struct_options, without_none
from kalends.http.input.readers import FieldInvalid, Repeated

T = TypeVar("T", bound=Struct)

REPEATED = gettext("was sent more than once. Send it once")


class NestedInvalid(Exception):
    """Invalid fields of a nested object."""

    def __init__(self, errors: list[FieldError]):
        super().__init__()
        self.errors = errors


class Changes(Generic[T]):
    """The fields of T that a client sent, for a partial update."""

    def __init__(self, kind: type[T], values: dict[str, Any]):
        self.kind = kind
        self.values = values

    def over(self, current: T) -> T:
        """The current values, replaced by those that were sent."""
        return msgspec.structs.replace(current, **self.values)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)


class Params(Generic[T]):
    """All fields of T, and the names of those that a client sent."""

    def __init__(self, value: T, names: frozenset[str]):
        self.value = value
        self.names = names


class Field(Struct, frozen=True):
    """A field of a parameter Struct with its reader."""

    name: str
    read: Callable[[Any], Any]
    required: bool
    optional: bool
    default: Any
    type: Any
    keep_whitespace: bool
    # Required, unless a file is sent.
    required_without_file: bool = False
    takes_list: bool = False

    def is_empty(self, value: Any) -> bool:
        """Whether there is no value. White space alone is none, except where every character counts, as in a password."""
        return value is None or value == "" or (isinstance(value, str) and not self.keep_whitespace and text.is_blank(value))

    @property
    def is_file(self) -> bool:
        return split_annotated(self.type)[0] is Upload

    def fallback(self) -> Any:
        return self.default() if callable(self.default) else self.default


def read(kind: type[T], params: Mapping[str, Any]) -> tuple[T | None, list[FieldError]]:
    """The Struct of the parameters, or every invalid field."""
    if not params and not _required(kind):
        return kind(), []
    values, invalid = _read_values(kind, params, partial=False)
    return (_build(kind, values) if not invalid else None), invalid


def read_changes(kind: type[T], params: Mapping[str, Any]) -> tuple[Changes[T], list[FieldError]]:
    """Only the fields that were sent, or every invalid field."""
    values, invalid = _read_values(kind, params, partial=True)
    return Changes(kind, values), invalid


def read_params(kind: type[T], params: Mapping[str, Any]) -> tuple[Params[T] | None, list[FieldError]]:
    """The Struct and the names of the fields that were sent, or every invalid field."""
    values, invalid = _read_values(kind, params, partial=False)
    return (Params(_build(kind, values), frozenset(values)) if not invalid else None), invalid


def _build(kind: type[T], values: dict[str, Any]) -> T:
    renamed = _renamed(kind)
    return kind(**({renamed.get(name, name): value for name, value in values.items()} if renamed else values))


@cache
def _renamed(kind: type[Struct]) -> dict[str, str]:
    """The attributes of the parameters whose names are words of Python, such as `except`."""
    return {field.encode_name: field.name for field in msgspec.structs.fields(kind) if field.encode_name != field.name}


def _read_values(kind: type[Struct], params: Mapping[str, Any], *, partial: bool) -> tuple[dict[str, Any], list[FieldError]]:
    values: dict[str, Any] = {}
    invalid: list[FieldError] = []
    known = _by_name(kind)
    sent = [known[name] for name in params if name in known]
    missing = [field for field in _required(kind) if field[1].name not in params]
    # Errors are reported in the order of the fields.
    for _, field in sorted(sent + missing):
        value = params.get(field.name)
        if field.is_empty(value):
            if field.required_without_file and _has_file(kind, params):
                continue
            if field.required and (not partial or field.name in params):
                message = gettext("must not be empty") if field.name in params else gettext("is required")
                invalid.append(FieldError(field.name, message, "required"))
            elif not field.required:
                values[field.name] = None if field.optional else field.fallback()
            continue
        try:
            if type(value) is Repeated and not field.takes_list:
                raise FieldInvalid(REPEATED, "repeated")
            values[field.name] = field.read(value)
        except FieldInvalid as error:
            invalid.append(FieldError(field.name, error.message, error.code))
        except NestedInvalid as nested:
            invalid += [FieldError(_path(field.name, e.field), e.message, e.code) for e in nested.errors]
    return values, invalid


def _path(name: str, inner: str) -> str:
    """The name of a field within another: `name[inner]`, or of one within an item of a list, `name[0].inner`."""
    return f"{name}{inner}" if inner.startswith("[") else f"{name}[{inner}]"


def _has_file(kind: type[Struct], params: Mapping[str, Any]) -> bool:
    return any(field.is_file and not field.is_empty(params.get(field.name)) for field in fields_of(kind))


@cache
def fields_of(kind: type[Struct]) -> tuple[Field, ...]:
    """The Struct's fields with their readers."""
    hints = get_type_hints(kind, include_extras=True)
    required_without_file = struct_options(kind).required_without_file
    return tuple(_field(f, hints[f.name], f.name in required_without_file) for f in msgspec.structs.fields(kind))


@cache
def _by_name(kind: type[Struct]) -> dict[str, tuple[int, Field]]:
    """Each field with its position: of many, few are sent."""
    return {field.name: (position, field) for position, field in enumerate(fields_of(kind))}


@cache
def _required(kind: type[Struct]) -> list[tuple[int, Field]]:
    return [known for known in _by_name(kind).values() if known[1].required]


def _field(field: msgspec.structs.FieldInfo, hint: Any, required_without_file: bool) -> Field:
    kind, optional = without_none(hint)
    default = field.default_factory if field.default_factory is not NODEFAULT else field.default
    options = field_options(kind)
    return Field(
        name=field.encode_name,
        read=reader(kind),
        required=required_without_file or default is NODEFAULT,
        optional=optional,
        default=default,
        type=kind,
        keep_whitespace=options.keep_whitespace,
        required_without_file=required_without_file,
        takes_list=options.takes_list or get_origin(split_annotated(kind)[0]) is list,
    )


def reader(hint: Any) -> Callable[[Any], Any]:
    """The function that reads a value of this type."""
    options = field_options(hint)
    if options.read:
        return options.read
    kind, meta = split_annotated(hint)
    origin = get_origin(kind)
    if origin is list:
        item = get_args(kind)[0]
        return _record_list_reader(reader(item), meta) if _is_struct(item) else readers.list_reader(reader(item), meta)
    if origin is Literal:
        return readers.choice_reader(cast(tuple[str, ...], get_args(kind)))
    if kind is bool:
        return readers.read_bool
    if kind is int:
        return readers.int_reader(meta)
    if kind is str:
        return readers.text_reader(meta, options)
    if kind is Upload:
        return readers.read_upload
    if _is_struct(kind):
        return _struct_reader(kind)
    raise TypeError(f"parameters cannot be {kind}")


def _struct_reader(kind: type[Struct]) -> Callable[[Any], Struct]:
    def read_struct(value: Any) -> Struct:
        if not isinstance(value, dict):
            raise FieldInvalid("must be given as name[field]=value, or as an object", "wrong_type")
        record, invalid = read(kind, value)
        if record is None:
            raise NestedInvalid(invalid)
        return record

    return read_struct


def _is_struct(hint: Any) -> bool:
    kind, _ = split_annotated(hint)
    return isinstance(kind, type) and issubclass(kind, Struct)


def _record_list_reader(read_item: Callable[[Any], Any], meta: Meta) -> Callable[[Any], list[Any]]:
    """Errors name the item: `answers[0].answer`. A form numbers the items: `answers[0][answer]=…`."""
    max_items = meta.max_length or readers.MAX_ITEMS

    def read_list(value: Any) -> list[Any]:
        if isinstance(value, dict) and all(key.isdecimal() for key in value):
            value = [value[key] for key in sorted(value, key=int)]
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list):
            raise FieldInvalid(gettext("must be a list"), "wrong_type")
        if len(parts) > max_items:
            raise FieldInvalid(gettext("must have at most %(max)s items", max=str(max_items)), "too_many")
        items, invalid = [], []
        for i, part in enumerate(parts):
            try:
                items.append(read_item(part))
            except FieldInvalid as error:
                invalid.append(FieldError(f"[{i}]", error.message, error.code))
            except NestedInvalid as nested:
                invalid += [FieldError(f"[{i}].{e.field}", e.message, e.code) for e in nested.errors]
        if invalid:
            raise NestedInvalid(invalid)
        return items

    return read_list
