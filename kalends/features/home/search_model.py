"""The parameters of the start page and of its feed, and the events that they mean."""

from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct

from kalends.core.values import datetimes, timestamps
from kalends.features.events.listing.query_model import Cursor, EventQuery, Query
from kalends.features.events.rules import days
from kalends.http.input.options import FieldOptions

# What the location of an event that takes place on a page begins with.
ONLINE = "http"


class Search(Struct, kw_only=True):
    """What to look for on the start page."""

    text: Annotated[Query, Meta(description="Words.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags.")] | None = None
    city: Annotated[Query, Meta(description="Words in the city.")] | None = None
    online: Annotated[bool, Meta(description="Only events whose location is the URL of a page.")] = False
    when: Annotated[str, Meta(max_length=20, description="Days."), FieldOptions(check=days.check)] | None = None
    after: Cursor | None = None
    trail: Annotated[str, Meta(max_length=700, description="Where the pages before began, the last one last.")] | None = None


class Span(Struct, frozen=True):
    """The instants between which events run or begin: from now, or on the days that were chosen."""

    since: int
    until: int | None = None


def to_span(params: Search, now: int, zone: str) -> Span:
    """The time that `when` means; without it, everything to come."""
    if params.when is None:
        return Span(now)
    today = datetimes.to_local(now, zone).date()
    first, last = days.choose(params.when, today)
    return Span(now if first == today else datetimes.start_of_day(first, zone), datetimes.end_of_day(last, zone))


def to_query(params: Search, span: Span, limit: int) -> EventQuery:
    """The query of the events."""
    return EventQuery(
        text=to_words(params.text),
        tags=params.tags,
        city=params.city,
        location=ONLINE if params.online else None,
        end_time=timestamps.format_utc(span.until) if span.until else None,
        after=params.after,
        limit=limit,
    )


def to_filters(params: Search) -> dict[str, str]:
    """What narrows the list, as in a URL of the start page or of its feeds."""
    filters = {"text": params.text, "tags": params.tags, "city": params.city, "online": "1" if params.online else "", "when": params.when}
    return {name: value for name, value in filters.items() if value}


def to_calendar_url(params: Search, base: str) -> str:
    """The list as a calendar file. Days are left out: a calendar that is followed has all of them."""
    location = ONLINE if params.online else None
    filters = {"text": to_words(params.text), "tags": params.tags, "city": params.city, "location": location}
    return f"{base}{to_url('/api/events.ics', {name: value for name, value in filters.items() if value})}"


def to_url(path: str, filters: dict[str, str]) -> str:
    """The path with these parameters."""
    return f"{path}?{urlencode(filters, safe=',')}" if filters else path


def to_words(text: str | None) -> str | None:
    """The words to search for: `open-stage` means both words, unless it is in quotation marks."""
    return text.replace("-", " ") if text and '"' not in text else text
