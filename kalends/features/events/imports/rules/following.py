"""Changes of an occurrence and of all that follow it (RANGE=THISANDFUTURE): each divides a repeating entry into two with a rule each."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from itertools import islice

from msgspec import Struct, structs

from kalends.features.events.imports.rules.entries import as_all_day
from kalends.features.events.series.rules.rule import MAX_OCCURRENCES, ONCE, ONE_DAY, Rule, to_until
from kalends.ical import rrule
from kalends.ical.canonical_rule import canonicalise, format_rule
from kalends.ical.parse import Entry
from kalends.ical.rrule import Budget, Recurrence
from kalends.ical.values import DateTimeValue, Period

ToLocal = Callable[[DateTimeValue], datetime]


class Division(Struct, frozen=True):
    """The entry before the change (None if it changes all occurrences), and that from it on, with the other changes of each.

    day: the occurrence that was changed. by: how many days later it is. is_cut: the tail ends at the horizon, but the rule does not."""

    head: Entry | None
    head_changes: list[Entry]
    tail: Entry
    tail_changes: list[Entry]
    day: date
    by: timedelta
    is_cut: bool


class Divider:
    """Divides an entry. `to_local` is the time of a value in its zone; `dates` are those of its rule in order, which end on `last`."""

    def __init__(self, entry: Entry, rule: Recurrence | None, last: date | None, dates: list[date], to_local: ToLocal, budget: Budget):
        self._entry = entry
        self._rule = structs.replace(rule, until=to_until(last) if last else None) if rule else None
        self._dates = dates
        self._to_local = to_local
        self._budget = budget

    def divide(self, changed: list[Entry]) -> Division | None:
        """The two parts at the first change of an occurrence and all that follow it; None if there is no such change."""
        dates = {*self._dates, *(self._to_date(period.start) for period in self._entry.rdates)}
        slots = [(self._to_date(each.recurrence_id), each) for each in changed if each.recurrence_id]
        for day, change in sorted(slots, key=lambda slot: (slot[0], slot[1].line)):
            if change.and_following and change.start and day in dates:
                return self._divide_at(day, change, slots)
        return None

    def _divide_at(self, day: date, change: Entry, slots: list[tuple[date, Entry]]) -> Division:
        all_day = as_all_day(change)
        assert all_day.start is not None
        by = all_day.start.local.date() - day
        earlier = [each for each in self._dates if each < day]
        head, tail = self._build_head(day, len(earlier)), self._build_tail(day, all_day, all_day.start)
        return Division(
            head=head if earlier or head.rdates else None,
            head_changes=[each for slot, each in slots if slot < day],
            tail=tail,
            tail_changes=[structs.replace(each, recurrence_id=_to_value(slot + by)) for slot, each in slots if slot > day],
            day=day,
            by=by,
            is_cut=tail.rule == ONCE and self._rule is not None and self._rule.until is None and self._rule.count is None,
        )

    def _build_head(self, day: date, count: int) -> Entry:
        rule = ""
        if self._rule and self._rule.count is not None:
            rule = format_rule(structs.replace(self._rule, count=max(1, count)))
        elif self._rule:
            end = self._rule.until.local.date() if self._rule.until else date.max
            rule = format_rule(structs.replace(self._rule, until=to_until(min(day - ONE_DAY, end))))
        rdates = [period for period in self._entry.rdates if self._to_date(period.start) < day]
        return structs.replace(self._entry, rule=rule, rdates=rdates, exdates=[v for v in self._entry.exdates if self._to_date(v) < day])

    def _build_tail(self, day: date, change: Entry, start: DateTimeValue) -> Entry:
        """The change as the first date of a rule, with the later dates and exceptions moved by the same difference in local time."""
        assert self._entry.start is not None
        by = start.local.date() - day
        clock = self._entry.start.local.time()
        rule, dates = self._move_rule(day, by)
        rdates = [Period(_to_value(each)) for each in dates]
        for period in self._entry.rdates:
            local = self._to_local(period.start)
            if local.date() > day and (period.start.is_date or local.time() == clock):
                rdates.append(Period(_to_value(local.date() + by)))
            elif local.date() > day:
                rdates.append(Period(structs.replace(start, local=local + (start.local - datetime.combine(day, clock)))))
        exdates = [_to_value(self._to_date(value) + by) for value in self._entry.exdates if self._to_date(value) > day]
        return structs.replace(change, recurrence_id=None, and_following=False, rule=rule, rdates=rdates, exdates=exdates)

    def _move_rule(self, day: date, by: timedelta) -> tuple[str, list[date]]:
        """The rule from the day on, that many days later; if no rule has these dates, they are listed."""
        later = [each for each in self._dates if each >= day]
        moved = [each + by for each in later[:MAX_OCCURRENCES]]
        if self._rule is None or not moved:
            return "", []
        if day == later[0]:
            count = None if self._rule.count is None else self._rule.count - (len(self._dates) - len(later))
            rule = Rule(canonicalise(structs.replace(self._rule, count=count), day), day).shift(by)
            dates = rrule.dates(rule.recurrence, rule.start, moved[-1], self._budget)
            if list(islice(dates, len(moved) + 1)) == moved:
                return rule.text, []
        return ONCE, [each for each in moved if each != day + by]

    def _to_date(self, value: DateTimeValue) -> date:
        return self._to_local(value).date()


def _to_value(day: date) -> DateTimeValue:
    return DateTimeValue(datetime.combine(day, time()), is_date=True)
