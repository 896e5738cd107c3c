"""Sparse replies: `fields` names the fields of a record that a client wants, and the others are left out."""

from typing import Any, TypeVar, cast

from msgspec import UNSET, Struct

from kalends.http.input.fields import reader
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import Name

T = TypeVar("T", bound=Struct)

FIELDS = "Comma-delimited names of the fields to return; `id` is always among them. Without it, all."

_read_names = reader(list[Name])


def read_fields(kind: type[Struct], value: Any) -> list[str]:
    """The names, each a field of the record."""
    names: list[str] = [name.strip() for name in _read_names(value)]
    unknown = [name for name in names if name not in kind.__struct_fields__]
    if unknown:
        choices = ", ".join(kind.__struct_fields__)
        raise FieldInvalid(f"there is no field {', '.join(unknown)}; choose from {choices}", "not_a_choice")
    return list(dict.fromkeys(["id", *names]))


def select(record: T, names: list[str] | None) -> T:
    """The record with these fields alone, encoded as if it had no others; the whole record without names."""
    if not names:
        return record
    return cast(T, {name: value for name in names if (value := getattr(record, name)) is not UNSET})
