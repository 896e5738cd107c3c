"""The SQL of series. Every occurrence of a series is an event of its own; its slot is the date for which the rule created it."""

from datetime import date

from msgspec import Struct, structs

from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.db import columns
from kalends.features.events.series.rules.rule import LAST_DAY, MONTHS_AHEAD, MONTHS_AHEAD_OF_SOURCES, Rule, add_months, parse_text
from kalends.http.context import Context


class Series(Struct, frozen=True):
    """A row of the table. `clock` is the local time of day in seconds; occurrences up to `made_until` have been created. The end of a
    rule with a count is its last date; the dates of `also` are delimited by commas. `version` counts the changes of the series and its
    events."""

    id: int
    rrule: str
    start_date: str
    end_date: str | None
    clock: int
    made_until: str
    uid: str | None = None
    also: str = ""
    version: int = 1

    @property
    def rule(self) -> Rule:
        also = tuple(map(date.fromisoformat, self.also.split(","))) if self.also else ()
        return Rule(parse_text(self.rrule), date.fromisoformat(self.start_date), also)

    def with_rule(self, rule: Rule) -> "Series":
        last = rule.find_last()
        return structs.replace(
            self,
            rrule=rule.text,
            start_date=rule.start.isoformat(),
            end_date=last.isoformat() if last else None,
            also=",".join(day.isoformat() for day in rule.also),
        )


def new_series(rule: Rule, clock: int, made_until: str, uid: str | None = None) -> Series:
    """A series that is not stored yet."""
    return Series(0, "", "", None, clock, made_until, uid).with_rule(rule)


_IS_FOLLOWED = "EXISTS (SELECT 1 FROM source_items i WHERE i.series_id = series.id)"
_COLUMNS = columns(Series, version="(SELECT v.version FROM series_versions v WHERE v.series_id = series.id)")


def get(ctx: Context, series_id: int) -> Series:
    series = ctx.tx.one(Series, f"SELECT {_COLUMNS} FROM series WHERE id = :id", id=series_id)
    assert series is not None
    return series


def find_by_ids(ctx: Context, ids: list[int]) -> list[Series]:
    return ctx.tx.all(Series, f"SELECT {_COLUMNS} FROM series WHERE id {ctx.db.in_list('ids')}", ids=ids)


def find_due(ctx: Context) -> list[int]:
    """Endless series whose occurrences have been created for less than 23 months ahead, or 11 months if they come from a source."""
    today = datetimes.to_local(ctx.now, "UTC").date()
    rows = ctx.tx.rows(
        f"""SELECT id FROM series WHERE end_date IS NULL AND made_until < :soon AND (made_until < :soon_of_sources OR NOT {_IS_FOLLOWED})
            ORDER BY made_until LIMIT 100""",
        soon=add_months(today, MONTHS_AHEAD - 1).isoformat(),
        soon_of_sources=add_months(today, MONTHS_AHEAD_OF_SOURCES - 1).isoformat(),
    )
    return [series_id for (series_id,) in rows]


def is_followed(ctx: Context, series_id: int) -> bool:
    """Whether the series comes from a source."""
    return bool(ctx.tx.value(f"SELECT {_IS_FOLLOWED} FROM series WHERE id = :id", id=series_id))


def lock(ctx: Context, series_id: int) -> bool:
    """Lock the series until the transaction ends; False if it is gone."""
    return bool(ctx.tx.rows(f"SELECT id FROM series WHERE id = :id {ctx.db.for_update}", id=series_id))


def insert(ctx: Context, series: Series) -> int:
    series_id: int = ctx.tx.value(
        """INSERT INTO series (rrule, start_date, end_date, also, clock, made_until, uid)
           VALUES (:rrule, :start_date, :end_date, :also, :clock, :made_until, :uid) RETURNING id""",
        **structs.asdict(series),
    )
    return series_id


def update(ctx: Context, series: Series) -> None:
    """Update the rule, which all events of the series show."""
    ctx.tx.run(
        """UPDATE series SET rrule = :rrule, start_date = :start_date, end_date = :end_date, also = :also, clock = :clock,
           made_until = :made_until WHERE id = :id""",
        **structs.asdict(series),
    )
    ctx.tx.run("UPDATE events SET updated_at = :now WHERE series_id = :id", id=series.id, now=ctx.now)


def is_hidden(ctx: Context, event_id: int) -> bool:
    """Whether an admin hides the event."""
    return bool(ctx.tx.rows("SELECT 1 FROM hidden_dates WHERE event_id = :id", id=event_id))


def make_again_from(ctx: Context, series_id: int, since: int) -> None:
    """Let the worker create the occurrences that an endless series has not got since the moment when it was hidden."""
    day = datetimes.to_local(since, "UTC").date()
    ctx.tx.run(
        "UPDATE series SET made_until = :day WHERE id = :id AND end_date IS NULL AND made_until > :day", id=series_id, day=day.isoformat()
    )


def set_made_until(ctx: Context, series_id: int, until: date) -> None:
    ctx.tx.run("UPDATE series SET made_until = :until WHERE id = :id", id=series_id, until=until.isoformat())


def end_before(ctx: Context, series_id: int, slot: str) -> None:
    """End the rule on the day before the slot. If it had not begun by then, its remaining events leave the series."""
    old = get(ctx, series_id)
    if slot <= old.rule.first.isoformat():
        sql = "UPDATE events SET series_id = NULL, slot = NULL, version = version + 1, updated_at = :now WHERE series_id = :id"
        ctx.tx.run(sql, id=series_id, now=ctx.now)
        return
    new = old.with_rule(old.rule.end_before(date.fromisoformat(slot)))
    update(ctx, structs.replace(new, made_until=min(new.end_date or LAST_DAY, old.made_until)))


def delete_if_empty(ctx: Context, series_id: int) -> None:
    ctx.tx.run("DELETE FROM series WHERE id = :id AND NOT EXISTS (SELECT 1 FROM events WHERE series_id = :id)", id=series_id)


def count_events(ctx: Context, series_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM events WHERE series_id = :id", id=series_id))


def find_time_zone(ctx: Context, series_id: int) -> str:
    """The time zone of the first event of the series."""
    return str(ctx.tx.value("SELECT time_zone FROM events WHERE series_id = :id ORDER BY start_at LIMIT 1", id=series_id))


def find_slots(ctx: Context, series_id: int) -> dict[str, int]:
    """The ids of the series' events by slot."""
    return dict(ctx.tx.rows("SELECT slot, id FROM events WHERE series_id = :id AND slot IS NOT NULL", id=series_id))


class WithoutSlot(Struct, frozen=True):
    """An event of a series for which the rule has no date, and its start."""

    id: int
    start_at: int
    time_zone: str


def find_without_slot(ctx: Context, series_id: int) -> list[WithoutSlot]:
    return ctx.tx.all(
        WithoutSlot, f"SELECT {columns(WithoutSlot)} FROM events WHERE series_id = :id AND slot IS NULL ORDER BY id DESC", id=series_id
    )


def find_latest_event(ctx: Context, series_id: int) -> int | None:
    """The latest occurrence, if possible one that was not changed alone. (A false `edited` sorts first.)"""
    event_id: int | None = ctx.tx.value(
        "SELECT id FROM events WHERE series_id = :id ORDER BY edited, slot IS NULL, slot DESC LIMIT 1", id=series_id
    )
    return event_id


def add_event(ctx: Context, event_id: int, series_id: int, slot: str | None) -> None:
    """Make the event one of the series', in this slot."""
    ctx.tx.run(
        """UPDATE events SET series_id = :series_id, slot = CAST(:slot AS TEXT), version = version + 1, updated_at = :now
           WHERE id = :id AND (series_id IS NULL OR coalesce(slot, '') <> coalesce(CAST(:slot AS TEXT), ''))""",
        id=event_id,
        series_id=series_id,
        slot=slot,
        now=ctx.now,
    )


def move_events(ctx: Context, ids: list[int], series_id: int | None) -> None:
    """Move the events to another series, or out of any. The series that they leave has the UID of an event that was repeated."""
    ctx.tx.run(
        f"UPDATE events SET series_id = CAST(:series_id AS BIGINT), uid = NULL, updated_at = :now WHERE id {ctx.db.in_list('ids')}",
        series_id=series_id,
        ids=ids,
        now=ctx.now,
    )


def shift_slots(ctx: Context, events: list[Event], slots: list[str]) -> None:
    """Give each event its new slot. All slots are cleared first, because they are unique within a series."""
    ctx.tx.run(f"UPDATE events SET slot = NULL WHERE id {ctx.db.in_list('ids')}", ids=[event.id for event in events])
    rows = [{"id": event.id, "slot": slot} for event, slot in zip(events, slots, strict=True)]
    ctx.tx.many("UPDATE events SET slot = :slot WHERE id = :id", rows)


def find_exceptions(ctx: Context, series_ids: list[int]) -> list[tuple[int, str]]:
    """The slots of each series whose occurrences were deleted alone."""
    rows = ctx.tx.rows(f"SELECT series_id, slot FROM series_exceptions WHERE series_id {ctx.db.in_list('ids')}", ids=series_ids)
    return [(series_id, slot) for series_id, slot in rows]


def insert_exceptions(ctx: Context, exceptions: list[tuple[int, str]]) -> None:
    """Record for each pair of series and slot that the occurrence was deleted alone."""
    ctx.tx.many(
        "INSERT INTO series_exceptions (series_id, slot) VALUES (:id, :slot) ON CONFLICT (series_id, slot) DO NOTHING",
        [{"id": series_id, "slot": slot} for series_id, slot in exceptions],
    )


def move_exceptions(ctx: Context, old_id: int, new_id: int, first: str) -> None:
    """Move the exceptions from this slot on to another series. The journal knows them by series and slot, so none is updated."""
    slots = [slot for _, slot in find_exceptions(ctx, [old_id]) if slot >= first]
    delete_exceptions(ctx, old_id, slots)
    insert_exceptions(ctx, [(new_id, slot) for slot in slots])


def delete_exceptions(ctx: Context, series_id: int, slots: list[str] | None = None) -> None:
    """Delete the exceptions of the series: all, or those for these slots."""
    if slots is None:
        ctx.tx.run("DELETE FROM series_exceptions WHERE series_id = :id", id=series_id)
    else:
        ctx.tx.many(
            "DELETE FROM series_exceptions WHERE series_id = :id AND slot = :slot", [{"id": series_id, "slot": slot} for slot in slots]
        )


def copy_responses(ctx: Context, series_id: int, new_id: int) -> None:
    """Copy the standing responses of a series to another series."""
    ctx.tx.run(
        """INSERT INTO series_responses (series_id, email_address, email_key, name, response, number, plus_n, from_date, proven, added,
                                         added_by, created_at, updated_at)
           SELECT CAST(:new_id AS BIGINT), email_address, email_key, name, response, number, plus_n, from_date, proven, added,
                  added_by, created_at, updated_at
           FROM series_responses WHERE series_id = :series_id ORDER BY id""",
        series_id=series_id,
        new_id=new_id,
    )


def copy_invitations(ctx: Context, series_id: int, new_id: int) -> None:
    """Copy the invitations of a series to another series. Their mail was sent for the first one, or will be."""
    ctx.tx.run(
        """INSERT INTO invitations (series_id, address, email_key, name, message, party_max, state, detail, sequence, mails,
                                    created_at, updated_at, owner_id, split_from, invited_by)
           SELECT CAST(:new_id AS BIGINT), address, email_key, name, message, party_max,
                  CASE WHEN state = 'queued' THEN 'sent' ELSE state END, detail, 0, mails, created_at, updated_at, owner_id, id,
                  invited_by
           FROM invitations WHERE series_id = :series_id AND state <> 'withdrawn' ORDER BY id""",
        series_id=series_id,
        new_id=new_id,
    )
