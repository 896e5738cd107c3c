"""The calendar: the reader's events, or the public ones, by month, week or day, or as an agenda."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import NamedCalendar
from kalends.core.records.change import Kind
from kalends.core.values import datetimes
from kalends.features.calendar_view.model import BIRTHDAYS, MINE, Answer
from kalends.features.calendar_view.rules.days import (
    AGENDA,
    DAY,
    EARLIEST,
    LATEST,
    MONTH,
    WEEK,
    Agenda,
    Days,
    Links,
    agenda,
    around,
    repeated_query,
)
from kalends.features.calendar_view.rules.month import find_placed, weeks
from kalends.features.calendar_view.rules.month_html import Drawing, draw_events
from kalends.features.calendar_view.rules.week import columns, shown
from kalends.features.calendar_view.steps import rail, search
from kalends.features.calendar_view.steps.rail import Group
from kalends.features.calendar_view.steps.search import Overview, Search
from kalends.features.changes.steps import batch
from kalends.features.my_events import store as my_events
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.types import DateTime, Ids, TimeZone
from kalends.policy import Right
from kalends.policy.site import reader_locale
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render
from kalends.web.times import reader_zone, remember_zone

# The kinds of records that the page shows.
STREAM_KINDS: list[Kind] = ["calendar", "event", "series"]
VIEWS = (MONTH, WEEK, DAY, AGENDA)
# Of the day that is listed below a month: how many events that take days, and how many others.
MAX_LISTED_BARS, MAX_LISTED_TIMED = 50, 100
NO_ANSWERS: Mapping[int, Answer] = {}


class CalendarView(Struct, kw_only=True):
    """What to show of which calendars."""

    view: Annotated[Literal["month", "week", "day", "agenda"], Meta(description="As a month, a week, a day or a list.")] = "month"
    date: Annotated[DateTime, Meta(description="A day of what is shown; today by default.")] | None = None
    calendar_ids: Annotated[Ids, Meta(description="Calendars to show; by default those that you have not hidden.")] | None = None
    offered: Annotated[Ids, Meta(description="Of these, calendars that are not in calendar_ids are hidden from now on.")] | None = None
    mine: Annotated[bool, Meta(description="With offered: whether to show what you go to and are invited to.")] = False
    birthdays: Annotated[bool, Meta(description="With offered: whether to show the birthdays of your contacts.")] = False
    time_zone: Annotated[TimeZone, Meta(description="The time zone; yours by default.")] | None = None


@page("GET", "/calendar", guests=True)
def show(ctx: Context, params: CalendarView) -> Document:
    """The calendar, by month, week or day, or as an agenda."""
    zone = params.time_zone or reader_zone(ctx)
    if params.time_zone:
        remember_zone(ctx, params.time_zone)
    day = day_of(params.date, datetimes.to_local(ctx.now, zone).date())
    if not EARLIEST <= day <= LATEST:
        raise errors.invalid("date", gettext("must be between %(min)s and %(max)s", min=str(EARLIEST), max=str(LATEST)))
    if params.offered is not None:
        layers = {MINE: params.mine, BIRTHDAYS: params.birthdays} if ctx.actor else {}
        shown = [layer for layer, is_shown in layers.items() if is_shown]
        rail.remember(ctx, [*params.offered, *layers], [*(params.calendar_ids or ()), *shown])
        return redirect(ctx, Links("/calendar", repeated_query(None, params.time_zone)).to(params.view, day))
    return _render(ctx, params, zone, day)


def _render(ctx: Context, params: CalendarView, zone: str, day: date) -> Document:
    now, locale = datetimes.to_local(ctx.now, zone), reader_locale(ctx)
    choice = _choose_calendars(ctx, params.calendar_ids)
    month = around(MONTH, day, locale)
    days = month if params.view == MONTH else around(params.view, day, locale)
    overview, searched = _find_overview(ctx, choice, month, zone)
    links = Links("/calendar", repeated_query(params.calendar_ids, params.time_zone))
    drawing = Drawing(locale, now.date(), links, can_create=ctx.actor is not None)
    if days.view == MONTH:
        values = lay_out_month(ctx, days, overview, choice.ticked, drawing, searched.answers)
    else:
        values = lay_out(ctx, _with_layers(ctx, choice, choice.search(days, zone)), choice.ticked, drawing, now)
    return render(
        "calendar_view/show.html",
        ctx,
        **values,
        **_lay_out_rail(choice, month, days, overview, drawing),
        title=days.title,
        # A week that begins on a Saturday or Sunday has the number of its Monday.
        week_number=(days.first + timedelta(days=(7 - days.first.weekday()) % 7)).isocalendar().week,
        views=VIEWS,
        can_create=ctx.actor is not None,
        today=now.date(),
        zone=zone,
        links=links,
        time_zone=params.time_zone,
        stream=_stream(ctx, choice.selected),
        unanswered=my_events.count_unanswered(ctx) if ctx.actor else 0,
    )


def _find_overview(ctx: Context, choice: "Choice", month: Days, zone: str) -> tuple[Overview, Search]:
    searched = _with_layers(ctx, choice, choice.search(month, zone))
    return search.find_overview(ctx, searched), searched


def _with_layers(ctx: Context, choice: "Choice", searched: Search) -> Search:
    """With what is shown among the calendars, and is none: what the reader goes to and is invited to, and birthdays."""
    ticked = {calendar.id for calendar in choice.ticked}
    searched = search.with_mine(ctx, searched) if MINE in ticked else searched
    return search.with_birthdays(ctx, searched) if BIRTHDAYS in ticked else searched


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
    hidden = rail.hidden_ids(ctx)
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
        "layers": {MINE: "mine", BIRTHDAYS: "birthdays"},
        "editable": [calendar for group in choice.groups for calendar in group.calendars if policy.can_edit(calendar)],
    }


def _stream(ctx: Context, selected: Sequence[NamedCalendar]) -> str | None:
    """The URL of the changes after which the page is out of date: of the only calendar, or of all of the reader's."""
    calendar_id = selected[0].id if len(selected) == 1 else None
    if ctx.actor is None and calendar_id is None:
        return None
    of_calendar = f"&calendar_id={calendar_id}" if calendar_id else ""
    return f"/api/changes/stream?kinds={','.join(STREAM_KINDS)}{of_calendar}&cursor={batch.start(ctx, calendar_id, STREAM_KINDS)}"


def lay_out_month(
    ctx: Context,
    days: Days,
    overview: Overview,
    calendars: Sequence[NamedCalendar],
    drawing: Drawing,
    answers: Mapping[int, Answer] = NO_ANSWERS,
) -> dict[str, Any]:
    """The template values of a month: its weeks with the events in their cells, and the events of the chosen day."""
    grid = weeks(days, overview.bars)
    cells = [cell for week in grid for cell in week]
    bars = [bar for bar in overview.bars if bar.first <= days.day <= bar.last]
    day_entries = bars[:MAX_LISTED_BARS] + overview.load_day(ctx, days.day, MAX_LISTED_TIMED)
    more = len(bars) + len(overview.starts.get(days.day, ())) - len(day_entries)
    rail.mark(ctx, [*find_placed(grid), *day_entries], calendars, overview.zone)
    for entry in day_entries:
        if entry.calendar_id == MINE:
            entry.answer = answers[entry.id]
    timed = overview.load(ctx, {cell.day: cell.room for cell in cells})
    colors = rail.find_colors(ctx, chain.from_iterable(timed.values()), calendars)
    for cell in cells:
        if cell.day in timed:
            cell.add(drawing.timed_items(timed[cell.day], overview.zone, colors, answers), len(overview.starts[cell.day]))
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
        rail.mark(ctx, events, calendars, searched.zone)
        return {"days": days, "agenda": agenda(days, events), "draw_events": draw_events, "is_cut": is_cut}
    parts = columns(days, events, now)
    rail.mark(ctx, shown(parts), calendars, searched.zone)
    bar_rows = max(len(column.bars.lanes) + bool(column.bars.more) for column in parts)
    return {
        "days": days,
        "columns": parts,
        "bar_rows": bar_rows,
        "items": drawing.items,
        "is_weekend": drawing.is_weekend,
        "is_cut": is_cut,
    }


def day_of(text: str | None, today: date) -> date:
    """The requested day, or today."""
    return datetimes.parse(text).local.date() if text else today
