"""The rule that a request asks for, from its fields or from a whole RRULE."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from itertools import islice

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events.input_model import RepeatInput
from kalends.features.events.rules.span import Span
from kalends.features.events.series.rules.rule import MAX_INTERVAL, MAX_OCCURRENCES, MAX_STEPS, Rule, add_months, to_until
from kalends.ical import rrule
from kalends.ical.canonical_rule import canonicalise
from kalends.ical.rrule import Budget, BudgetExceeded, Recurrence
from kalends.ical.values import DateTimeValue

# A rule without a date for this many months is taken for one that never matches, such as 30 February.
MONTHS_TO_FIRST_DATE = 1_200
DAYS_OF_FEBRUARY, DAYS_OF_SHORT_MONTH, DAYS_OF_LONG_MONTH = 28, 30, 31
_PARTS = {"by_day": "BYDAY", "by_month_day": "BYMONTHDAY", "by_month": "BYMONTH", "by_set_pos": "BYSETPOS"}


class Request(Struct, frozen=True):
    """A rule, and the dates that were added to it and excepted; `end_field` is the field that errors about its length name."""

    rule: Rule
    also: tuple[date, ...]
    excepted: tuple[date, ...]
    end_field: str

    @property
    def also_text(self) -> str:
        return ",".join(day.isoformat() for day in self.rule.also)

    def find_dates(self, until: date) -> list[date]:
        """The dates up to this day, or an error if there are too many."""
        with _refuse_long_search(self.end_field):
            first = list(islice(self.rule.own_dates(until), MAX_OCCURRENCES + 1))
        days = sorted({*first, *self.rule.also})
        if len(days) > MAX_OCCURRENCES:
            last = days[MAX_OCCURRENCES - 1]
            message = (
                f"a series has at most {MAX_OCCURRENCES:,} occurrences, and the last would be on {last}; choose that or an earlier end"
            )
            raise errors.invalid(self.end_field, message, "too_many")
        return days


def read(params: RepeatInput, event: Event | Span) -> Request:
    """The rule of the parameters, or an error that names the field. It begins with its first date."""
    zone = event.time_zone
    start = datetimes.parse(params.start_date).to_date(zone) if params.start_date else datetimes.to_local(event.start_at, zone).date()
    recurrence = _read_rrule(params, event) if params.rrule else _read_fields(params, start, zone)
    end_field = "rrule" if params.rrule else "end_date" if params.count is None else "count"
    also, excepted = _read_dates(params.also, zone), _read_dates(params.excepted, zone)
    if both := sorted({*also} & {*excepted}):
        raise errors.invalid("except", f"has {both[0]}, which is in also; remove it from one of them", "conflict")
    first = _find_first(params, recurrence, start)
    rule = Rule(canonicalise(recurrence, first), first)
    with _refuse_long_search(end_field):
        rule.find_last()
        return Request(rule.with_dates(day for day in also if not rule.has(day)), also, excepted, end_field)


def _read_fields(params: RepeatInput, start: date, zone: str) -> Recurrence:
    if params.frequency is None:
        raise errors.invalid("frequency", gettext("is required unless you send an rrule"), "required")
    if params.count is not None and params.end_date:
        raise errors.invalid("count", gettext("can’t be combined with end_date. Send one of them"), "conflict")
    parts = [f"FREQ={params.frequency}", f"INTERVAL={params.interval}"]
    for name, part in _PARTS.items():
        if values := getattr(params, name):
            parts.append(f"{part}={','.join(map(str, values))}")
            _parse(name, f"FREQ={params.frequency};{parts[-1]}")
    recurrence = _parse("frequency", ";".join(parts))
    if params.frequency in ("DAILY", "WEEKLY") and any(ordinal for ordinal, _ in recurrence.days):
        raise errors.invalid(
            "by_day",
            gettext("has a number, which works with MONTHLY and YEARLY only. Remove the number, or change the frequency"),
            "conflict",
        )
    if recurrence.positions and not (recurrence.days or recurrence.month_days or recurrence.months):
        raise errors.invalid("by_set_pos", gettext("requires by_day, by_month_day or by_month. Send one of them too"), "conflict")
    if params.short_months == "last":
        recurrence = _move_to_last(recurrence, start)
    end = datetimes.parse(params.end_date).to_date(zone) if params.end_date else None
    if end and end < start:
        raise errors.invalid("end_date", gettext("must not be before the start of the series, %(start)s", start=str(start)), "conflict")
    return structs.replace(recurrence, count=params.count, until=to_until(end) if end else None)


def _move_to_last(rule: Recurrence, start: date) -> Recurrence:
    """The rule with the last day of the months that are too short for its day."""
    if rule.frequency not in ("MONTHLY", "YEARLY") or rule.days or rule.positions:
        raise errors.invalid(
            "short_months", gettext("can be last only with MONTHLY and YEARLY, and without by_day and by_set_pos"), "conflict"
        )
    days = rule.month_days or {start.day}
    is_in_one_month = rule.frequency == "YEARLY" and len(months := rule.months or (set() if rule.month_days else {start.month})) == 1
    if max(days) <= DAYS_OF_FEBRUARY or (is_in_one_month and 2 not in months and max(days) <= DAYS_OF_SHORT_MONTH):
        return rule
    if len(days) > 1:
        raise errors.invalid(
            "short_months", gettext("can be last only with one day of the month. For the last day of the month, send -1"), "conflict"
        )
    [day] = days
    if day == DAYS_OF_LONG_MONTH or is_in_one_month:
        month_days, positions = frozenset({-1}), rule.positions
    elif rule.frequency == "MONTHLY":
        month_days, positions = frozenset(range(DAYS_OF_FEBRUARY, day + 1)), frozenset({-1})
    else:
        raise errors.invalid(
            "short_months", gettext("can be last only with MONTHLY here. Instead of YEARLY, send MONTHLY with by_month"), "conflict"
        )
    months_of_rule = rule.months or (frozenset({start.month}) if is_in_one_month else frozenset())
    return structs.replace(rule, months=months_of_rule, month_days=month_days, positions=positions)


def _read_rrule(params: RepeatInput, event: Event | Span) -> Recurrence:
    others = {"frequency", "end_date", "count", *_PARTS}
    sent = sorted(name for name in others if getattr(params, name))
    if sent or params.interval > 1 or params.short_months != "skip":
        raise errors.invalid(
            "rrule",
            gettext("can’t be combined with %(other)s. Send one of them", other=sent[0] if sent else "interval or short_months"),
            "conflict",
        )
    recurrence = _parse("rrule", (params.rrule or "").upper().removeprefix("RRULE:"))
    if not recurrence.is_daily_or_longer:
        raise errors.invalid("rrule", gettext("repeats several times a day. Set FREQ to DAILY, WEEKLY, MONTHLY or YEARLY"), "not_a_choice")
    if any(recurrence.times):
        raise errors.invalid(
            "rrule", gettext("has its own times. Remove BYHOUR, BYMINUTE and BYSECOND: the event’s start sets the time of day"), "conflict"
        )
    if recurrence.count is not None and recurrence.until:
        raise errors.invalid("rrule", gettext("has both COUNT and UNTIL. Remove one of them"), "conflict")
    if recurrence.interval > MAX_INTERVAL or (recurrence.count or 0) > MAX_OCCURRENCES:
        raise errors.invalid(
            "rrule", gettext("has an INTERVAL or COUNT above %(max)s. Choose a smaller one", max=MAX_OCCURRENCES), "too_large"
        )
    return structs.replace(recurrence, until=to_until(_last_start(recurrence.until, event))) if recurrence.until else recurrence


def _last_start(until: DateTimeValue, event: Event | Span) -> date:
    """The last local day on which an occurrence may begin."""
    if until.is_date or event.all_day:
        return until.local.date()
    local = until.local
    if until.is_utc:
        local = datetimes.to_local(datetimes.to_instant(local, "UTC"), event.time_zone).replace(tzinfo=None)
    clock = datetimes.to_local(event.start_at, event.time_zone).time()
    return local.date() if local >= datetime.combine(local.date(), clock) else local.date() - timedelta(days=1)


def _parse(field: str, text: str) -> Recurrence:
    try:
        return rrule.parse(text)
    except ValueError as error:
        raise errors.invalid(field, gettext("can’t be read: %(reason)s", reason=str(error)), "invalid_format") from None


def _find_first(params: RepeatInput, rule: Recurrence, start: date) -> date:
    """The first date of the rule."""
    field = "rrule" if params.rrule else next((name for name in _PARTS if getattr(params, name)), "frequency")
    with _refuse_long_search(field):
        first = next(rrule.dates(rule, start, add_months(start, MONTHS_TO_FIRST_DATE), Budget(MAX_STEPS)), None)
    if first is None:
        raise errors.invalid(field, gettext("never matches: the rule has no date in the next hundred years. Change it"))
    if rule.until and rule.until.local.date() < first:
        raise errors.invalid(
            "rrule" if params.rrule else "end_date",
            gettext("is before the first date of the rule, %(first)s", first=str(first)),
            "conflict",
        )
    return first


@contextmanager
def _refuse_long_search(field: str) -> Iterator[None]:
    try:
        yield
    except BudgetExceeded:
        raise errors.invalid(
            field, gettext("has dates so rare that they take too long to find. Choose an earlier end"), "too_large"
        ) from None


def _read_dates(values: Sequence[str], zone: str) -> tuple[date, ...]:
    return tuple(sorted({datetimes.parse(value).to_date(zone) for value in values}))
