"""Read repeating entries: as a series, or as single events if the file alone knows the zone, and clocks change there at other times."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import chain, dropwhile, islice

from msgspec import structs

from kalends.core import errors
from kalends.core.values import datetimes
from kalends.features.events.imports.rules.entries import Content
from kalends.features.events.imports.rules.following import Divider, Division
from kalends.features.events.imports.rules.incoming import Importer, IncomingEvent, IncomingSeries, Split
from kalends.features.events.imports.rules.within_day import WithinDayReader
from kalends.features.events.rules.span import Span, timed_span
from kalends.features.events.series.rules.occurrence import Dates, limit_dates, occurrence_span, seconds_of_day
from kalends.features.events.series.rules.rule import MAX_INTERVAL, MAX_OCCURRENCES, ONCE, Rule, add_months, parse_text, to_until
from kalends.ical import rrule
from kalends.ical.canonical_rule import canonicalise
from kalends.ical.parse import Entry
from kalends.ical.rrule import BudgetExceeded, Recurrence
from kalends.ical.values import DateTimeValue, shorten

# Longer than the time between two DST changes, except in a few zones in a few years.
DAYS_WITHOUT_DST_CHANGE = 40
SECOND = timedelta(seconds=1)
# How far a rule that has an end is followed, if that takes long.
MONTHS_BEYOND_HORIZON = 1_200
# How often a series of a file is split.
MAX_SPLITS = 100
# The most days that are examined to find whether a rule has a day.
STEPS_OF_A_PERIOD = 366


class RecurrenceReader:
    """Reads an entry that may repeat, with its changed occurrences."""

    def __init__(self, importer: Importer, entry: Entry, uid: str, splits: int = 0):
        assert entry.start is not None
        self._splits = splits
        self._importer = importer
        self._reader = importer.reader
        self._entry = entry
        self._uid = uid
        self._start = entry.start
        self._zone = self._reader.zone_of(entry, entry.start)
        self._excluded: set[date] = set()

    def read(self, changed: list[Entry]) -> list[IncomingSeries]:
        """The series of the entry, and those changed occurrences and additional dates that are events of their own."""
        rule = self._parse_rule()
        try:
            if rule and rule.has_own_times(self._start.local.time()):
                return WithinDayReader(self._importer, self._entry, self._uid, rule).read(changed)
            if rule or self._entry.rdates:
                may_split = self._splits < MAX_SPLITS and any(entry.and_following for entry in changed)
                division = self._divide(rule, changed) if may_split else None
                return self._read_divided(division) if division else self._read_repeating(rule, changed)
        except BudgetExceeded:
            self._warn("the rules of this file take too long to follow, and only the first occurrence is kept")
        single = IncomingSeries(self._entry.line, self._uid, {"": self._importer.read_event(self._entry)})
        return [single, *self._place_changed(IncomingSeries(self._entry.line, self._uid), changed)]

    def _divide(self, rule: Recurrence | None, changed: list[Entry]) -> Division | None:
        """The parts before and from the first change of an occurrence and all that follow it, if there is one."""
        start = self._start.local.date()
        days = [self._to_local(entry.recurrence_id).date() for entry in changed if entry.recurrence_id]
        limit = add_months(max(start, self._importer.horizon(max(days))), 0 if rule and _is_endless(rule) else MONTHS_BEYOND_HORIZON)
        last = max(start, self._last_start(rule.until)) if rule and rule.until else None
        dates = list(self._own_dates(rule, start, min(last or date.max, limit))) if rule else [start]
        return Divider(self._entry, rule, last, dates, self._to_local, self._reader.budget).divide(changed)

    def _read_divided(self, division: Division) -> list[IncomingSeries]:
        """The series before the change, and that from the change on."""
        if division.is_cut:
            self._reader.warn(division.tail.line, "repeat", "no rule has these dates; those that are not created now are left out")
        if division.head is None:
            return RecurrenceReader(self._importer, division.tail, self._uid, self._splits + 1).read(division.tail_changes)
        slot = division.day.isoformat()
        tail = RecurrenceReader(self._importer, division.tail, f"{self._uid}/{slot}", self._splits + 1).read(division.tail_changes)
        for series in tail[:1]:
            series.split = Split(self._uid, slot, division.by)
        return [*RecurrenceReader(self._importer, division.head, self._uid).read(division.head_changes), *tail]

    def _to_local(self, value: DateTimeValue) -> datetime:
        return self._reader.to_local(self._entry, value, self._zone)

    def _own_dates(self, rule: Recurrence, start: date, last: date) -> Iterator[date]:
        """The dates of the rule. DTSTART is the first of them even if the rule does not have it."""
        days = rrule.dates(structs.replace(rule, count=None), start, last, self._reader.budget)
        return islice(chain([start], dropwhile(lambda day: day == start, days)), rule.count)

    def _read_repeating(self, rule: Recurrence | None, changed: list[Entry]) -> list[IncomingSeries]:
        series = IncomingSeries(self._entry.line, self._uid, clock=seconds_of_day(self._start.local))
        content = self._reader.read_content(self._entry)
        pattern = self._find_pattern(self._reader.read_span(self._entry, self._zone))
        dates, goes_on = self._read_dates(rule or parse_text(ONCE), series, pattern)
        self._importer.count(len(dates), content)
        self._add_exceptions(series, set(dates), changed)
        for day in dates:
            if day.isoformat() not in series.exceptions:
                series.events[day.isoformat()] = self._occurrence(series, content, pattern, day)
        if rule and not series.rule:
            self._warn_single_events(len(series.events), f" until {dates[-1]}" if goes_on else "")
        regular = IncomingEvent(content, pattern, self._zone.is_named)
        others = [*self._add_rdates(series, content, pattern), *self._place_changed(series, changed, regular)]
        if not series.events:
            self._importer.skip(self._entry, "repeat", "it was left out: none of its occurrences takes place")
            return others
        return [series, *others]

    def _find_pattern(self, first: Span) -> Span:
        """The span after which occurrences are created: the first one without a DST change, which has the regular length."""
        if first.all_day or first.end_at is None:
            return first
        length, zone = self._local_length(first.end_at - first.start_at), first.time_zone
        for day in range(DAYS_WITHOUT_DST_CHANGE):
            start = self._start.local + timedelta(days=day)
            start_at, end_at = (datetimes.to_instant(local, zone) for local in (start, start + length))
            if end_at - start_at == length // SECOND and datetimes.to_local(start_at, zone).replace(tzinfo=None) == start:
                return timed_span(start_at, end_at, zone)
        return first

    def _local_length(self, seconds: int) -> timedelta:
        """The length in local time; `seconds` is that in real time."""
        duration, end = self._entry.duration, self._entry.end
        if duration:
            return timedelta(days=duration.days, seconds=duration.seconds)
        if end and not end.is_date and (end.zone, end.is_utc) == (self._start.zone, self._start.is_utc):
            return end.local - self._start.local
        return timedelta(seconds=seconds)

    def _parse_rule(self) -> Recurrence | None:
        """The rule; None with a remark if it is not supported, so that only the first occurrence is imported."""
        if not self._entry.rule:
            return None
        label = f"the rule {shorten(self._entry.rule)}"
        try:
            rule = rrule.parse(self._entry.rule)
        except ValueError as error:
            self._warn(f"{label} cannot be read, and only the first occurrence is kept: {error}")
            return None
        if self._start.is_date and not rule.is_daily_or_longer:
            self._warn(f"{label} repeats within a day, and only the first occurrence is kept")
            return None
        # The times of a rule mean nothing for an all-day event (RFC 5545, section 3.3.10).
        return structs.replace(rule, times=rrule.NO_TIMES) if self._start.is_date else rule

    def _read_dates(self, rule: Recurrence, series: IncomingSeries, pattern: Span) -> tuple[list[date], bool]:
        """The dates to import, and whether the rule goes on after them. The series gets the rule, unless it cannot be kept."""
        start = self._start.local.date()
        horizon = self._importer.horizon(start)
        is_endless = _is_endless(rule)
        # DTSTART is an occurrence even if UNTIL is before it, or the rule does not have it.
        last = max(start, self._last_start(rule.until)) if rule.until else date.max
        limit = horizon if is_endless else date.max if rrule.is_simple(rule, start) else add_months(horizon, MONTHS_BEYOND_HORIZON)
        dates = limit_dates(self._own_dates(rule, start, min(last, limit)), horizon, stops_at_horizon=is_endless)
        series.since = dates.days[0].isoformat() if dates.is_cut_at_start else ""
        if rule.interval <= MAX_INTERVAL and self._has_same_instants(series, pattern, dates.days):
            self._set_rule(rule, series, dates, None if is_endless else dates.days[-1])
        self._warn_cut(dates, is_cut_at_end=dates.is_cut_at_end)
        return dates.days, is_endless or dates.is_cut_at_end

    def _set_rule(self, rule: Recurrence, series: IncomingSeries, dates: Dates, end: date | None) -> None:
        """Give the series the rule from its first date on; a DTSTART that the rule does not have is a date beside it."""
        start = self._start.local.date()
        is_own_start = rrule.has(rule, start, start)
        own = [day for day in dates.days if day != start or is_own_start]
        first = own[0] if own else self._find_first(rule, start) if end is None else None
        if first is None:
            return
        has_count = rule.count is not None and not dates.is_cut_at_start and not dates.is_cut_at_end
        count, until = (len(own), None) if has_count else (None, to_until(end) if end else None)
        recurrence = canonicalise(structs.replace(rule, count=count, until=until), first)
        series.rule = Rule(recurrence, first, () if is_own_start or start not in dates.days else (start,))
        series.made_until = (end or self._importer.horizon(start)).isoformat()

    def _find_first(self, rule: Recurrence, start: date) -> date | None:
        """The first date of an endless rule that has none up to the horizon."""
        last = add_months(self._importer.horizon(start), MONTHS_BEYOND_HORIZON)
        return next(rrule.dates(rule, start, last, self._reader.budget), None)

    def _last_start(self, until: DateTimeValue) -> date:
        """The last day on which an occurrence may begin."""
        if until.is_date or self._start.is_date:
            return until.local.date()
        local = until.local
        if until.is_utc and not self._start.is_utc:
            local = self._zone.to_local(self._reader.to_instant(self._entry, until))
        is_before = seconds_of_day(local) < seconds_of_day(self._start.local)
        return local.date() - timedelta(days=1) if is_before else local.date()

    def _has_same_instants(self, series: IncomingSeries, pattern: Span, days: list[date]) -> bool:
        """Whether the occurrences begin at the same instants in the zone of the event as in the one that the file defines."""
        definition = self._zone.definition
        if definition is None or self._start.is_date:
            return True
        clock = timedelta(seconds=series.clock)
        return all(
            occurrence_span(pattern, day, series.clock)["start_at"] == definition.to_instant(datetime(day.year, day.month, day.day) + clock)
            for day in days
        )

    def _occurrence(self, series: IncomingSeries, content: Content, pattern: Span, day: date) -> IncomingEvent:
        """The occurrence of the day. A DURATION holds even during a DST change, and then departs from the rule."""
        regular = self._regular_span(series, pattern, day)
        if not self._start.is_date and (self._entry.duration or (self._zone.definition and not series.rule)):
            span = self._reader.read_span(self._entry, self._zone, day - self._start.local.date())
            return IncomingEvent(content, span, self._zone.is_named, edited=series.rule is not None and span != regular)
        return IncomingEvent(content, regular, self._zone.is_named)

    def _regular_span(self, series: IncomingSeries, pattern: Span, day: date) -> Span:
        """The span of the day's occurrence as the rule makes it."""
        try:
            return structs.replace(pattern, **occurrence_span(pattern, day, series.clock))
        except (errors.Invalid, OverflowError):
            raise ValueError(datetimes.YEARS) from None

    def _add_exceptions(self, series: IncomingSeries, dates: set[date], changed: list[Entry]) -> None:
        """Add the slots of EXDATE, and of cancelled occurrences without a start."""
        cancelled = [entry.recurrence_id for entry in changed if entry.status == "CANCELLED" and entry.start is None]
        values = [*self._entry.exdates, *(value for value in cancelled if value)]
        self._excluded = {self._reader.to_date(self._entry, value, self._zone) for value in values}
        exceptions = sorted(day for day in self._excluded if day in dates or self._is_later_date(series, day))
        if len(exceptions) > MAX_OCCURRENCES:
            self._warn(f"of {len(exceptions):,} exceptions the first {MAX_OCCURRENCES:,} are kept")
        series.exceptions = {day.isoformat() for day in exceptions[:MAX_OCCURRENCES]}

    def _is_later_date(self, series: IncomingSeries, day: date) -> bool:
        """Whether an endless rule has the day, for which no occurrence is created yet."""
        if series.rule is None or not series.rule.is_endless or day.isoformat() <= series.made_until:
            return False
        self._reader.budget.spend(STEPS_OF_A_PERIOD)
        return series.rule.has(day)

    def _place_changed(
        self, series: IncomingSeries, changed: list[Entry], regular: IncomingEvent | None = None
    ) -> Iterator[IncomingSeries]:
        """Put the changed occurrences into their slots; those without one are yielded as events of their own."""
        for entry in changed:
            if entry.start is None or entry.recurrence_id is None:
                continue
            with self._importer.skip_on_error(entry):
                if entry.and_following:
                    self._reader.warn(entry.line, "repeat", "the change is kept for this occurrence alone, not for those that follow it")
                day = self._reader.to_date(entry, entry.recurrence_id, self._zone)
                slot = day.isoformat()
                if slot in series.events or slot in series.exceptions or self._is_later_date(series, day):
                    event = self._importer.read_event(entry, edited=series.rule is not None)
                    series.events[slot] = event if regular is None else self._regular_if_equal(series, regular, day, event)
                    series.exceptions.discard(slot)
                elif slot >= series.since:
                    yield self._importer.read_single_occurrence(self._uid, entry, self._zone)

    def _regular_if_equal(self, series: IncomingSeries, pattern: IncomingEvent, day: date, event: IncomingEvent) -> IncomingEvent:
        """The regular occurrence of the day, if the entry says no more than the rule does; else the changed event."""
        regular = structs.replace(pattern, span=self._regular_span(series, pattern.span, day))
        return regular if series.rule and _is_equal(event, regular) else event

    def _add_rdates(self, series: IncomingSeries, content: Content, pattern: Span) -> Iterator[IncomingSeries]:
        """Add the dates of RDATE; those that a series cannot have, because it has one on the day, are yielded as events of their own."""
        added: list[date] = []
        for period in self._entry.rdates:
            value = period.start
            day = self._reader.to_date(self._entry, value, self._zone)
            local = self._start.local if value.is_date else value.local
            slot = day.isoformat() + ("" if local.time() == self._start.local.time() else f"T{local:%H%M%S}")
            if slot in series.events or slot in series.exceptions or day in self._excluded:
                continue
            self._importer.count(1, content)
            regular = self._occurrence(series, content, pattern, day)
            event = structs.replace(regular, edited=False)
            if not value.is_date and not self._start.is_date:
                by = self._reader.to_instant(self._entry, value) - event.span.start_at
                event = structs.replace(event, span=self._reader.read_period(self._entry, period, _shift(event.span, by)))
            if series.rule is None:
                series.events[slot] = event
            elif day.isoformat() in series.events or len(series.events) >= MAX_OCCURRENCES:
                yield IncomingSeries(self._entry.line, f"{self._uid}/{slot}", {"": event})
            else:
                series.events[day.isoformat()] = structs.replace(event, edited=event.span != self._regular_span(series, pattern, day))
                added.append(day)
        if series.rule and added:
            series.rule = series.rule.with_dates([*series.rule.also, *added])

    def _warn(self, message: str) -> None:
        self._reader.warn(self._entry.line, "repeat", message)

    def _warn_cut(self, dates: Dates, *, is_cut_at_end: bool) -> None:
        cut = [f"before {dates.days[0]}"] * dates.is_cut_at_start + [f"after {dates.days[-1]}"] * is_cut_at_end
        if cut:
            self._warn(f"of more than {MAX_OCCURRENCES:,} occurrences, those {' and '.join(cut)} were left out")

    def _warn_single_events(self, count: int, until: str) -> None:
        events = "1 single event" if count == 1 else f"{count:,} single events"
        self._warn(f"the rule {shorten(self._entry.rule)} is kept as {events}{until}")


def _is_endless(rule: Recurrence) -> bool:
    return rule.until is None and rule.count is None


def _is_equal(event: IncomingEvent, regular: IncomingEvent) -> bool:
    """Whether the content and the times are equal."""
    first, second = ((each.span.start_at, each.span.until_at, each.span.all_day) for each in (event, regular))
    return first == second and event.content == regular.content


def _shift(span: Span, by: int) -> Span:
    end_at = None if span.end_at is None else span.end_at + by
    return structs.replace(span, start_at=span.start_at + by, end_at=end_at, until_at=span.until_at + by)
