"""What repeats in a calendar file: a series where its rule is one of ours, else single events, each for its date."""

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import chain, dropwhile, islice

from msgspec import structs

from kalends import errors
from kalends.events.imports.entries import Content
from kalends.events.imports.incoming import Arrival, Maker, Wanted
from kalends.events.series import store as series
from kalends.events.series.rule import Rule
from kalends.events.series.store import MOST, seconds_of_day
from kalends.events.span import Span
from kalends.ical import rrule
from kalends.ical.parse import Entry
from kalends.ical.rrule import Recurrence, TooLong
from kalends.ical.values import Moment, short
from kalends.values import datetimes

MOST_INTERVAL = 1_000
# Clocks are set twice a year at most, but for a few zones in a few years.
QUIET_DAYS = 40
SECOND = timedelta(seconds=1)


class Repetition:
    """An entry that may repeat, and the occurrences that were changed alone."""

    def __init__(self, maker: Maker, entry: Entry, uid: str):
        assert entry.start is not None
        self._maker = maker
        self._reader = maker.reader
        self._entry = entry
        self._uid = uid
        self._start = entry.start
        self._clock = self._reader.clock(entry, entry.start)

    def arrivals(self, changed: list[Entry]) -> list[Arrival]:
        """What the entry comes to, and the occurrences that were changed."""
        rule = self._rule()
        try:
            if rule or self._entry.added:
                return self._repeated(rule, changed)
        except TooLong:
            self._tell("the rules of this file take too long to follow, and only the first occurrence is kept")
        once = Arrival(self._entry.line, self._uid, {"": self._maker.wanted(self._entry)})
        return [once, *self._changed(Arrival(self._entry.line, self._uid), changed)]

    def _repeated(self, rule: Recurrence | None, changed: list[Entry]) -> list[Arrival]:
        arrival = Arrival(self._entry.line, self._uid, clock=seconds_of_day(self._start.local))
        content = self._reader.content(self._entry)
        first = self._pattern(self._reader.span(self._entry, self._clock))
        dates, goes_on = self._dates(rule, arrival, first) if rule else ([self._start.local.date()], False)
        self._maker.count(len(dates), content)
        self._except(arrival, set(dates), changed)
        for day in dates:
            if day.isoformat() not in arrival.excepted:
                arrival.wanted[day.isoformat()] = self._on(arrival, content, first, day)
        if rule and not arrival.rule:
            self._tell_kept(len(arrival.wanted), f" until {dates[-1]}" if goes_on else "")
        regular = Wanted(content, first, self._clock.is_named)
        others = [*self._changed(arrival, changed, regular), *self._added(arrival, content, first)]
        if not arrival.wanted:
            self._maker.skip(self._entry, "repeat", "it was left out: none of its occurrences takes place")
            return others
        return [arrival, *others]

    def _pattern(self, first: Span) -> Span:
        """The occurrence after which the others are made: one during which no clocks are set, so that its length is the usual one."""
        if first.all_day or first.end_at is None:
            return first
        length, zone = self._length(first.end_at - first.start_at), first.time_zone
        for day in range(QUIET_DAYS):
            start = self._start.local + timedelta(days=day)
            start_at, end_at = (datetimes.to_instant(local, zone) for local in (start, start + length))
            if end_at - start_at == length // SECOND and datetimes.to_local(start_at, zone).replace(tzinfo=None) == start:
                return Span(start_at, end_at, end_at, False, zone)
        return first

    def _length(self, exact: int) -> timedelta:
        """How long it takes by the clocks."""
        length, end = self._entry.length, self._entry.end
        if length:
            return timedelta(days=length.days, seconds=length.seconds)
        if end and not end.is_date and (end.zone, end.is_utc) == (self._start.zone, self._start.is_utc):
            return end.local - self._start.local
        return timedelta(seconds=exact)

    def _rule(self) -> Recurrence | None:
        """The rule, if it can be followed; without it, the first occurrence is all there is."""
        if not self._entry.rule:
            return None
        called = f"the rule {short(self._entry.rule)}"
        try:
            rule = rrule.read(self._entry.rule)
        except ValueError as error:
            self._tell(f"{called} cannot be read, and only the first occurrence is kept: {error}")
            return None
        if not rule.is_by_the_day:
            self._tell(f"{called} repeats within a day, and only the first occurrence is kept")
            return None
        local = self._start.local
        if any(times and times != (time,) for times, time in zip(rule.clocks, (local.hour, local.minute, local.second), strict=True)):
            self._tell(f"{called} has times of its own; only that of the first occurrence is kept")
        return rule

    def _dates(self, rule: Recurrence, arrival: Arrival, first: Span) -> tuple[list[date], bool]:
        """The dates that are kept, and whether the rule goes on after them. The arrival gets it, if it is one of ours."""
        start = self._start.local.date()
        # The first occurrence takes place, whatever the rule says.
        last = max(start, self._last(rule.until)) if rule.until else date.max
        horizon = self._maker.horizon(start)
        is_endless = rule.until is None and rule.count is None
        is_plain = rrule.is_plain(rule, start) and rule.interval <= MOST_INTERVAL
        if is_plain:
            found = Rule(rule.frequency, rule.interval, start, None).dates(last)
        else:
            every = rrule.dates(structs.replace(rule, count=None), start, min(last, horizon), self._reader.budget)
            found = chain([start], dropwhile(lambda day: day == start, every))
        dates, is_late, goes_on = _kept(islice(found, rule.count), horizon, is_endless or not is_plain)
        arrival.since = dates[0].isoformat() if is_late else ""
        if is_plain and self._fits(arrival, first, dates):
            end = None if is_endless else dates[-1]
            arrival.rule = Rule(rule.frequency, rule.interval, dates[0], end)
            arrival.made_until = (end or horizon).isoformat()
        cut = [f"before {dates[0]}"] * is_late + [f"after {dates[-1]}"] * (goes_on and is_plain and not is_endless)
        if cut:
            self._tell(f"of more than {MOST:,} occurrences, those {' and '.join(cut)} were left out")
        return dates, goes_on if is_plain else last > horizon and (rule.count is None or len(dates) < rule.count)

    def _last(self, until: Moment) -> date:
        """The last day on which an occurrence may begin."""
        if until.is_date or self._start.is_date:
            return until.local.date()
        if until.is_utc and not self._start.is_utc:
            instant = self._reader.instant(self._entry, until)
            own = self._clock.own
            local = own.local(instant) if own else datetimes.to_local(instant, self._clock.zone).replace(tzinfo=None)
        else:
            local = until.local
        is_before = seconds_of_day(local) < seconds_of_day(self._start.local)
        return local.date() - timedelta(days=1) if is_before else local.date()

    def _fits(self, arrival: Arrival, first: Span, dates: list[date]) -> bool:
        """Whether the zone in which they are kept shows the times that a zone of the file's own means."""
        own = self._clock.own
        if own is None or self._start.is_date:
            return True
        clock = timedelta(seconds=arrival.clock)
        midnights = {day: datetime(day.year, day.month, day.day) for day in dates}
        return all(series.moved(first, day, arrival.clock)["start_at"] == own.instant(midnights[day] + clock) for day in dates)

    def _on(self, arrival: Arrival, content: Content, first: Span, day: date) -> Wanted:
        """The occurrence of the day. A length that is given holds also where clocks are set meanwhile, and departs from our rule then."""
        made = self._made(arrival, first, day)
        if not self._start.is_date and (self._entry.length or (self._clock.own and not arrival.rule)):
            span = self._reader.span(self._entry, self._clock, day - self._start.local.date())
            return Wanted(content, span, self._clock.is_named, edited=arrival.rule is not None and span != made)
        return Wanted(content, made, self._clock.is_named)

    def _made(self, arrival: Arrival, first: Span, day: date) -> Span:
        """The occurrence as a series of ours makes it."""
        try:
            return structs.replace(first, **series.moved(first, day, arrival.clock))
        except (errors.Invalid, OverflowError):
            raise ValueError(datetimes.YEARS) from None

    def _except(self, arrival: Arrival, dates: set[date], changed: list[Entry]) -> None:
        """The slots that take no place: as the entry says, or where an occurrence is cancelled."""
        moments = [*self._entry.excluded, *(entry.occurrence for entry in changed if entry.is_cancelled and entry.occurrence)]
        days = {self._reader.day(self._entry, moment, self._clock) for moment in moments}
        held = sorted(day for day in days if day in dates or (arrival.rule and arrival.rule.has(day)))
        if len(held) > MOST:
            self._tell(f"of {len(held):,} exceptions the first {MOST:,} are kept")
        arrival.excepted = {day.isoformat() for day in held[:MOST]}

    def _changed(self, arrival: Arrival, changed: list[Entry], regular: Wanted | None = None) -> Iterator[Arrival]:
        """Put the occurrences that were changed in their place; those that have none are events of their own."""
        for entry in changed:
            if entry.is_cancelled or entry.start is None or entry.occurrence is None:
                continue
            with self._maker.skipping(entry):
                if entry.and_following:
                    self._reader.tell(entry.line, "repeat", "the change is kept for this occurrence alone, not for those that follow it")
                day = self._reader.day(entry, entry.occurrence, self._clock)
                slot = day.isoformat()
                if slot in arrival.wanted or slot in arrival.excepted or (arrival.rule and arrival.rule.has(day)):
                    departing = self._maker.wanted(entry, edited=arrival.rule is not None)
                    arrival.wanted[slot] = departing if regular is None else self._regular(arrival, regular, day, departing)
                    arrival.excepted.discard(slot)
                elif slot >= arrival.since:
                    yield self._maker.alone(self._uid, entry, self._clock)

    def _regular(self, arrival: Arrival, regular: Wanted, day: date, departing: Wanted) -> Wanted:
        """What the entry says, or if that is what a series of ours makes of the day anyway, that."""
        made = structs.replace(regular, span=self._made(arrival, regular.span, day))
        return made if arrival.rule and _is_same(departing, made) else departing

    def _added(self, arrival: Arrival, content: Content, first: Span) -> Iterator[Arrival]:
        """The dates beside the rule: in a series they are events of their own."""
        for moment in self._entry.added:
            day = self._reader.day(self._entry, moment, self._clock)
            local = self._start.local if moment.is_date else moment.local
            slot = day.isoformat() + ("" if local.time() == self._start.local.time() else f"T{local:%H%M%S}")
            if slot in arrival.wanted or slot in arrival.excepted:
                continue
            self._maker.count(1, content)
            wanted = structs.replace(self._on(arrival, content, first, day), edited=False)
            if not moment.is_date and not self._start.is_date:
                by = self._reader.instant(self._entry, moment) - wanted.span.start_at
                wanted = structs.replace(wanted, span=_shifted(wanted.span, by))
            if arrival.rule:
                yield Arrival(self._entry.line, f"{self._uid}/{slot}", {"": wanted})
            else:
                arrival.wanted[slot] = wanted

    def _tell(self, message: str) -> None:
        self._reader.tell(self._entry.line, "repeat", message)

    def _tell_kept(self, count: int, until: str) -> None:
        kept = "1 single event" if count == 1 else f"{count:,} single events"
        self._tell(f"the rule {short(self._entry.rule)} is kept as {kept}{until}")


def _kept(dates: Iterable[date], horizon: date, to_horizon: bool) -> tuple[list[date], bool, bool]:
    """As many as a series may have: the first ones if they reach far enough, else those up to the horizon; and what was cut off,
    at the beginning and at the end."""
    kept: deque[date] = deque(maxlen=MOST)
    is_late = False
    for day in dates:
        if day > horizon and (to_horizon or len(kept) == MOST):
            return list(kept), is_late, True
        is_late = is_late or len(kept) == MOST
        kept.append(day)
    return list(kept), is_late, False


def _is_same(departing: Wanted, regular: Wanted) -> bool:
    """Whether the entry says no more than the rule does already."""
    moments = [(each.span.start_at, each.span.until_at, each.span.all_day) for each in (departing, regular)]
    return moments[0] == moments[1] and departing.content.columns == regular.content.columns


def _shifted(span: Span, by: int) -> Span:
    end_at = None if span.end_at is None else span.end_at + by
    return structs.replace(span, start_at=span.start_at + by, end_at=end_at, until_at=span.until_at + by)
