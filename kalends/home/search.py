"""The parameters of the start page and of its feed, and the events that they mean."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.events.cursor import Cursor
from kalends.events.query import EventQuery, Query
from kalends.home import days
from kalends.http.input.options import FieldOptions
from kalends.values import datetimes


class Search(Struct, kw_only=True):
    """What to look for on the start page."""

    text: Annotated[Query, Meta(description="Words.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags.")] | None = None
    when: Annotated[str, Meta(max_length=20, description="Days."), FieldOptions(check=days.check)] | None = None
    after: Cursor | None = None
    trail: Annotated[str, Meta(max_length=700, description="Where the pages before began, the last one last.")] | None = None


def to_query(params: Search, now: int, zone: str, limit: int) -> tuple[EventQuery, int]:
    """The query, and the instant from which events run or begin: now, or the first of the days that were chosen."""
    query = EventQuery(text=_words(params.text), tags=params.tags, after=params.after, limit=limit)
    if params.when is None:
        return query, now
    today = datetimes.to_local(now, zone).date()
    first, last = days.choose(params.when, today)
    query.end_time = last.isoformat()
    return query, now if first == today else datetimes.start_of_day(first, zone)


def _words(text: str | None) -> str | None:
    """The words to search for: `open-stage` means both words, unless it is in quotation marks."""
    return text.replace("-", " ") if text and '"' not in text else text
