"""The cursor of a follower: how far it has read the entries, in which epoch of the database, and with which filter."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.input.options import FieldOptions

_PATTERN = r"^[0-9]{1,16}[.][0-9]{1,18}[.][0-9]{1,18}[.][0-9a-f]{8}$"

Cursor = Annotated[
    str,
    Meta(max_length=80, description="The `cursor` of the last reply; without it, the reply has one to start from."),
    FieldOptions(pattern=_PATTERN),
]

# An entry is at (tx, id).
Position = tuple[int, int]


class CursorFields(Struct, frozen=True):
    """The decoded cursor."""

    epoch: int
    position: Position
    filter: str


def encode(fields: CursorFields) -> str:
    tx, entry_id = fields.position
    return f"{fields.epoch}.{tx}.{entry_id}.{fields.filter}"


def decode(cursor: str) -> CursorFields:
    epoch, tx, entry_id, digest = cursor.split(".")
    return CursorFields(int(epoch), (int(tx), int(entry_id)), digest)


def is_valid(cursor: str) -> bool:
    """Whether the text has the form of a cursor."""
    return re.fullmatch(_PATTERN, cursor, re.ASCII) is not None


def digest_filter(calendar_id: int | None, kinds: Sequence[str]) -> str:
    """What tells one filter from another."""
    return blake2b(f"{calendar_id or ''} {' '.join(kinds)}".encode(), digest_size=4).hexdigest()
