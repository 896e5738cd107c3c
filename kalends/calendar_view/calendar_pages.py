"""The calendar: the reader's events, or the public ones, by month, week or day, or as an agenda."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kalends import errors, policy
from kalends.calendar_view import entries
from kalends.calendar_view.agenda import agenda
from kalends.calendar_view.days import AGENDA, DAY, EARLIEST, LATEST, MONTH, WEEK, Days, around
from kalends.calendar_view.entries import Entry
from kalends.calendar_view.links import Links, repeated_query
from kalends.calendar_view.month import placed, weeks
from kalends.calendar_view.week import week
from kalends.changes import batch
from kalends.changes.model import Kind
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.types import DateTime, Ids, TimeZone
from kalends.policy import Right
from kalends.records.calendar import Calendar
from kalends.values import datetimes
from kalends.web.page import page
from kalends.web.reader_zone import reader_zone, remember_zone
from kalends.web.render import render

# The kinds of records that the page shows.
STREAM_KINDS: list[Kind] = ["calendar", "event", "series"]
VIEWS = (MONTH, WEEK, DAY, AGENDA)


class CalendarView(Struct, kw_only=True):
    """What to show of which calendars."""

    view: Annotated[Literal["month", "week", "day", "agenda"], Meta(description="As a month, a week, a day or a list.")] = "month"
    date: Annotated[DateTime, Meta(description="A day of what is shown; today by default.")] | None = None
    calendar_ids: Annotated[Ids, Meta(description="Calendars to show; all of yours by default.")] | None = None
    time_zone: Annotated[TimeZone, Meta(description="The time zone; yours by default.")] | None = None


@page("GET", "/calendar", guests=True)
def show(ctx: Context, params: CalendarView) -> Document:
    """The calendar, by month, week or day, or as an agenda."""
    selected = [policy.calendar(ctx, calendar_id, to=Right.SEE) for calendar_id in dict.fromkeys(params.calendar_ids or ())]
    own = policy.member_calendars(ctx) if ctx.actor else []
    calendars = selected or (own if ctx.actor else None)
    zone = params.time_zone or reader_zone(ctx)
    if params.time_zone:
        remember_zone(ctx, params.time_zone)
    today = datetimes.to_local(ctx.now, zone).date()
    day = day_of(params.date, today)
    if not EARLIEST <= day <= LATEST:
        raise errors.invalid("date", f"must be from {EARLIEST} to {LATEST}")
    days = around(params.view, day, ctx.locale.formats)
    events, is_cut = entries.of_days(ctx, days, calendars, zone)
    return render(
        "calendar_view/show.html",
        ctx,
        **lay_out(ctx, days, events, calendars, datetimes.to_local(ctx.now, zone)),
        title=days.title,
        views=VIEWS,
        can_create=ctx.actor is not None,
        today=today,
        zone=zone,
        is_cut=is_cut,
        links=Links("/calendar", repeated_query(params.calendar_ids, params.time_zone)),
        offered=own + [calendar for calendar in selected if calendar.id not in {each.id for each in own}],
        ticked={calendar.id for calendar in calendars or ()},
        time_zone=params.time_zone,
        stream=_stream(ctx, selected),
    )


def _stream(ctx: Context, selected: list[Calendar]) -> str | None:
    """The URL of the changes after which the page is out of date: of the only calendar, or of all of the reader's."""
    calendar_id = selected[0].id if len(selected) == 1 else None
    if ctx.actor is None and calendar_id is None:
        return None
    of_calendar = f"&calendar_id={calendar_id}" if calendar_id else ""
    return f"/api/changes/stream?kinds={','.join(STREAM_KINDS)}{of_calendar}&cursor={batch.start(ctx, calendar_id, STREAM_KINDS)}"


def lay_out(ctx: Context, days: Days, events: list[Entry], calendars: list[Calendar] | None, now: datetime | None = None) -> dict[str, Any]:
    """The template values of the view: its days, with the events in their cells."""
    if days.view == MONTH:
        grid = weeks(days, events)
        entries.mark(ctx, placed(grid), calendars)
        return {"days": days, "weeks": grid}
    entries.mark(ctx, events, calendars)
    return {"days": days, "week": week(days, events, now)} if days.view in (WEEK, DAY) else {"days": days, "agenda": agenda(days, events)}


def day_of(text: str | None, today: date) -> date:
    """The requested day, or today."""
    return datetimes.parse(text).local.date() if text else today
