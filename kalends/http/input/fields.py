"""Reading one value: how each type of field turns what a client sent into what an action gets, or says what is wrong."""

import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Struct

from kalends.errors import Code, FieldError
from kalends.values import text

T = TypeVar("T", bound=Struct)

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
MAX_ITEMS = 500

_META = ("ge", "le", "min_length", "max_length", "description", "examples", "extra")
_INTEGER = re.compile(r"[+-]?0{0,100}[0-9]{1,19}")
# A phone number whose `+` was not encoded: in a query string or a form, it arrives as a space.
_LOST_PLUS = re.compile(r" [1-9][0-9]{7,14}")
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}


class FieldInvalid(Exception):
    """Why a value was refused."""

    def __init__(self, message: str, code: Code = "invalid_format"):
        super().__init__(message)
        self.code = code


class Repeated(list[Any]):
    """The values of a parameter that was sent more than once, in their order."""


class Upload(Struct, frozen=True):
    """A file that came in multipart/form-data."""

    filename: str
    content: bytes


class Changes(Generic[T]):
    """The fields of T that a client gave, for a partial update."""

    def __init__(self, kind: type[T], given: dict[str, Any]):
        self.kind = kind
        self.given = given

    def over(self, current: T) -> T:
        """The current values with the given ones in their place."""
        return msgspec.structs.replace(current, **self.given)

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def get(self, name: str, default: Any = None) -> Any:
        return self.given.get(name, default)


class Given(Generic[T]):
    """All fields of T, and the names of those that a client gave."""

    def __init__(self, value: T, names: frozenset[str]):
        self.value = value
        self.names = names


class Field(Struct, frozen=True):
    """A field of a parameter Struct, ready to read."""

    name: str
    read: Callable[[Any], Any]
    required: bool
    optional: bool
    default: Any
    type: Any
    verbatim: bool
    # Required, unless a file comes in its place.
    or_file: bool = False
    takes_list: bool = False

    def is_empty(self, value: Any) -> bool:
        """Whether nothing was given. White space alone is nothing, except where every character counts, as in a password."""
        return value is None or value == "" or (isinstance(value, str) and not self.verbatim and text.is_blank(value))

    @property
    def is_file(self) -> bool:
        return described(self.type)[0] is Upload

    def fallback(self) -> Any:
        return self.default() if callable(self.default) else self.default


def read(kind: type[T], given: Mapping[str, Any]) -> tuple[T | None, list[FieldError]]:
    """The Struct of what was given, or every broken field."""
    values, broken = _values(kind, given, partial=False)
    return (kind(**values) if not broken else None), broken


def read_changes(kind: type[T], given: Mapping[str, Any]) -> tuple[Changes[T], list[FieldError]]:
    """Only what was given, or every broken field."""
    values, broken = _values(kind, given, partial=True)
    return Changes(kind, values), broken


def read_given(kind: type[T], given: Mapping[str, Any]) -> tuple[Given[T] | None, list[FieldError]]:
    """The Struct and the names of what was given, or every broken field."""
    values, broken = _values(kind, given, partial=False)
    return (Given(kind(**values), frozenset(values)) if not broken else None), broken


def _values(kind: type[Struct], given: Mapping[str, Any], *, partial: bool) -> tuple[dict[str, Any], list[FieldError]]:
    values: dict[str, Any] = {}
    broken: list[FieldError] = []
    for field in [field for name, required, field in _read_first(kind) if required or name in given]:
        value = given.get(field.name)
        if field.is_empty(value):
            if field.or_file and _has_file(kind, given):
                continue
            if field.required and (not partial or field.name in given):
                broken.append(FieldError(field.name, "is required" if field.name not in given else "must not be empty", "required"))
            elif not field.required:
                values[field.name] = None if field.optional else field.fallback()
            continue
        try:
            if type(value) is Repeated and not field.takes_list:
                raise FieldInvalid("was given more than once; send it once", "repeated")
            values[field.name] = field.read(value)
        except FieldInvalid as bad:
            broken.append(FieldError(field.name, str(bad), bad.code))
        except NestedInvalid as bad:
            broken += [FieldError(f"{field.name}[{e.field}]", e.message, e.code) for e in bad.errors]
    return values, broken


def _has_file(kind: type[Struct], given: Mapping[str, Any]) -> bool:
    return any(field.is_file and not field.is_empty(given.get(field.name)) for field in fields_of(kind))


class NestedInvalid(Exception):
    """Broken fields inside a nested value."""

    def __init__(self, errors: list[FieldError]):
        super().__init__()
        self.errors = errors


_cache: dict[type[Struct], tuple[Field, ...]] = {}


def fields_of(kind: type[Struct]) -> tuple[Field, ...]:
    """The Struct's fields with their readers, worked out once."""
    if kind not in _cache:
        hints = get_type_hints(kind, include_extras=True)
        or_file: tuple[str, ...] = getattr(kind, "OR_FILE", ())
        _cache[kind] = tuple(_field(f, hints[f.name], f.name in or_file) for f in msgspec.structs.fields(kind))
    return _cache[kind]


@cache
def _read_first(kind: type[Struct]) -> list[tuple[str, bool, Field]]:
    """Each field with what tells whether it is to be read: most are neither given nor required."""
    return [(field.name, field.required, field) for field in fields_of(kind)]


def _field(field: msgspec.structs.FieldInfo, hint: Any, or_file: bool) -> Field:
    inner, optional = unwrapped(hint)
    default = field.default_factory if field.default_factory is not NODEFAULT else field.default
    extra = described(inner)[1].extra or {}
    required, verbatim = or_file or default is NODEFAULT, bool(extra.get("verbatim"))
    takes_list = any(get_origin(described(each)[0]) is list for each in (inner, extra.get("like")))
    return Field(field.name, reader(inner), required, optional, default, inner, verbatim, or_file, takes_list)


def unwrapped(hint: Any) -> tuple[Any, bool]:
    """The type without `| None`, and whether None was there."""
    if get_origin(hint) in (Union, types.UnionType):
        rest = [a for a in get_args(hint) if a is not type(None)]
        if len(rest) == 1:
            return rest[0], len(rest) < len(get_args(hint))
    return hint, False


def described(hint: Any) -> tuple[Any, Meta]:
    """The bare type, and all that its annotations say; the outer ones win."""
    if get_origin(hint) is not Annotated:
        return hint, Meta()
    bare, *metas = get_args(hint)
    said: dict[str, Any] = {}
    for meta in metas:
        said |= {name: getattr(meta, name) for name in _META if getattr(meta, name) is not None}
    return bare, Meta(**said)


def reader(hint: Any) -> Callable[[Any], Any]:
    """How a value of this type is read."""
    hint, meta = described(hint)
    if meta.extra and "read" in meta.extra:
        return cast(Callable[[Any], Any], meta.extra["read"])
    origin = get_origin(hint)
    if origin is list:
        return _list_reader(reader(get_args(hint)[0]), meta)
    if origin is Literal:
        return _choice_reader(cast(tuple[str, ...], get_args(hint)))
    if hint is bool:
        return read_bool
    if hint is int:
        return _int_reader(meta)
    if hint is str:
        return _text_reader(meta)
    if hint is Upload:
        return _read_upload
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _struct_reader(hint)
    raise TypeError(f"parameters cannot be {hint}")


def read_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value in (0, 1):
        value = int(value)
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise FieldInvalid("must be true or false", "wrong_type")


def _int_reader(meta: Meta) -> Callable[[Any], int]:
    low = INT_MIN if meta.ge is None else int(meta.ge)
    high = INT_MAX if meta.le is None else int(meta.le)

    def read_int(value: Any) -> int:
        if _is_whole(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise FieldInvalid("must be a whole number", "wrong_type")
        if value > high == INT_MAX:
            raise FieldInvalid("is too large", "too_large")
        if not low <= value <= high:
            raise FieldInvalid(_bounds(low, high), "too_small" if value < low else "too_large")
        return value

    return read_int


def _is_whole(value: Any) -> bool:
    if isinstance(value, str):
        return _INTEGER.fullmatch(value.strip(text.WHITE_SPACE)) is not None
    return isinstance(value, float) and value.is_integer()


def _bounds(low: int, high: int) -> str:
    if low == INT_MIN and high != INT_MAX:
        return f"must be at most {high}"
    return f"must be at least {low}" if high == INT_MAX and low != INT_MIN else f"must be from {low} to {high}"


def _text_reader(meta: Meta) -> Callable[[Any], str]:
    extra = meta.extra or {}
    lines, strip = bool(extra.get("lines")), not extra.get("verbatim")
    check: Callable[[str], str] | None = extra.get("check")
    shape = re.compile(extra["pattern"]) if "pattern" in extra else None
    is_phone = bool(extra.get("phone"))

    def read_text(value: Any) -> str:
        if not isinstance(value, str):
            raise FieldInvalid("must be text", "wrong_type")
        if is_phone and _LOST_PLUS.fullmatch(value):
            value = f"+{value[1:]}"
        try:
            cleaned = text.clean(value, lines=lines, strip=strip)
        except ValueError as error:
            raise FieldInvalid(str(error)) from None
        if not cleaned:
            raise FieldInvalid("must not be empty", "required")
        if meta.max_length is not None and len(cleaned) > meta.max_length:
            raise FieldInvalid(f"must have at most {meta.max_length:,} characters", "too_long")
        if meta.min_length is not None and len(cleaned) < meta.min_length:
            raise FieldInvalid(f"must have at least {meta.min_length} characters", "too_short")
        if shape and not shape.search(cleaned):
            raise FieldInvalid(str(extra.get("hint", "does not have the right form")))
        return check(cleaned) if check else cleaned

    return read_text


def _choice_reader(allowed: tuple[str, ...]) -> Callable[[Any], str]:
    def read_choice(value: Any) -> str:
        word = value.strip() if isinstance(value, str) else value
        if word not in allowed:
            raise FieldInvalid(f"must be one of {', '.join(allowed)}", "not_a_choice")
        return cast(str, word)

    return read_choice


def _list_reader(item: Callable[[Any], Any], meta: Meta) -> Callable[[Any], list[Any]]:
    most = meta.max_length or MAX_ITEMS

    def read_list(value: Any) -> list[Any]:
        parts = value.split(",") if isinstance(value, str) else value
        if isinstance(parts, Repeated):
            parts = [piece for part in parts for piece in (part.split(",") if isinstance(part, str) else [part])]
        if isinstance(parts, int | float) and not isinstance(parts, bool):
            parts = [parts]
        if not isinstance(parts, list):
            raise FieldInvalid("must be a comma-delimited list", "wrong_type")
        items = [item(part) for part in parts if not (part is None or (isinstance(part, str) and text.is_blank(part)))]
        if len(items) > most:
            raise FieldInvalid(f"must have at most {most} items", "too_many")
        return items

    return read_list


def _struct_reader(kind: type[Struct]) -> Callable[[Any], Struct]:
    def read_struct(value: Any) -> Struct:
        if not isinstance(value, dict):
            raise FieldInvalid("must be given as name[field]=value, or as an object", "wrong_type")
        found, broken = read(kind, value)
        if found is None:
            raise NestedInvalid(broken)
        return found

    return read_struct


def _read_upload(value: Any) -> Upload:
    if not isinstance(value, Upload):
        raise FieldInvalid("must be a file, sent as multipart/form-data", "wrong_type")
    return value
