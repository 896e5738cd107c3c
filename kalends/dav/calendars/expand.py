"""Resources with their repeating events expanded (RFC 4791, section 9.6.5): each date in the range alone, in UTC and without a rule."""

from datetime import timedelta

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.dav.calendars import future_dates, overlap, query, text
from kalends.dav.calendars.filters import Component, TimeRange, parse_components
from kalends.dav.calendars.free_busy import format_utc
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.resources import Resource
from kalends.features.events.feeds.steps import ical
from kalends.http.context import Context
from kalends.ical import merge
from kalends.ical.raw_lines import Line
from kalends.ical.values import DateTimeValue

# What a date of a file costs more than a day that a rule examines.
DAYS_FOR_DATE = 100


def read_all(ctx: Context, calendar: Calendar, resources: list[Resource], time_range: TimeRange) -> dict[str, bytes]:
    """The files of the resources by name; those that do not repeat are as they are."""
    start, end = query.bounds(time_range)
    texts = text.read_all(ctx, calendar, [resource for resource in resources if not resource.series_ids])
    budget = RequestBudget()
    for resource in resources:
        if resource.row and (resource.row.within_day or not resource.row.has_events):
            texts[resource.name] = expand_file(texts[resource.name], start, end, calendar.time_zone, budget)
    repeating = [resource for resource in resources if resource.series_ids]
    loaded = text.load_events(ctx, calendar, repeating)
    coming = future_dates.find_events(ctx, calendar, start, end, {each for resource in repeating for each in resource.series_ids})
    for resource in repeating:
        within = [event for event in loaded[resource.name] if future_dates.takes_place(event, start, end)]
        within += [event for event in coming if event.series_id in resource.series_ids]
        texts[resource.name] = ical.join_file([_format(ctx, event) for event in within], {}, method="")
    return texts


def expand_file(content: bytes, start: int, end: int, zone: str, budget: RequestBudget) -> bytes:
    """The file of another program with its repeating components expanded."""
    file = merge.parse(content.decode("utf-8", "surrogateescape"))
    for calendar in file.inner("VCALENDAR"):
        parts = [each for each in calendar.content if each.name != "VTIMEZONE"] if _repeats(calendar) else calendar.content
        calendar.content = [part for each in parts for part in _expand(each, start, end, zone, budget)]
    return merge.write(file).encode("utf-8", "surrogateescape")


def _repeats(calendar: merge.Component) -> bool:
    return any(isinstance(each, merge.Component) and each.find("RRULE") for each in calendar.content)


def _expand(part: Line | merge.Component, start: int, end: int, zone: str, budget: RequestBudget) -> list[Line | merge.Component]:
    """A component as its dates in the range; anything else as it is."""
    if not isinstance(part, merge.Component) or part.find("RRULE") is None:
        return [part]
    [parsed] = parse_components("\n".join([f"BEGIN:{part.name}", *(line.text for line in part.lines)]))
    dates: list[Line | merge.Component] = []
    for later in overlap.find_dates(parsed, start, end, zone, budget):
        # Each date is a copy of the component.
        budget.spend(DAYS_FOR_DATE)
        dates.append(_shift(part, parsed, later, zone))
    return dates


def _shift(component: merge.Component, parsed: Component, later: timedelta, zone: str) -> merge.Component:
    """One occurrence of a repeating component, this much later than the first."""
    lines: list[Line | merge.Component] = []
    for part in component.content:
        name = part.name if isinstance(part, Line) else ""
        value = overlap.find_time(parsed, name) if name in ("DTSTART", "DTEND", "DUE") else None
        if value:
            lines.append(_line(name, value, later, zone))
        elif name not in ("RRULE", "EXRULE", "EXDATE", "RDATE", "RECURRENCE-ID"):
            lines.append(part)
    anchor = overlap.find_time(parsed, "DTSTART") or overlap.find_time(parsed, "DUE")
    if anchor:
        lines.insert(0, _line("RECURRENCE-ID", anchor, later, zone))
    return merge.Component(component.name, component.begin, lines, component.end)


def _line(name: str, value: DateTimeValue, later: timedelta, zone: str) -> Line:
    if value.is_date:
        text_ = f"{name};VALUE=DATE:{format_utc(overlap.to_instant(value, 'UTC', later))[:8]}"
    else:
        text_ = f"{name}:{format_utc(overlap.to_instant(value, zone, later))}"
    return Line(f"{text_}\r\n", text_)


def _format(ctx: Context, event: Event) -> str:
    uid = event.sent_uid or ical.series_uid(event, ctx.settings)
    if event.all_day:
        times = ical.format_times(event)
        return ical.format_event(event, ctx.settings, uid, [times[0].replace("DTSTART", "RECURRENCE-ID", 1), *times])
    times = [f"RECURRENCE-ID:{format_utc(event.start_at)}", f"DTSTART:{format_utc(event.start_at)}"]
    if event.end_at is not None and event.end_at > event.start_at:
        times.append(f"DTEND:{format_utc(event.end_at)}")
    return ical.format_event(event, ctx.settings, uid, times)
