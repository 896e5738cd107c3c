"""The page of the search in the header."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends.core.i18n import gettext
from kalends.features.calendars import store as calendar_search
from kalends.features.events.listing.query_model import Query
from kalends.features.home.search_model import to_words
from kalends.features.search import steps
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.render import render
from kalends.web.times import reader_zone


class Search(Struct, kw_only=True):
    """What to look for."""

    text: Annotated[Query, Meta(description="Words.")] | None = None


@page("GET", "/search", guests=True)
def show(ctx: Context, params: Search) -> Document:
    """The events that have these words among all that you can see, coming up and past, and the public calendars with them."""
    zone, text = reader_zone(ctx), to_words(params.text)
    coming, past = steps.find(ctx, text, zone) if text else (None, None)
    return render(
        "search/show.html",
        ctx,
        title=gettext("Search"),
        form=filled(structs.asdict(params)),
        text=params.text,
        coming=coming,
        past=past,
        calendars=calendar_search.find(ctx, text) if text else [],
    )
