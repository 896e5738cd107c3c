"""Public calendars and events, to be embedded in pages of other sites."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.values import datetimes
from kalends.features.calendar_view.calendar_pages import day_of, lay_out, lay_out_month
from kalends.features.calendar_view.rules.days import MONTH, Links, around
from kalends.features.calendar_view.rules.month_html import Drawing
from kalends.features.calendar_view.steps import search
from kalends.features.calendar_view.steps.search import Search
from kalends.features.events import present
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.types import DateTime
from kalends.policy import Right
from kalends.policy.site import reader_locale
from kalends.web.page import page
from kalends.web.render import EMBEDDED, render


class EmbeddedView(Struct, kw_only=True):
    """What to show of the calendar."""

    view: Annotated[Literal["month", "agenda"], Meta(description="As a month or as a list.")] = "month"
    date: Annotated[DateTime, Meta(description="A day of what is shown; today by default.")] | None = None


@page("GET", "/embed/calendars/{calendar_id}", guests=True, credentials=False)
def calendar(ctx: Context, calendar_id: int, params: EmbeddedView) -> Document:
    """A public calendar, by month or as a list."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.SEE)
    today = datetimes.to_local(ctx.now, calendar.time_zone).date()
    locale = reader_locale(ctx)
    days = around(params.view, day_of(params.date, today), locale)
    searched = Search(days, calendar.time_zone, [calendar])
    links = Links(f"/embed/calendars/{calendar_id}", is_embedded=True)
    drawing = Drawing(locale, today, links)
    if days.view == MONTH:
        values = lay_out_month(ctx, days, search.find_overview(ctx, searched), [calendar], drawing)
    else:
        values = lay_out(ctx, searched, [calendar], drawing)
    _allow_embedding(ctx)
    return render(
        "calendar_view/embed_calendar.html",
        ctx,
        csp=EMBEDDED,
        **values,
        title=calendar.name,
        calendar=calendar,
        today=today,
        can_create=False,
        links=links,
    )


@page("GET", "/embed/events/{event_id}", guests=True, credentials=False)
def event(ctx: Context, event_id: int) -> Document:
    """A public event."""
    event = policy.event_with_counts(ctx, event_id)
    _allow_embedding(ctx)
    return render("calendar_view/embed_event.html", ctx, csp=EMBEDDED, title=event.title, event=present.detail(ctx, event))


def _allow_embedding(ctx: Context) -> None:
    """Let other sites load the page; the content security policy lets them frame it."""
    ctx.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
