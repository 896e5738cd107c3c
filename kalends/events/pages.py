"""Pages of events: the start page with what is on."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import times
from kalends.context import Context
from kalends.events import listing, store
from kalends.events.model import EventQuery, Position, Query
from kalends.http.endpoint import Document, endpoint
from kalends.http.paging import page
from kalends.web.forms import filled
from kalends.web.render import render

PAGE = 24


class Search(Struct, kw_only=True):
    """What to look for on the start page."""

    text: Annotated[Query, Meta(description="Words.")] | None = None
    after: Position | None = None


@endpoint("GET", "/", guests=True, format="html")
def home(ctx: Context, params: Search) -> Document:
    """What is on: the public events that are going on or to come, searched by words."""
    asked = EventQuery(text=params.text, after=params.after, start_time=times.utc(ctx.now), overlaps=True, limit=PAGE)
    found = listing.find(ctx, asked, None, "UTC")
    rows, next_page = page(ctx, asked, found, after=lambda row: f"{row.start_at}.{row.id}")
    form = filled(structs.asdict(params))
    return render("events/home.html", ctx, title="What is on", form=form, events=store.items(ctx, rows), next_page=next_page)
