"""The calendar: the reader's events, or the public ones, by month, week or day, or as an agenda."""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import chain
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kalends import errors, policy
from kalends.calendar_view import entries, hidden_calendars, rail, search
from kalends.calendar_view.agenda import Agenda, agenda
from kalends.calendar_view.days import AGENDA, DAY, EARLIEST, LATEST, MONTH, WEEK, Days, around
from kalends.calendar_view.links import Links, repeated_query
from kalends.calendar_view.month import find_placed, weeks
from kalends.calendar_view.month_html import Drawing
from kalends.calendar_view.rail import Group
from kalends.calendar_view.rows_html import draw_events, draw_options, draw_ticks
from kalends.calendar_view.search import Overview, Search
from kalends.calendar_view.week import columns, shown
from kalends.changes import batch
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.types import DateTime, Ids, TimeZone
from kalends.i18n import gettext
from kalends.policy import Right
from kalends.records.calendar import NamedCalendar
from kalends.records.change import Kind
from kalends.site.reader_locale import reader_locale
from kalends.values import datetimes
from kalends.web.page import page
from kalends.web.reader_zone import reader_zone, remember_zone
from kalends.web.redirects import redirect
from kalends.web.render import render

# The kinds of records that the page shows.
STREAM_KINDS: list[Kind] = ["calendar", "event", "series"]
VIEWS = (MONTH, WEEK, DAY, AGENDA)
# Of the day that is listed below a month: how many events that take days, and how many others.
MAX_LISTED_BARS, MAX_LISTED_TIMED = 50, 100


class CalendarView(Struct, kw_only=True):
    """What to show of which calendars."""

    view: Annotated[Literal["month", "week", "day", "agenda"], Meta(description="As a month, a week, a day or a list.")] = "month"
    date: Annotated[DateTime, Meta(description="A day of what is shown; today by default.")] | None = None
    calendar_ids: Annotated[Ids, Meta(description="Calendars to show; by default those that you have not hidden.")] | None = None
    offered: Annotated[Ids, Meta(description="Of these, calendars that are not in calendar_ids are hidden from now on.")] | None = None
    time_zone: Annotated[TimeZone, Meta(description="The time zone; yours by default.")] | None = None


@page("GET", "/calendar", guests=True)
def show(ctx: Context, params: CalendarView) -> Document:
    """The calendar, by month, week or day, or as an agenda."""
    zone = params.time_zone or reader_zone(ctx)
    if params.time_zone:
        remember_zone(ctx, params.time_zone)
    day = day_of(params.date, datetimes.to_local(ctx.now, zone).date())
    if not EARLIEST <= day <= LATEST:
        raise errors.invalid("date", gettext("must be from %(min)s to %(max)s", min=str(EARLIEST), max=str(LATEST)))
    if params.offered is not None:
        hidden_calendars.remember(ctx, params.offered, params.calendar_ids or ())
        return redirect(ctx, Links("/calendar", repeated_query(None, params.time_zone)).to(params.view, day))
    return _render(ctx, params, zone, day)


def _render(ctx: Context, params: CalendarView, zone: str, day: date) -> Document:
    now, locale = datetimes.to_local(ctx.now, zone), reader_locale(ctx)
    choice = _choose_calendars(ctx, params.calendar_ids)
    month = around(MONTH, day, locale)
    days = month if params.view == MONTH else around(params.view, day, locale)
    overview = search.find_overview(ctx, choice.search(month, zone))
    links = Links("/calendar", repeated_query(params.calendar_ids, params.time_zone))
    drawing = Drawing(locale, now.date(), links, can_create=ctx.actor is not None)
    if days.view == MONTH:
        values = lay_out_month(ctx, days, overview, choice.ticked, drawing)
    else:
        values = lay_out(ctx, choice.search(days, zone), choice.ticked, drawing, now)
    return render(
        "calendar_view/show.html",
        ctx,
        **values,
        **_lay_out_rail(choice, month, days, overview, drawing),
        title=days.title,
        views=VIEWS,
        can_create=ctx.actor is not None,
        today=now.date(),
        zone=zone,
        links=links,
        time_zone=params.time_zone,
        stream=_stream(ctx, choice.selected),
    )


class Choice(Struct, frozen=True):
    """The calendars that are offered, those that are ticked, and those that the URL selects.

    searched: where to search for events; None for all that is public."""

    groups: list[Group]
    ticked: Sequence[NamedCalendar]
    selected: Sequence[NamedCalendar]
    searched: Sequence[NamedCalendar] | None
    hidden: frozenset[int]

    def search(self, days: Days, zone: str) -> Search:
        return Search(days, zone, self.searched, self.hidden)


def _choose_calendars(ctx: Context, calendar_ids: Sequence[int] | None) -> Choice:
    """The calendars of the URL, or else those of the reader that are not hidden; for guests all public ones."""
    selected = [policy.calendar(ctx, calendar_id, to=Right.SEE) for calendar_id in dict.fromkeys(calendar_ids or ())]
    groups = rail.group_calendars(ctx, policy.named_member_calendars(ctx) if ctx.actor else [], selected)
    hidden = hidden_calendars.hidden_ids(ctx)
    if selected:
        return Choice(groups, selected, selected, selected, frozenset())
    ticked = [calendar for group in groups for calendar in group.calendars if calendar.id not in hidden]
    return Choice(groups, ticked, [], ticked if ctx.actor else None, frozenset() if ctx.actor else hidden)


def _lay_out_rail(choice: Choice, month: Days, days: Days, overview: Overview, drawing: Drawing) -> dict[str, Any]:
    """The template values of the rail beside the calendar: a small month, and the calendars to tick."""
    mini = rail.mini_month(month, days.view, overview)
    return {
        "mini": mini,
        "mini_weekdays": drawing.mini_weekdays(month),
        "mini_rows": drawing.mini(mini, days),
        "groups": choice.groups,
        "ticked": {calendar.id for calendar in choice.ticked},
        "draw_ticks": draw_ticks,
        "draw_options": draw_options,
        "editable": [calendar for group in choice.groups for calendar in group.calendars if policy.can_edit(calendar)],
    }


def _stream(ctx: Context, selected: Sequence[NamedCalendar]) -> str | None:
    """The URL of the changes after which the page is out of date: of the only calendar, or of all of the reader's."""
    calendar_id = selected[0].id if len(selected) == 1 else None
    if ctx.actor is None and calendar_id is None:
        return None
    of_calendar = f"&calendar_id={calendar_id}" if calendar_id else ""
    return f"/api/changes/stream?kinds={','.join(STREAM_KINDS)}{of_calendar}&cursor={batch.start(ctx, calendar_id, STREAM_KINDS)}"


def lay_out_month(ctx: Context, days: Days, overview: Overview, calendars: Sequence[NamedCalendar], drawing: Drawing) -> dict[str, Any]:
    """The template values of a month: its weeks with the events in their cells, and the events of the chosen day."""
    grid = weeks(days, overview.bars)
    cells = [cell for week in grid for cell in week]
    bars = [bar for bar in overview.bars if bar.first <= days.day <= bar.last]
    day_entries = bars[:MAX_LISTED_BARS] + overview.load_day(ctx, days.day, MAX_LISTED_TIMED)
    more = len(bars) + len(overview.starts.get(days.day, ())) - len(day_entries)
    entries.mark(ctx, [*find_placed(grid), *day_entries], calendars, overview.zone)
    timed = overview.load(ctx, {cell.day: cell.room for cell in cells})
    colors = entries.find_colors(ctx, chain.from_iterable(timed.values()), calendars)
    for cell in cells:
        if cell.day in timed:
            cell.add(drawing.timed_items(timed[cell.day], overview.zone, colors), len(overview.starts[cell.day]))
    lists = [Agenda(days.day, sorted(day_entries, key=lambda entry: (entry.start_at, entry.id)))] if day_entries else []
    drawn = {"weekdays": drawing.weekdays(days), "rows": drawing.month(days, grid)}
    return {"days": days, **drawn, "agenda": lists, "more": more, "draw_events": draw_events, "is_cut": overview.is_cut}


def lay_out(
    ctx: Context, searched: Search, calendars: Sequence[NamedCalendar], drawing: Drawing, now: datetime | None = None
) -> dict[str, Any]:
    """The template values of another view: its days with their events."""
    days = searched.days
    events, is_cut = search.find(ctx, searched)
    if days.view == AGENDA:
        entries.mark(ctx, events, calendars, searched.zone)
        return {"days": days, "agenda": agenda(days, events), "draw_events": draw_events, "is_cut": is_cut}
    parts = columns(days, events, now)
    entries.mark(ctx, shown(parts), calendars, searched.zone)
    bar_rows = max(len(column.bars.lanes) + bool(column.bars.more) for column in parts)
    return {"days": days, "columns": parts, "bar_rows": bar_rows, "items": drawing.items, "is_cut": is_cut}


def day_of(text: str | None, today: date) -> date:
    """The requested day, or today."""
    return datetimes.parse(text).local.date() if text else today
