"""A public calendar and a public event as other sites show them inside their own pages."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.calendar_view import entries
from kalends.calendar_view.calendar_pages import day_of, laid_out
from kalends.calendar_view.days import around
from kalends.calendar_view.links import Links
from kalends.context import Context
from kalends.events import store
from kalends.http.endpoint import Document
from kalends.http.input.types import DateTime
from kalends.policy import Right
from kalends.values import datetimes
from kalends.web.page import page
from kalends.web.render import EMBEDDED, render


class EmbeddedView(Struct, kw_only=True):
    """What to show of the calendar."""

    view: Annotated[Literal["month", "agenda"], Meta(description="As a month or as a list.")] = "month"
    date: Annotated[DateTime, Meta(description="A day of what is shown; today by default.")] | None = None


@page("GET", "/embed/calendars/{calendar_id}", guests=True, credentials=False)
def calendar(ctx: Context, calendar_id: int, params: EmbeddedView) -> Document:
    """A public calendar, by month or as a list."""
    found = policy.calendar(ctx, calendar_id, to=Right.SEE)
    today = datetimes.to_local(ctx.now, found.time_zone).date()
    days = around(params.view, day_of(params.date, today))
    shown, is_cut = entries.of_days(ctx, days, [found], found.time_zone)
    _let_embed(ctx)
    return render(
        "calendar_view/embed_calendar.html",
        ctx,
        policy=EMBEDDED,
        **laid_out(ctx, days, shown, [found]),
        title=found.name,
        calendar=found,
        today=today,
        is_cut=is_cut,
        can_create=False,
        links=Links(f"/embed/calendars/{calendar_id}", is_embedded=True),
    )


@page("GET", "/embed/events/{event_id}", guests=True, credentials=False)
def event(ctx: Context, event_id: int) -> Document:
    """A public event."""
    found = policy.event(ctx, event_id, to=Right.SEE)
    _let_embed(ctx)
    return render("calendar_view/embed_event.html", ctx, policy=EMBEDDED, title=found.title, event=store.detail(ctx, found))


def _let_embed(ctx: Context) -> None:
    """The policy says which pages may show this one; the header lets their browsers load it."""
    ctx.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
