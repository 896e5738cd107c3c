"""The start page: the events that are going on or to come."""

from urllib.parse import urlencode

from msgspec import structs

from kalends.calendars import search as calendar_search
from kalends.context import Context
from kalends.home import days, upcoming
from kalends.home.search import Search, to_query
from kalends.http.endpoint import Document
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.reader_zone import reader_zone
from kalends.web.render import render

PAGE_SIZE = 24
# How many earlier pages an address remembers, and what stands for the first one.
MAX_TRAIL, FIRST = 20, "0"


@page("GET", "/", guests=True)
def show(ctx: Context, params: Search) -> Document:
    """The public events that are going on or to come, each series once, and the calendars that match the words."""
    zone = reader_zone(ctx)
    query, since = to_query(params, ctx.now, zone, PAGE_SIZE)
    cards, position = upcoming.find(ctx, query, since, zone)
    calendars = calendar_search.find(ctx, params.text) if params.text and not params.after else []
    return render(
        "home/show.html",
        ctx,
        title="What is on",
        form=filled(structs.asdict(params)),
        days=days.group(cards, since, ctx.now, zone),
        choices=_choices(params),
        feed=_address(params, "/feed.xml"),
        calendars=calendars,
        earlier=_earlier(params),
        later=_later(params, position) if position else "",
    )


def _choices(params: Search) -> list[tuple[str, str, bool]]:
    """The links that choose days: address, name, and whether it is chosen."""
    kept = structs.replace(params, after=None, trail=None)
    return [(_address(structs.replace(kept, when=when)), name, when == params.when) for when, name in [(None, "All"), *days.NAMES.items()]]


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


def _address(params: Search, path: str = "/", **position: str) -> str:
    query = {"text": params.text, "tags": params.tags, "when": params.when} | position
    text = urlencode({name: value for name, value in query.items() if value}, safe=",")
    return f"{path}?{text}" if text else path
