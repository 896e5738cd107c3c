"""When the components of a file take place (RFC 4791, section 9.9): tasks, journals, alarms, and events that are kept as files alone.

Events that this service knows are found in the database, which is faster and exact as well."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import islice

from kalends.core.values import datetimes
from kalends.dav.calendars.filters import Component
from kalends.dav.calendars.future_dates import EARLIEST, LATEST
from kalends.dav.xml import DAV, DavError
from kalends.ical import rrule, rrule_times
from kalends.ical.rrule import Budget, BudgetExceeded, Recurrence
from kalends.ical.values import DateTimeValue, Duration, parse_datetime, parse_datetimes, parse_duration
from kalends.ical.vtimezone import find_zone

DAY = 86_400
AT_ONCE = timedelta()
# How many days the rule of one file may examine, and how many of its dates are found.
MAX_DAYS = 50_000
MAX_OCCURRENCES = 1_000
# How many days the rules of all files may examine for one request, which takes about a second.
MAX_DAYS_OF_REQUEST = 1_000_000


class RequestBudget(Budget):
    """How many days may be examined for one request."""

    def __init__(self) -> None:
        super().__init__(MAX_DAYS_OF_REQUEST)

    def spend(self, days: int) -> None:
        try:
            super().spend(days)
        except BudgetExceeded:
            raise DavError(
                403, "The rules of these files take too long. Ask for a shorter time.", f"{{{DAV}}}number-of-matches-within-limits"
            ) from None


class _FileBudget(Budget):
    """How many days the rule of one file may examine."""

    def __init__(self, request: RequestBudget):
        super().__init__(MAX_DAYS)
        self._request = request

    def spend(self, days: int) -> None:
        self._request.spend(days)
        super().spend(days)


def overlaps(component: Component, start: int, end: int, zone: str, budget: RequestBudget) -> bool:
    """Whether the component, or one of its dates, takes place in the range; times without a zone are in this one."""
    return next(find_dates(component, start, end, zone, budget), None) is not None


def find_dates(component: Component, start: int, end: int, zone: str, budget: RequestBudget) -> Iterator[timedelta]:
    """The occurrences of the component that take place in the range: how much later than the first each is, in local time."""
    return islice((later for later, _ in _find_times(component, start, end, zone, budget)), MAX_OCCURRENCES)


def find_periods(component: Component, start: int, end: int, zone: str, budget: RequestBudget) -> list[tuple[int, int]]:
    """The beginning and the end of each occurrence of the event that takes place in the range."""
    times = (each for _, each in _find_times(component, start, end, zone, budget))
    return [(each.start, each.last) for each in times if each.start is not None]


def _find_times(component: Component, start: int, end: int, zone: str, budget: RequestBudget) -> Iterator[tuple[timedelta, "_Times"]]:
    """The times of the occurrences in the range, each with how much later than the first it is."""
    for later in _repeat(component, start - _Times(component, zone).last, end, zone, budget):
        times = _Times(component, zone, later)
        if times.overlap(start, end):
            yield later, times


def alarm_overlaps(outer: Component, alarm: Component, start: int, end: int, zone: str, budget: RequestBudget) -> bool:
    """Whether the alarm of the component goes off in the range, on one of its dates."""
    prop = next((prop for name, prop in alarm.properties if name == "TRIGGER"), None)
    if prop is None:
        return False
    try:
        if prop.parameters.get("VALUE") == "DATE-TIME":
            return start <= to_instant(parse_datetime(prop.value, prop.parameters), zone) < end
        before = parse_duration(prop.value)
    except (ValueError, OverflowError):
        return False
    of_end = prop.parameters.get("RELATED") == "END"
    # An alarm may go off long before its date.
    start, end = start - _seconds(before), end - _seconds(before)
    for later in _repeat(outer, start - _Times(outer, zone).last, end, zone, budget):
        times = _Times(outer, zone, later)
        related = times.end if of_end or times.start is None else times.start
        if related is not None and start <= related < end:
            return True
    return False


def to_instant(value: DateTimeValue, zone: str, later: timedelta = AT_ONCE) -> int:
    """The instant of the value, or of a later local time; the first or the last one that UTC has a year for, if that is beyond it."""
    name = "UTC" if value.is_utc else (find_zone(value.zone) or zone) if value.zone else zone
    try:
        return min(max(EARLIEST, datetimes.to_instant(value.local + later, name)), LATEST)
    except OverflowError:
        return LATEST if later > AT_ONCE else EARLIEST


def find_time(component: Component, name: str) -> DateTimeValue | None:
    """The time of the property; None if it cannot be read."""
    prop = next((prop for each, prop in component.properties if each == name), None)
    try:
        return parse_datetime(prop.value, prop.parameters) if prop else None
    except ValueError:
        return None


class _Times:
    """The times of one occurrence of a component."""

    def __init__(self, component: Component, zone: str, later: timedelta = AT_ONCE):
        start, end = find_time(component, "DTSTART"), find_time(component, "DUE" if component.name == "VTODO" else "DTEND")
        self._component, self._zone = component, zone
        self.start = to_instant(start, zone, later) if start else None
        self.end = to_instant(end, zone, later) if end else None
        duration = _find_duration(component)
        if start and self.end is None and duration:
            self.end = to_instant(start, zone, later + timedelta(days=duration.days)) + duration.seconds
        elif start and self.end is None and start.is_date and component.name != "VTODO":
            self.end = to_instant(start, zone, later + timedelta(days=1))

    @property
    def last(self) -> int:
        """The last instant that it has."""
        return max(EARLIEST if each is None else each for each in (self.start, self.end))

    def overlap(self, start: int, end: int) -> bool:
        if self._component.name == "VTODO":
            return self._task_overlaps(start, end)
        if self.start is None:
            return False
        if self.end is None or self.end <= self.start:
            return start <= self.start < end
        return start < self.end and end > self.start

    def _task_overlaps(self, start: int, end: int) -> bool:
        if self.start is not None and self.end is not None:
            return (start < self.end or start <= self.start) and (end > self.start or end >= self.end)
        if self.start is not None:
            return start <= self.start < end
        if self.end is not None:
            return start < self.end <= end
        completed, created = (find_time(self._component, name) for name in ("COMPLETED", "CREATED"))
        if completed is None:
            return created is None or end > to_instant(created, self._zone)
        known = [to_instant(value, self._zone) for value in (completed, created) if value]
        return start <= max(known) and end >= min(known)


def _find_duration(component: Component) -> Duration | None:
    prop = next((prop for name, prop in component.properties if name == "DURATION"), None)
    try:
        return parse_duration(prop.value) if prop else None
    except ValueError:
        return None


def _repeat(component: Component, after: int, end: int, zone: str, budget: RequestBudget) -> Iterator[timedelta]:
    """How much later than the first each of the occurrences is that may begin before the end of the range.

    after: how many seconds after the first those begin that may end in the range."""
    anchor = find_time(component, "DTSTART") or find_time(component, "DUE")
    rules = [prop.value for name, prop in component.properties if name == "RRULE"]
    if anchor is None or not rules:
        yield AT_ONCE
        return
    try:
        rule = rrule.parse(rules[0])
        # Where clocks are changed, a day is longer or shorter.
        first = anchor.local + timedelta(days=max(0, after // DAY - 2))
        last = _find_last(rule, end)
        if not anchor.is_date and rule.has_own_times(anchor.local.time()):
            yield from _repeat_within_day(component, rule, anchor, first, last, zone, budget)
            return
        excluded = {value.local.date() for value in _find_excluded(component)}
        start = anchor.local.date()
        days = rrule.dates(rule, start, max(start, last.date()), _FileBudget(budget), first.date())
        yield from (day - start for day in days if day not in excluded)
    except (ValueError, OverflowError, BudgetExceeded):
        return


def _repeat_within_day(
    component: Component, rule: Recurrence, anchor: DateTimeValue, first: datetime, last: datetime, zone: str, budget: RequestBudget
) -> Iterator[timedelta]:
    """The occurrences of a rule with times of its own, of which a day may have several."""
    excluded = {to_instant(value, zone) for value in _find_excluded(component)}
    until = to_instant(rule.until, zone) if rule.until and not rule.until.is_date else LATEST
    # An instant in UTC may be on the next day where the event is.
    for moment in rrule_times.times(rule, anchor.local, last + timedelta(days=1), _FileBudget(budget), first):
        later = moment - anchor.local
        instant = to_instant(anchor, zone, later)
        if instant > until and later:
            return
        if instant not in excluded:
            yield later


def _find_last(rule: Recurrence, end: int) -> datetime:
    """A local time after which no occurrence begins that is searched for."""
    last = datetime.fromtimestamp(min(max(end, 0), 253_402_000_000), UTC).date() + timedelta(days=1)
    return datetime.combine(min(last, rule.until.local.date()) if rule.until else last, time.max)


def _find_excluded(component: Component) -> list[DateTimeValue]:
    """The occurrences that EXDATE names, and those that other components of the file replace."""
    excluded: list[DateTimeValue] = []
    for name, prop in component.properties:
        if name == "EXDATE":
            try:
                excluded += parse_datetimes(prop)
            except ValueError:
                continue
    return excluded


def _seconds(duration: Duration) -> int:
    return duration.days * DAY + duration.seconds
