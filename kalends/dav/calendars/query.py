"""calendar-query: the resources that meet a filter.

The database finds events by their times, which are exact: all-day and floating times have the zone of their calendar, and each date of
a series is an event. A file is read only if the filter asks for more than a component and its time."""

from xml.etree.ElementTree import Element

from kalends.core.records.calendar import Calendar
from kalends.dav.calendars import filters, future_dates, overlap, resources, store, text, within_days
from kalends.dav.calendars.filters import COMP, RANGE, Component, TimeRange
from kalends.dav.calendars.future_dates import EARLIEST, LATEST
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.resources import Resource
from kalends.http.context import Context


def find(ctx: Context, calendar: Calendar, filter_element: Element) -> list[Resource]:
    """The resources of the calendar that meet the filter."""
    filters.require_small(filter_element)
    outer = calendar_filter(filter_element)
    inner = outer.findall(COMP)
    name = inner[0].get("name", "").upper() if len(inner) == len(outer) == 1 else ""
    is_found = name == "VEVENT"
    if is_found:
        candidates = _find_events(ctx, calendar, inner[0])
        if all(each.tag == RANGE for each in inner[0]):
            return candidates
    elif name and inner[0].find(filters.ABSENT) is None:
        # All other components are in files alone.
        candidates = _find_alone(ctx, calendar, name)
    else:
        candidates = resources.find_all(ctx, calendar)
    if not len(outer):
        return candidates
    texts, budget = text.read_all(ctx, calendar, candidates), RequestBudget()
    return [each for each in candidates if matches(calendar, texts[each.name], outer, budget, is_found=is_found)]


def calendar_filter(filter_element: Element) -> Element:
    """The comp-filter of VCALENDAR."""
    outer = filter_element.findall(COMP)
    if len(outer) != 1 or outer[0].get("name", "").upper() != "VCALENDAR":
        raise filters.invalid("The filter must have one comp-filter, for VCALENDAR.")
    return outer[0]


def only_events(outer: Element) -> Element | None:
    """The comp-filter of VEVENT, if the filter has no other."""
    return outer[0] if len(outer) == 1 and outer[0].tag == COMP and outer[0].get("name", "").upper() == "VEVENT" else None


def _find_events(ctx: Context, calendar: Calendar, element: Element) -> list[Resource]:
    """The resources with an event that takes place in the range of the filter; without a range, all with events."""
    if element.find(filters.ABSENT) is not None:
        return [each for each in resources.find_all(ctx, calendar) if each.component != "VEVENT"]
    range_element = element.find(RANGE)
    if range_element is None:
        return [each for each in resources.find_all(ctx, calendar) if each.component == "VEVENT"]
    return find_in_range(ctx, calendar, filters.parse_range(range_element))


def find_in_range(ctx: Context, calendar: Calendar, time_range: TimeRange) -> list[Resource]:
    """The resources with an event that takes place in the range."""
    start, end = bounds(time_range)
    event_ids, series_ids = store.find_overlapping(ctx, calendar, start, end)
    # Those of endless series may have no events so far ahead.
    series_ids += future_dates.find_series(ctx, calendar, start, end, set(series_ids))
    in_range = [each for each in resources.find_by_ids(ctx, calendar, event_ids, series_ids) if not (each.row and each.row.within_day)]
    alone = _find_alone(ctx, calendar, "VEVENT")
    texts = text.read_all(ctx, calendar, alone)
    budget = RequestBudget()
    in_range += [each for each in alone if within_days.takes_place(texts[each.name], start, end, calendar.time_zone, budget)]
    return in_range + within_days.find_overlapping(ctx, calendar, start, end, budget)


def _find_alone(ctx: Context, calendar: Calendar, component: str) -> list[Resource]:
    """The files of this component that are no events here."""
    rows = [row for row in store.find_rows_alone(ctx, calendar) if row.component == component]
    return resources.find_by_rows(ctx, calendar, rows)


def bounds(time_range: TimeRange) -> tuple[int, int]:
    start = EARLIEST if time_range.start is None else time_range.start
    return start, LATEST if time_range.end is None else time_range.end


def matches(calendar: Calendar, content: bytes, outer: Element, budget: RequestBudget, *, is_found: bool) -> bool:
    """Whether the file meets the filter; is_found: the database has found its events by their time."""

    def in_range(component: Component, time_range: TimeRange, around: Component | None) -> bool:
        start, end = bounds(time_range)
        if component.name == "VALARM":
            return around is not None and overlap.alarm_overlaps(around, component, start, end, calendar.time_zone, budget)
        if component.name == "VCALENDAR":
            return any(in_range(each, time_range, component) for each in component.inner if each.name != "VTIMEZONE")
        return (is_found and component.name == "VEVENT") or overlap.overlaps(component, start, end, calendar.time_zone, budget)

    roots = filters.parse_components(content.decode("utf-8", "replace"))
    return any(filters.matches(root, outer, in_range) for root in roots if root.name == "VCALENDAR")
