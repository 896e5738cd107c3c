"""Which programs fetch the feed of a calendar."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.values import timestamps
from kalends.features.calendars import store
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Instant
from kalends.policy import Right


class ReaderItem(Struct):
    """A program that fetched the feed of a calendar."""

    program: Annotated[str, Meta(description="Name of the program; `Other` if it is not known.")]
    fetches: Annotated[int, Meta(description="How often it fetched the feed, at most once a minute, whoever uses it.")]
    first_at: Annotated[Instant, Meta(description="When it first fetched it, in UTC.")]
    last_at: Annotated[Instant, Meta(description="When it last fetched it, in UTC.")]


class ReaderIndex(Struct):
    """The programs that fetched the feed of a calendar."""

    readers: Annotated[list[ReaderItem], Meta(description="The programs, the last one first.")]


@endpoint("GET", "/api/calendars/{calendar_id}/readers")
def readers(ctx: Context, calendar_id: int) -> ReaderIndex:
    """Which programs fetch the feed of your calendar, when and how often: their names, and nothing of who uses them."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    return ReaderIndex([_item(row) for row in store.readers(ctx, calendar_id)])


def _item(row: store.ReaderRow) -> ReaderItem:
    return ReaderItem(row.program, row.fetches, timestamps.format_utc(row.first_at), timestamps.format_utc(row.last_at))
