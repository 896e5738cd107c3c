"""Move the rule of a series: by days, or to another day of the month, if its day is the only thing that the rule says."""

from calendar import monthrange
from datetime import date, timedelta

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.features.events.series import store as series_store
from kalends.features.events.series.rules.rule import LAST_DAY, Rule, to_until
from kalends.features.events.series.store import Series
from kalends.http.context import Context
from kalends.ical.canonical_rule import canonicalise
from kalends.ical.rrule import Recurrence

# A fifth weekday is the last one, which every month has.
_FIFTH = 5


class Shift(Struct, frozen=True):
    """A series after a move, the new slot of each old one, and the new exceptions. `by` is how many days the moved event is later."""

    series: Series
    slots: dict[str, str]
    exceptions: list[str]
    by: timedelta

    def correction(self, event: Event) -> timedelta:
        """How many more days than the moved event this one moves."""
        if event.slot not in self.slots:
            return timedelta()
        return date.fromisoformat(self.slots[event.slot]) - date.fromisoformat(event.slot) - self.by


def plan(ctx: Context, old: Series, before: Event, events: list[Event], by: timedelta, clock: int) -> Shift:
    """The shift that moves the event by these days and to this time of day, and the others of the series with it, or an error."""
    slots = [event.slot for event in events if event.slot]
    exceptions = [slot for _, slot in series_store.find_exceptions(ctx, [old.id])]
    new = structs.replace(old, clock=clock)
    if not by:
        return Shift(new, {slot: slot for slot in slots}, exceptions, by)
    rule, moved = _move(old.rule, before, [*slots, *exceptions], by)
    created = {moved[slot] for slot in moved if slot <= old.made_until}
    made_until = max(created, default=old.made_until) if _is_monthly(rule) else _made_until(old, by)
    if not rule.moves_by_days:
        dates = {day.isoformat() for day in rule.dates(date.fromisoformat(made_until))}
        if dates != created | {day.isoformat() for day in rule.also}:
            raise _refusal()
    series = structs.replace(new.with_rule(rule), made_until=made_until)
    return Shift(series, {slot: moved[slot] for slot in slots}, [moved[slot] for slot in exceptions], by)


def apply(ctx: Context, shift: Shift, events: list[Event]) -> None:
    """Save the series, and give its events and exceptions their new slots."""
    series_store.update(ctx, shift.series)
    if not shift.by:
        return
    series_store.shift_slots(ctx, events, [shift.slots[event.slot or ""] for event in events])
    series_store.delete_exceptions(ctx, shift.series.id)
    series_store.insert_exceptions(ctx, [(shift.series.id, slot) for slot in shift.exceptions])


def _made_until(old: Series, by: timedelta) -> str:
    made_until = date.fromisoformat(old.made_until)
    return LAST_DAY if by > date.max - made_until else (made_until + by).isoformat()


def _is_monthly(rule: Rule) -> bool:
    return rule.recurrence.frequency in ("MONTHLY", "YEARLY")


def _move(rule: Rule, event: Event, slots: list[str], by: timedelta) -> tuple[Rule, dict[str, str]]:
    """The moved rule, and the new slot of each old one."""
    days = [date.fromisoformat(slot) for slot in slots]
    if not _is_monthly(rule):
        return rule.shift(by), {day.isoformat(): (day + by).isoformat() for day in days}
    slot = date.fromisoformat(event.slot) if event.slot else rule.start
    first = rule.start if slot in rule.also else slot
    target = _find_target(rule.recurrence, first, first + by)
    recurrence, start = target.change(rule.recurrence), target.move(rule.start)
    if recurrence.until:
        recurrence = structs.replace(recurrence, until=to_until(target.move(max(rule.own_dates(), default=rule.start))))
    moved = {day.isoformat(): (day + by if day in rule.also else target.move(day)).isoformat() for day in days}
    return Rule(canonicalise(recurrence, start), start, tuple(day + by for day in rule.also)), moved


class _Target(Struct, frozen=True):
    """A day of the month, or a weekday of it if there is one, some months later; both count from the end if they are negative."""

    number: int
    weekday: int | None
    month: int
    months: int

    def move(self, day: date) -> date:
        """The target in the month to which this day moves, or an error if that has none."""
        year, month = divmod(day.year * 12 + day.month - 1 + self.months, 12)
        total = monthrange(year, month + 1)[1]
        number = self.number if self.number > 0 else total + 1 + self.number
        if self.weekday is not None:
            first = (self.weekday - date(year, month + 1, 1).weekday()) % 7 + 1
            number = first + 7 * (self.number - 1) if self.number > 0 else first + (total - first) // 7 * 7
        if not 1 <= number <= total:
            raise _refusal()
        return date(year, month + 1, number)

    def change(self, rule: Recurrence) -> Recurrence:
        """The rule with the target instead of the day that it has."""
        if self.weekday is not None:
            rule = structs.replace(rule, days=frozenset({(self.number, self.weekday)}))
        elif rule.month_days:
            rule = structs.replace(rule, month_days=frozenset({self.number}))
        return structs.replace(rule, months=frozenset({self.month})) if self.months and rule.months else rule


def _find_target(rule: Recurrence, day: date, to: date) -> _Target:
    """What a rule says of its day after a move from one day to another, or an error if it says more than that."""
    months = (to.year - day.year) * 12 + to.month - day.month
    total = monthrange(to.year, to.month)[1]
    is_of_year = rule.frequency == "YEARLY" and not rule.months and bool(rule.days or rule.month_days)
    has_more = rule.weeks or rule.year_days or rule.positions or len(rule.days) + len(rule.month_days) > 1 or is_of_year
    if has_more or (months and rule.months and (rule.frequency == "MONTHLY" or len(rule.months) > 1)):
        raise _refusal()
    if rule.days:
        [(number, _)] = rule.days
        nth, is_last = (to.day - 1) // 7 + 1, to.day + 7 > total
        if number < -1 or number == 0:
            raise _refusal()
        return _Target(-1 if is_last and (number < 0 or nth == _FIFTH) else nth, to.weekday(), to.month, months)
    if rule.month_days and min(rule.month_days) < 0:
        if rule.month_days != {-1} or to.day != total:
            raise _refusal()
        return _Target(-1, None, to.month, months)
    return _Target(to.day, None, to.month, months)


def _refusal() -> errors.Invalid:
    message = gettext("would move the series off the days of its rule. Change the rule with repeat instead")
    return errors.invalid("start_time", message, "conflict")
