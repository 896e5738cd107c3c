"""The JSON of events as the API returns them, cached by what it is made from.

Presenting and encoding events takes a third of a list and of a `show`; finding their JSON takes a third of that. The key of an item and the
row of a detail tell all that their reader sees of the event, so that a change of the event or of the reader's rights is another key, and
nothing is ever invalidated."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from kalends.context import Context
from kalends.events import present
from kalends.events.model import EventDetail, EventItem
from kalends.records.event import EventKey, EventTuple, EventWithCounts
from kalends.reply import content_hash
from kalends.settings import Settings

MAX_ENTRIES = 2_000
# Larger ones are encoded each time, so that a cache has at most 8 MB of JSON.
MAX_BYTES = 4_000

_KEY_LENGTH = len(EventKey.__struct_fields__)
_encoder = msgspec.json.Encoder()

K = TypeVar("K")
V = TypeVar("V")


class _Encoded(Struct, frozen=True):
    """A detail, encoded already, and its version."""

    detail: EventDetail
    version: str


class _Items(dict[EventTuple, Raw]):
    """Items by their keys."""

    # Whether the last list found all of its events.
    has_all = False


def expects_all(ctx: Context) -> bool:
    """Whether the next list is likely to find all of its events here, as the last one did. It then reads their keys first, and their rows
    only if one is missing: 51 keys take two thirds of the time of the rows. A database server would take longer for a second statement."""
    return ctx.db.is_embedded and _items(ctx.settings).has_all


def find(ctx: Context, keys: Sequence[EventTuple]) -> list[EventItem] | None:
    """The limited fields of events, encoded already; None if some are not cached."""
    cache = _items(ctx.settings)
    cached = list(map(cache.get, keys))
    cache.has_all = all(cached)
    return cast(list[EventItem], cached) if cache.has_all else None


def items(ctx: Context, rows: Sequence[EventTuple]) -> list[EventItem]:
    """The limited fields of events, encoded already."""
    cache = _items(ctx.settings)
    keys = [row[:_KEY_LENGTH] for row in rows]
    # If the first is not cached, the others hardly are, and are not looked up.
    cached = list(map(cache.get, keys)) if keys and keys[0] in cache else [None] * len(rows)
    cache.has_all = all(cached)
    if cache.has_all:
        return cast(list[EventItem], cached)
    missing = [(key, row) for key, row, json in zip(keys, rows, cached, strict=True) if json is None]
    # One call encodes all of them. No JSON has a line break.
    lines = _encoder.encode_lines(present.items(ctx.settings, [row for _, row in missing])).splitlines()
    encoded = list(map(Raw, lines))
    _add(cache, {key: json for (key, _), json, line in zip(missing, encoded, lines, strict=True) if len(line) <= MAX_BYTES})
    rest = iter(encoded)
    return cast(list[EventItem], [json or next(rest) for json in cached])


def detail(ctx: Context, event: EventWithCounts) -> EventDetail:
    """The expanded fields of an event without questions, encoded already. Sets the ETag."""
    cache = _details(ctx.settings)
    encoded = cache.get(event)
    if encoded is None:
        json = _encoder.encode(present.detail_without_questions(ctx.settings, event))
        encoded = _Encoded(cast(EventDetail, Raw(json)), f"{event.etag}.{content_hash(json)}")
        if len(json) <= MAX_BYTES:
            _add(cache, {event: encoded})
    ctx.tag(encoded.version)
    return encoded.detail


def clear() -> None:
    """Empty the caches."""
    _items.cache_clear()
    _details.cache_clear()


# A process has one Settings; tests have several.
@lru_cache(4)
def _items(settings: Settings) -> _Items:
    return _Items()


@lru_cache(4)
def _details(settings: Settings) -> dict[EventWithCounts, _Encoded]:
    return {}


def _add(cache: dict[K, V], entries: dict[K, V]) -> None:
    if len(cache) + len(entries) > MAX_ENTRIES:
        cache.clear()
    cache.update(entries)
