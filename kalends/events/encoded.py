"""The JSON of events as the API returns them, cached by the rows that it is made from.

Presenting and encoding events takes a third of a list and of a `show`; finding their JSON takes a tenth of that. A row has all that its
reader sees of the event, so that a change of the event or of the reader's rights is another row, and nothing is ever invalidated."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from kalends.context import Context
from kalends.events import present
from kalends.events.model import EventDetail, EventItem
from kalends.records.event import EventTuple, EventWithCounts
from kalends.reply import content_hash
from kalends.settings import Settings
from kalends.values.format_cache import FormatCache

# Larger ones are encoded each time, so that a cache has at most 8 MB of JSON.
MAX_BYTES = 4_000

_encode = msgspec.json.Encoder().encode


class _Encoded(Struct, frozen=True):
    """A detail, encoded already, and its hash."""

    detail: EventDetail
    hash: str


def items(ctx: Context, rows: Iterable[EventTuple]) -> list[EventItem]:
    """The limited fields of events, encoded already."""
    return list(map(_items(ctx.settings).__getitem__, rows))


def detail(ctx: Context, event: EventWithCounts) -> EventDetail:
    """The expanded fields of an event without questions, encoded already. Sets the ETag."""
    encoded = _details(ctx.settings)[event]
    ctx.tag(f"{event.etag}.{encoded.hash}")
    return encoded.detail


# A process has one Settings; tests have several.
@lru_cache(4)
def _items(settings: Settings) -> FormatCache[EventTuple, EventItem]:
    return FormatCache(lambda row: cast(EventItem, Raw(_encode(present.item(settings, row)))), _is_small)


@lru_cache(4)
def _details(settings: Settings) -> FormatCache[EventWithCounts, _Encoded]:
    def encode(event: EventWithCounts) -> _Encoded:
        json = _encode(present.detail_without_questions(settings, event))
        return _Encoded(cast(EventDetail, Raw(json)), content_hash(json))

    return FormatCache(encode, lambda encoded: _is_small(encoded.detail))


def _is_small(encoded: Any) -> bool:
    return memoryview(encoded).nbytes <= MAX_BYTES
