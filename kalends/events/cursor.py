"""The cursor of event lists: `<start_at>.<id>` of the last event of a page."""

from typing import Annotated

from msgspec import Meta

from kalends.http.input.options import FieldOptions
from kalends.records.event import EventRow

Cursor = Annotated[
    str,
    Meta(max_length=50, description="The cursor of the page, from `next`."),
    FieldOptions(pattern=r"^-?[0-9]{1,12}[.][0-9]{1,18}$"),
]


def encode(event: EventRow) -> str:
    """The cursor after this event."""
    return encode_key((event.start_at, event.id))


def encode_key(key: tuple[int, int]) -> str:
    """The cursor after the event with this start and id."""
    return f"{key[0]}.{key[1]}"


def decode(cursor: str) -> tuple[int, int]:
    """The start and id of the event after which the next page begins."""
    start_at, _, event_id = cursor.partition(".")
    return int(start_at), int(event_id)
