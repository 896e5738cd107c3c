"""Series: a rule, and the events that it makes. Each occurrence is an event of its own, for the date that is its slot."""

from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from kalends import errors, quotas
from kalends.context import Context
from kalends.db import columns
from kalends.events import store
from kalends.events.input import RepeatInput
from kalends.events.model import Event
from kalends.events.series.rule import Rule, months_later
from kalends.events.span import Span
from kalends.values import datetimes

MOST = 1_000
AHEAD_MONTHS = 24
ONE_DAY = timedelta(days=1)
LAST_DAY = date.max.isoformat()


class Series(Struct, frozen=True):
    """A row of the table."""

    id: int
    frequency: str
    step: int
    start_date: str
    end_date: str | None
    clock: int
    made_until: str
    uid: str | None = None

    @property
    def rule(self) -> Rule:
        end = date.fromisoformat(self.end_date) if self.end_date else None
        return Rule(self.frequency, self.step, date.fromisoformat(self.start_date), end)


_SERIES = columns(Series)


def get(ctx: Context, series_id: int) -> Series:
    found = ctx.tx.one(Series, f"SELECT {_SERIES} FROM series WHERE id = :id", id=series_id)
    assert found is not None
    return found


def of_ids(ctx: Context, ids: list[int]) -> list[Series]:
    return ctx.tx.all(Series, f"SELECT {_SERIES} FROM series WHERE id IN {ctx.db.in_list('ids')}", ids=ids)


def at_slot(series: Series, pattern: Event, slot: str) -> int:
    """The moment at which the rule has the occurrence begin."""
    return _instant(date.fromisoformat(slot), 0 if pattern.all_day else series.clock, pattern.time_zone)


def count(ctx: Context, series_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM events WHERE series_id = :id", id=series_id))


def checked(ctx: Context, given: RepeatInput, event: Event) -> Rule:
    """The rule that is asked for, if it is possible."""
    zone = event.time_zone
    start = datetimes.parse(given.start_date).to_date(zone) if given.start_date else datetimes.to_local(event.start_at, zone).date()
    end = datetimes.parse(given.end_date).to_date(zone) if given.end_date else None
    if end and end < start:
        raise errors.invalid("end_date", f"must not be before the start of the repetition, {start}", "conflict")
    rule = Rule(given.frequency, given.interval, start, end)
    many = sum(1 for _ in rule.dates(_horizon(ctx, rule)))
    if many > MOST:
        raise errors.invalid(
            "end_date", f"a series has at most {MOST:,} occurrences, and this would be {many:,}; choose an earlier one", "too_many"
        )
    fit = store.most_copies(event)
    if many > fit:
        raise errors.invalid(
            "end_date", f"of an event with so much text {fit:,} occurrences fit, and this would be {many:,}; shorten the text", "too_many"
        )
    return rule


def repeat(ctx: Context, event: Event, rule: Rule) -> int:
    """Make the event the pattern of a series under this rule; of an earlier series, what still fits stays. Answers the series' id."""
    until = _horizon(ctx, rule)
    slots = {day.isoformat() for day in rule.dates(until)}
    series_id = _written(ctx, event, rule, until)
    if event.series_id is not None:
        _let_go(ctx, series_id, slots, event.id)
    local = datetimes.to_local(event.start_at, event.time_zone).date().isoformat()
    own = event.slot if event.slot in slots else local
    _join(ctx, event.id, series_id, own if own in slots and not _is_held(ctx, series_id, own, event.id) else None)
    _fill(ctx, event, get(ctx, series_id), slots)
    return series_id


def extend(ctx: Context, series_id: int) -> None:
    """Make the occurrences of an endless series that have come within reach, after its latest one."""
    if not ctx.tx.rows(f"SELECT id FROM series WHERE id = :id {ctx.db.for_update}", id=series_id):
        return
    series = get(ctx, series_id)
    # A false `edited` comes first: what was changed alone is no pattern, unless there is nothing else.
    latest = ctx.tx.value("SELECT id FROM events WHERE series_id = :id ORDER BY edited, slot IS NULL, slot DESC LIMIT 1", id=series_id)
    until = _horizon(ctx, series.rule)
    if latest is not None:
        slots = {day.isoformat() for day in series.rule.dates(until) if day.isoformat() > series.made_until}
        _fill(ctx, store.get(ctx, latest), series, slots)
    ctx.tx.run("UPDATE series SET made_until = :until WHERE id = :id", id=series_id, until=until.isoformat())


def due(ctx: Context) -> list[int]:
    """Endless series of which fewer than the months ahead are made, a month's slack allowed."""
    soon = months_later(datetimes.to_local(ctx.now, "UTC").date(), AHEAD_MONTHS - 1).isoformat()
    rows = ctx.tx.rows("SELECT id FROM series WHERE end_date IS NULL AND made_until < :soon ORDER BY made_until LIMIT 100", soon=soon)
    return [series_id for (series_id,) in rows]


def _horizon(ctx: Context, rule: Rule) -> date:
    """The last day for which occurrences are made now."""
    return rule.end or months_later(max(rule.start, datetimes.to_local(ctx.now, "UTC").date()), AHEAD_MONTHS)


def _written(ctx: Context, event: Event, rule: Rule, until: date) -> int:
    end = rule.end.isoformat() if rule.end else None
    clock = _clock(ctx, event)
    series = Series(event.series_id or 0, rule.frequency, rule.interval, rule.start.isoformat(), end, clock, until.isoformat())
    if event.series_id is None:
        return insert(ctx, series)
    update(ctx, series)
    return event.series_id


def _clock(ctx: Context, event: Event) -> int:
    """The series' time of day. An occurrence that stands elsewhere only because clocks skipped its time keeps that time."""
    if event.series_id is not None and event.slot is not None:
        known = get(ctx, event.series_id).clock
        if _instant(date.fromisoformat(event.slot), known, event.time_zone) == event.start_at:
            return known
    return 0 if event.all_day else seconds_of_day(datetimes.to_local(event.start_at, event.time_zone))


def seconds_of_day(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second


def _instant(day: date, clock: int, zone: str, days: int = 0) -> int:
    """The moment at which the clocks of the zone show this, so many days later."""
    local = datetime(day.year, day.month, day.day) + timedelta(days=days, seconds=clock)
    return datetimes.to_instant(local, zone)


def insert(ctx: Context, series: Series) -> int:
    made: int = ctx.tx.value(
        """INSERT INTO series (frequency, step, start_date, end_date, clock, made_until, uid)
           VALUES (:frequency, :step, :start_date, :end_date, :clock, :made_until, :uid) RETURNING id""",
        **structs.asdict(series),
    )
    return made


def update(ctx: Context, series: Series) -> None:
    ctx.tx.run(
        """UPDATE series SET frequency = :frequency, step = :step, start_date = :start_date, end_date = :end_date,
           clock = :clock, made_until = :made_until WHERE id = :id""",
        **structs.asdict(series),
    )


def end_before(ctx: Context, series_id: int, slot: str) -> None:
    """Let the rule end on the day before the slot; one that had not begun is gone, and what is left stands alone."""
    old = get(ctx, series_id)
    if slot <= old.start_date:
        ctx.tx.run("UPDATE events SET series_id = NULL, slot = NULL, version = version + 1 WHERE series_id = :id", id=series_id)
        return
    last = min((date.fromisoformat(slot) - ONE_DAY).isoformat(), old.end_date or LAST_DAY)
    update(ctx, structs.replace(old, end_date=last, made_until=min(last, old.made_until)))


def except_slot(ctx: Context, series_id: int, slot: str) -> None:
    """Remember that the occurrence was destroyed alone."""
    except_slots(ctx, [(series_id, slot)])


def except_slots(ctx: Context, slots: list[tuple[int, str]]) -> None:
    """The same for several, each with its series."""
    ctx.tx.many(
        "INSERT INTO series_exceptions (series_id, slot) VALUES (:id, :slot) ON CONFLICT (series_id, slot) DO NOTHING",
        [{"id": series_id, "slot": slot} for series_id, slot in slots],
    )


def delete_if_empty(ctx: Context, series_id: int) -> None:
    ctx.tx.run("DELETE FROM series WHERE id = :id AND NOT EXISTS (SELECT 1 FROM events WHERE series_id = :id)", id=series_id)


def shift(ctx: Context, series_id: int, events: list[Event], by: timedelta, clock: int) -> None:
    """Move the rule, its exceptions and the slots of the events by so many days, to another time of day."""

    def later(day: str) -> str:
        return (date.fromisoformat(day) + by).isoformat()

    def no_later(day: str) -> str:
        return LAST_DAY if by > date.max - date.fromisoformat(day) else later(day)

    old = get(ctx, series_id)
    end = no_later(old.end_date) if old.end_date else None
    new = structs.replace(old, start_date=later(old.start_date), end_date=end, clock=clock, made_until=no_later(old.made_until))
    update(ctx, new)
    if not by:
        return
    excepted = [slot for (slot,) in ctx.tx.rows("SELECT slot FROM series_exceptions WHERE series_id = :id", id=series_id)]
    if new.frequency in ("MONTHLY", "YEARLY"):
        dates = {day.isoformat() for day in new.rule.dates(date.fromisoformat(new.made_until))}
        if dates != {later(slot) for slot in (*excepted, *(event.slot or "" for event in events))}:
            raise errors.invalid(
                "start_time", "moves a monthly or yearly series off its days; repeat it with another start_date instead", "conflict"
            )
    # No two may hold one slot, not even on the way.
    ctx.tx.run(f"UPDATE events SET slot = NULL WHERE id IN {ctx.db.in_list('ids')}", ids=[event.id for event in events])
    ctx.tx.many("UPDATE events SET slot = :slot WHERE id = :id", [{"id": e.id, "slot": later(e.slot or "")} for e in events])
    ctx.tx.run("DELETE FROM series_exceptions WHERE series_id = :id", id=series_id)
    for slot in excepted:
        except_slot(ctx, series_id, later(slot))


def _let_go(ctx: Context, series_id: int, slots: set[str], kept: int) -> None:
    """Let the occurrences go that no longer fit."""
    held = ctx.tx.rows("SELECT id, slot FROM events WHERE series_id = :id AND slot IS NOT NULL AND id <> :kept", id=series_id, kept=kept)
    store.let_go(ctx, [event_id for event_id, slot in held if slot not in slots])


def _is_held(ctx: Context, series_id: int, slot: str, event_id: int) -> bool:
    found = "SELECT 1 FROM events WHERE series_id = :id AND slot = :slot AND id <> :event_id"
    return bool(ctx.tx.rows(found, id=series_id, slot=slot, event_id=event_id))


def _join(ctx: Context, event_id: int, series_id: int, slot: str | None) -> None:
    ctx.tx.run(
        """UPDATE events SET series_id = :series_id, slot = CAST(:slot AS TEXT), version = version + 1
           WHERE id = :id AND (series_id IS NULL OR coalesce(slot, '') <> coalesce(CAST(:slot AS TEXT), ''))""",
        id=event_id,
        series_id=series_id,
        slot=slot,
    )


def _fill(ctx: Context, pattern: Event, series: Series, slots: set[str]) -> None:
    """Make the occurrences that are missing, after the pattern."""
    held = {slot for (slot,) in ctx.tx.rows("SELECT slot FROM events WHERE series_id = :id AND slot IS NOT NULL", id=series.id)}
    held |= {slot for (slot,) in ctx.tx.rows("SELECT slot FROM series_exceptions WHERE series_id = :id", id=series.id)}
    days = [date.fromisoformat(slot) for slot in sorted(slots - held)]
    if ctx.actor:
        # What the worker makes of an endless series was allowed when it was begun.
        quotas.reserve(ctx, pattern.owner_id, "events", len(days), len(days) * store.text_size(pattern))
    store.insert_occurrences(ctx, pattern, series.id, [moved(pattern, day, series.clock) | {"slot": day.isoformat()} for day in days])


def moved(pattern: Event | Span, day: date, clock: int) -> dict[str, Any]:
    """The moments of an occurrence after the pattern. Of an event that clocks would turn round, the length stays."""
    zone = pattern.time_zone
    start_at = _instant(day, clock, zone)
    if not datetimes.is_in_range(start_at, zone):
        raise errors.invalid("end_date", datetimes.YEARS)
    if pattern.end_at is None:
        return {"start_at": start_at, "end_at": None, "until_at": datetimes.end_of_day(day, zone) if pattern.all_day else start_at}
    first, last = datetimes.to_local(pattern.start_at, zone), datetimes.to_local(pattern.end_at - pattern.all_day, zone)
    if pattern.all_day:
        until_at = datetimes.end_of_day(day + (last.date() - first.date()), zone)
        return {"start_at": start_at, "end_at": until_at, "until_at": until_at}
    length = seconds_of_day(last) - seconds_of_day(first)
    end_at = _instant(day, clock + length, zone, (last.date() - first.date()).days)
    if end_at < start_at:
        end_at = start_at + pattern.end_at - pattern.start_at
    return {"start_at": start_at, "end_at": end_at, "until_at": end_at}
