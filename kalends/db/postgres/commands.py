"""Statements as PostgreSQL's extended query protocol takes them: numbered parameters, whose values are encoded as bytes."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg.adapt import PyFormat, Transformer

# A parameter, or what may hold a colon that does not begin one: a string, a quoted name, a comment.
_PARAMETER = re.compile(r"""'[^']*'|"[^"]*"|--[^\n]*|(?<![:\w]):([a-z_][a-z0-9_]*)""")

# The object identifiers of types in pg_type. PostgreSQL infers the type of a text or a NULL from its place in the statement.
_INFERRED, _BOOL, _BYTEA, _INT8, _INT8_ARRAY = 0, 16, 17, 20, 1016
_TEXT_FORMAT, _BINARY_FORMAT = 0, 1


class Command(NamedTuple):
    """A statement with its values. A statement that is not prepared is planned for its literals, and has no values."""

    sql: bytes
    types: tuple[int, ...] = ()
    values: Sequence[bytes | None] = ()
    formats: Sequence[int] = ()
    is_prepared: bool = True


def command(sql: str, params: Mapping[str, Any]) -> Command:
    """The statement with these values for its `:name` parameters."""
    numbered, names = _number(sql)
    if not names:
        return Command(numbered)
    types, values, formats = [], [], []
    for name in names:
        oid, value, value_format = _encode(params[name])
        types.append(oid)
        values.append(value)
        formats.append(value_format)
    return Command(numbered, tuple(types), values, formats)


def with_literals(sql: str, params: Mapping[str, str]) -> Command:
    """The statement with its texts as literals, which the planner can estimate."""

    def literal(match: re.Match[str]) -> str:
        return str(psycopg.sql.quote(params[match[1]])) if match[1] else match[0]

    return Command(_PARAMETER.sub(literal, sql).encode(), is_prepared=False)


@lru_cache(2048)
def _number(sql: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with the parameters `$1`, `$2` and so on instead of `:name`, and their names."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"${numbers.setdefault(match[1], len(numbers) + 1)}" if match[1] else match[0]

    return _PARAMETER.sub(number, sql).encode(), tuple(numbers)


def _encode(value: Any) -> tuple[int, bytes | None, int]:
    """The type, the bytes and the format of a value."""
    if value is None:
        return _INFERRED, None, _TEXT_FORMAT
    kind = type(value)
    if kind is str:
        return _INFERRED, _encode_text(value), _TEXT_FORMAT
    if kind is int:
        return _INT8, b"%d" % value, _TEXT_FORMAT
    if kind is bool:
        return _BOOL, b"t" if value else b"f", _TEXT_FORMAT
    if kind is bytes:
        return _BYTEA, value, _BINARY_FORMAT
    if kind is list and all(type(item) is int for item in value):
        return _INT8_ARRAY, b"{%s}" % ",".join(map(str, value)).encode(), _TEXT_FORMAT
    return _encode_by_psycopg(value)


def _encode_text(value: str) -> bytes:
    encoded = value.encode()
    if b"\0" in encoded:
        # libpq would send the text up to there.
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return encoded


def _encode_by_psycopg(value: Any) -> tuple[int, bytes | None, int]:
    transformer = Transformer()
    [encoded] = transformer.dump_sequence([value], [PyFormat.TEXT])
    assert transformer.types
    assert transformer.formats
    return transformer.types[0], None if encoded is None else bytes(encoded), transformer.formats[0]
