"""The start page: the events that are going on or to come."""

from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct, structs

from kalends.calendars import search as calendar_search
from kalends.context import Context
from kalends.events.cursor import Cursor
from kalends.events.query import EventQuery, Query
from kalends.home import days, upcoming
from kalends.http.endpoint import Document
from kalends.http.input.options import FieldOptions
from kalends.values import datetimes
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.reader_zone import reader_zone
from kalends.web.render import render

PAGE_SIZE = 24
# How many earlier pages an address remembers, and what stands for the first one.
MAX_TRAIL, FIRST = 20, "0"


class Search(Struct, kw_only=True):
    """What to look for on the start page."""

    text: Annotated[Query, Meta(description="Words.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags.")] | None = None
    when: Annotated[str, Meta(max_length=20, description="Days."), FieldOptions(check=days.check)] | None = None
    after: Cursor | None = None
    trail: Annotated[str, Meta(max_length=700, description="Where the pages before began, the last one last.")] | None = None


@page("GET", "/", guests=True)
def show(ctx: Context, params: Search) -> Document:
    """The public events that are going on or to come, each series once, and the calendars that match the words."""
    zone = reader_zone(ctx)
    today = datetimes.to_local(ctx.now, zone).date()
    first, last = days.choose(params.when, today) if params.when else (today, None)
    since = max(ctx.now, datetimes.start_of_day(first, zone)) if first >= today else datetimes.start_of_day(first, zone)
    query = EventQuery(
        text=_words(params.text), tags=params.tags, end_time=last.isoformat() if last else None, after=params.after, limit=PAGE_SIZE
    )
    cards, position = upcoming.find(ctx, query, since, zone)
    calendars = calendar_search.find(ctx, params.text) if params.text and not params.after else []
    return render(
        "home/show.html",
        ctx,
        title="What is on",
        form=filled(structs.asdict(params)),
        days=days.group(cards, first, today, zone),
        choices=_choices(params),
        calendars=calendars,
        earlier=_earlier(params),
        later=_later(params, position) if position else "",
    )


def _choices(params: Search) -> list[tuple[str, str, bool]]:
    """The links that choose days: address, name, and whether it is chosen."""
    kept = structs.replace(params, after=None, trail=None)
    return [(_address(structs.replace(kept, when=when)), name, when == params.when) for when, name in [(None, "All"), *days.NAMES.items()]]


def _words(text: str | None) -> str | None:
    """The words to search for: `open-stage` means both words, unless it is in quotation marks."""
    return text.replace("-", " ") if text and '"' not in text else text


def _later(params: Search, position: str) -> str:
    """The address of the next page, with the way back."""
    passed = [*(params.trail or "").split(","), params.after or FIRST]
    return _address(params, after=position, trail=",".join(filter(None, passed[-MAX_TRAIL:])))


def _earlier(params: Search) -> str:
    """The address of the page before; the first one, if the way back is not known."""
    if params.after is None:
        return ""
    *passed, before = (params.trail or FIRST).split(",")
    return _address(params, after="" if before == FIRST else before, trail=",".join(passed))


def _address(params: Search, **position: str) -> str:
    query = {"text": params.text, "tags": params.tags, "when": params.when} | position
    text = urlencode({name: value for name, value in query.items() if value}, safe=",")
    return f"/?{text}" if text else "/"
