"""Typed options of parameters: of fields, beside msgspec's Meta in `Annotated`, and of Structs, as their class variable OPTIONS."""

from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

_META = ("ge", "le", "min_length", "max_length", "description", "examples")


class FieldOptions(Struct, frozen=True, eq=False):
    """Options of a field.

    read: reads the value in place of the reader of the type.
    check: called with the cleaned text; returns it, perhaps normalised, or raises FieldInvalid.
    pattern: a regular expression that the text must match; pattern_message is the error if it does not.
    multiline: line breaks are allowed.
    keep_whitespace: every character counts, as in a password.
    is_phone: restore a leading plus sign that arrived as a space.
    schema: more keywords of the field's JSON schema.
    takes_list: a repeated parameter is a list of values, though the type is another.
    or_type: in a query string, the type of a value that stands for the whole object.
    is_secret: the value is a credential; a reply that holds it is not stored.
    """

    read: Callable[[Any], Any] | None = None
    check: Callable[[str], str] | None = None
    pattern: str | None = None
    pattern_message: str = "does not have the right form"
    multiline: bool = False
    keep_whitespace: bool = False
    is_phone: bool = False
    schema: Mapping[str, Any] | None = None
    takes_list: bool = False
    or_type: Any = None
    is_secret: bool = False


class StructOptions(Struct, frozen=True):
    """Options of a parameter Struct.

    rules: rules that no JSON schema can express, in words, by the field that an error names.
    alternatives: sets of fields of which a request has exactly one.
    required_without_file: fields that are required unless a file is sent.
    never_ignored: parameters that are refused where they are unknown, though others are ignored.
    refuses_unknown: no parameter is ignored.
    same_in_query: fields whose value in the body must be that of the query string, if both have one.
    """

    rules: dict[str, str] = {}
    alternatives: tuple[tuple[str, ...], ...] = ()
    required_without_file: tuple[str, ...] = ()
    never_ignored: frozenset[str] = frozenset()
    refuses_unknown: bool = False
    same_in_query: frozenset[str] = frozenset()


_NO_FIELD_OPTIONS = FieldOptions()
_NO_STRUCT_OPTIONS = StructOptions()

# A credential in a reply.
Secret = Annotated[str, FieldOptions(is_secret=True)]


def struct_options(kind: type[Struct] | None) -> StructOptions:
    options = getattr(kind, "OPTIONS", _NO_STRUCT_OPTIONS)
    assert isinstance(options, StructOptions)
    return options


def field_options(hint: Any) -> FieldOptions:
    """The options of an annotated type; the outermost win."""
    options = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldOptions)]
    return options[-1] if options else _NO_FIELD_OPTIONS


def split_annotated(hint: Any) -> tuple[Any, Meta]:
    """The bare type, and its Meta; the outer ones win."""
    if get_origin(hint) is not Annotated:
        return hint, Meta()
    bare, *annotations = get_args(hint)
    constraints: dict[str, Any] = {}
    for meta in annotations:
        if isinstance(meta, Meta):
            constraints |= {name: getattr(meta, name) for name in _META if getattr(meta, name) is not None}
    return bare, Meta(**constraints)


def without_none(hint: Any) -> tuple[Any, bool]:
    """The type without `| None`, and whether None was there."""
    if get_origin(hint) in (Union, UnionType):
        rest = [kind for kind in get_args(hint) if kind is not type(None)]
        if len(rest) == 1:
            return rest[0], len(rest) < len(get_args(hint))
    return hint, False


def has_secret(result: Any) -> bool:
    """Whether replies of this type hold a secret."""
    if get_origin(result) in (Union, UnionType):
        return any(has_secret(kind) for kind in get_args(result))
    if field_options(result).is_secret:
        return True
    bare, _ = split_annotated(result)
    return isinstance(bare, type) and issubclass(bare, Struct) and _struct_has_secret(bare)


@cache
def _struct_has_secret(kind: type[Struct]) -> bool:
    return any(has_secret(hint) for hint in get_type_hints(kind, include_extras=True).values())
