"""Quotas: how many events, contacts and calendars an account may hold, and how much text.

Counting an account costs what it holds, so it is counted rarely: a count gives it room to write, from which each write takes without
a statement, and only when the room is used up it is counted again. So a quota may be exceeded, by at most what the processes of the
service gave as room at once: a sixteenth of what was free, or a megabyte of text, each."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Literal
from weakref import WeakKeyDictionary

from msgspec import Struct

from kalends.context import Context
from kalends.db import Database
from kalends.errors import QuotaReached
from kalends.settings import variable

Kind = Literal["events", "contacts", "calendars"]

MEGABYTE = 1_000_000
# Of what is free, how much is given as room; the text that is given at least; and the most accounts that are remembered.
SHARE = 16
LEAST_ROOM = MEGABYTE
MOST_ROOM = 1_000
MOST_ACCOUNTS = 10_000
# Text takes long to count: an account that has too much is not counted again before this time has passed.
REFUSED_SECONDS = 60

_OWNER = {"events": "owner_id", "contacts": "user_id", "calendars": "owner_id"}
_TEXT = """
SELECT coalesce(sum(size), 0) FROM (
    SELECT octet_length(search) + coalesce(octet_length(description), 0) AS size FROM events WHERE owner_id = :id
    UNION ALL SELECT octet_length(search) FROM contacts WHERE user_id = :id
) AS texts
"""


class Room(Struct):
    """What may be written before the account is counted again, and until when it is refused without counting."""

    records: dict[str, int]
    text: int = 0
    refused_until: int = 0


class Rooms:
    """The room of each account that wrote lately."""

    def __init__(self) -> None:
        self._rooms: OrderedDict[int, Room] = OrderedDict()
        self.lock = threading.Lock()

    def of(self, user_id: int) -> Room:
        room = self._rooms.get(user_id)
        if room is not None:
            self._rooms.move_to_end(user_id)
            return room
        room = self._rooms[user_id] = Room({})
        if len(self._rooms) > MOST_ACCOUNTS:
            self._rooms.popitem(last=False)
        return room


_of_database: WeakKeyDictionary[Database, Rooms] = WeakKeyDictionary()
_of_database_lock = threading.Lock()


def reserve(ctx: Context, user_id: int, kind: Kind, records: int, text: int = 0) -> None:
    """Let the account have more records, with text of this size; or raise QuotaReached."""
    rooms = _of_database.get(ctx.db) or _first_rooms(ctx.db)
    most = int(getattr(ctx.settings, f"quota_{kind}"))
    with rooms.lock:
        room = rooms.of(user_id)
        has_records = not most or not records or _took_records(room, kind, records)
        has_text = not ctx.settings.quota_megabytes or not text or _took_text(room, text)
    if not has_records:
        left = _free_records(ctx, user_id, kind, most) - records
        if left < 0:
            raise _too_many(kind, most)
        with rooms.lock:
            room.records[kind] = min(MOST_ROOM, left // SHARE)
    if not has_text:
        _count_text(ctx, rooms, room, user_id, text)


def check(ctx: Context, user_id: int, kind: Kind, records: int, text: int) -> None:
    """Raise QuotaReached if the account may not have so much more. What is written afterwards in batches takes its room itself."""
    most, most_text = int(getattr(ctx.settings, f"quota_{kind}")), ctx.settings.quota_megabytes * MEGABYTE
    if most and _free_records(ctx, user_id, kind, most) < records:
        raise _too_many(kind, most)
    if most_text and most_text - int(ctx.tx.value(_TEXT, id=user_id)) < text:
        raise _too_much(ctx.settings.quota_megabytes)


def _too_many(kind: Kind, most: int) -> QuotaReached:
    return QuotaReached(
        f"The account would have more than {most:,} {kind}, which is as many as it may hold. Delete some, or ask the operator to "
        f"raise {variable(f'quota_{kind}')}."
    )


def _too_much(megabytes: int) -> QuotaReached:
    return QuotaReached(
        f"The account's events and contacts have more text than the {megabytes:,} MB that it may hold. Delete some "
        f"and try again in a minute, or ask the operator to raise {variable('quota_megabytes')}."
    )


def _first_rooms(db: Database) -> Rooms:
    with _of_database_lock:
        return _of_database.setdefault(db, Rooms())


def size(columns: Mapping[str, Any]) -> int:
    """The text of an event or a contact that counts, by its columns."""
    return len(columns["search"]) + len(columns.get("description") or "")


def _took_records(room: Room, kind: Kind, records: int) -> bool:
    left = room.records.get(kind, 0) - records
    if left >= 0:
        room.records[kind] = left
    return left >= 0


def _took_text(room: Room, text: int) -> bool:
    if room.text < text:
        return False
    room.text -= text
    return True


def _free_records(ctx: Context, user_id: int, kind: Kind, most: int) -> int:
    held = ctx.tx.value(
        f"SELECT count(*) FROM (SELECT 1 FROM {kind} WHERE {_OWNER[kind]} = :id LIMIT :most) AS held", id=user_id, most=most
    )
    return most - int(held)


def _count_text(ctx: Context, rooms: Rooms, room: Room, user_id: int, text: int) -> None:
    most = ctx.settings.quota_megabytes * MEGABYTE
    is_counted = not ctx.now < room.refused_until <= ctx.now + REFUSED_SECONDS
    free = most - int(ctx.tx.value(_TEXT, id=user_id)) if is_counted else 0
    with rooms.lock:
        if text > free:
            room.refused_until = ctx.now + REFUSED_SECONDS if is_counted else room.refused_until
            room.text = 0
        else:
            room.text = max(LEAST_ROOM, free // SHARE)
    if text > free:
        raise _too_much(ctx.settings.quota_megabytes)
