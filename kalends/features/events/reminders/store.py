"""The SQL of reminders: those of an event, and those of its home calendar, which it has if it has none of its own."""

from collections.abc import Sequence
from typing import Any

from kalends.core.records.delivery import Reminder, cause_of
from kalends.core.records.event import Event
from kalends.db import columns
from kalends.features.events.reminders.model import GROUPS, ReminderFields
from kalends.http.context import Context

_REMINDER = columns(Reminder, "m")
_CONTENT = ("before", "days_before", "at", "audience", "channel", "text")
_NAMES = ", ".join(("event_id", "calendar_id", "origin_id", *_CONTENT, "created_at", "updated_at"))


def of_event(ctx: Context, event_id: int, calendar_id: int) -> list[Reminder]:
    """The reminders of the event: its own or, if it has none, those of its home calendar."""
    return ctx.tx.all(
        Reminder,
        f"""SELECT {_REMINDER} FROM reminders m WHERE m.event_id = :event_id
            UNION ALL SELECT {_REMINDER} FROM reminders m WHERE m.calendar_id = :calendar_id
            AND NOT EXISTS (SELECT 1 FROM reminders o WHERE o.event_id = :event_id) ORDER BY 1""",
        event_id=event_id,
        calendar_id=calendar_id,
    )


def of_calendar(ctx: Context, calendar_id: int) -> list[Reminder]:
    return ctx.tx.all(Reminder, f"SELECT {_REMINDER} FROM reminders m WHERE m.calendar_id = :id ORDER BY m.id", id=calendar_id)


def of_events(ctx: Context, event_ids: Sequence[int]) -> list[Reminder]:
    """The own reminders of the events."""
    sql = f"SELECT {_REMINDER} FROM reminders m WHERE m.event_id {ctx.db.in_list('ids')} ORDER BY m.id"
    return ctx.tx.all(Reminder, sql, ids=list(event_ids))


def of_calendars(ctx: Context, calendar_ids: Sequence[int]) -> list[Reminder]:
    sql = f"SELECT {_REMINDER} FROM reminders m WHERE m.calendar_id {ctx.db.in_list('ids')} ORDER BY m.id"
    return ctx.tx.all(Reminder, sql, ids=list(calendar_ids))


def runs_of_event(ctx: Context, event: Event) -> dict[int, bool]:
    """Whether each reminder that was sent for this start of the event, or dropped, was late, by its id."""
    sql = "SELECT reminder_id, is_late FROM reminder_runs WHERE event_id = :id AND start_at = :start_at"
    return {reminder_id: bool(is_late) for reminder_id, is_late in ctx.tx.rows(sql, id=event.id, start_at=event.start_at)}


def count_sent(ctx: Context, event: Event, reminder: Reminder) -> int:
    """How many messages of the reminder were sent for this start of the event, or are about to be."""
    sql = "SELECT count(*) FROM deliveries WHERE cause = :cause AND state <> 'failed'"
    return int(ctx.tx.value(sql, cause=cause_of(reminder.id, event.id, event.start_at)))


def insert(ctx: Context, fields: ReminderFields, **owner: int | None) -> int:
    """Insert a reminder of the event or of the calendar; returns its id."""
    params = {"event_id": None, "calendar_id": None, "origin_id": None, **_content(fields), "created_at": ctx.now}
    reminder_id: int = ctx.tx.value(
        f"""INSERT INTO reminders ({_NAMES}) VALUES ({", ".join(f":{name}" for name in params)}, :created_at) RETURNING id""",
        **params | owner,
    )
    return reminder_id


def insert_copies(ctx: Context, reminder_ids: list[int], event_ids: list[int]) -> None:
    """Copy the reminders to the events."""
    ctx.tx.run(
        f"""INSERT INTO reminders ({_NAMES})
            SELECT e.id, NULL, coalesce(m.origin_id, m.id), {", ".join(f"m.{name}" for name in _CONTENT)}, CAST(:now AS BIGINT),
                   CAST(:now AS BIGINT)
            FROM events e CROSS JOIN reminders m WHERE e.id {ctx.db.in_list("event_ids")} AND m.id {ctx.db.in_list("reminder_ids")}
            ORDER BY e.id, m.id""",
        event_ids=event_ids,
        reminder_ids=reminder_ids,
        now=ctx.now,
    )


def update(ctx: Context, ids: list[int], fields: ReminderFields) -> None:
    """Change the reminders. One whose time was over is sent if its new time is to come; nobody gets one twice."""
    content = _content(fields)
    ctx.tx.run(
        f"""UPDATE reminders SET {", ".join(f"{name} = :{name}" for name in content)}, updated_at = :now
            WHERE id {ctx.db.in_list("ids")}""",
        **content,
        ids=ids,
        now=ctx.now,
    )
    ctx.tx.run(f"DELETE FROM reminder_runs WHERE reminder_id {ctx.db.in_list('ids')}", ids=ids)


def delete(ctx: Context, ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM reminders WHERE id {ctx.db.in_list('ids')}", ids=ids)


def copy_to_event(ctx: Context, event_id: int, copy_id: int) -> None:
    """Give the copy of an event the event's own reminders."""
    reminder_ids = ids_of_event(ctx, event_id)
    if reminder_ids:
        insert_copies(ctx, reminder_ids, [copy_id])


def ids_of_event(ctx: Context, event_id: int) -> list[int]:
    """The event's own reminders."""
    return [reminder_id for (reminder_id,) in ctx.tx.rows("SELECT id FROM reminders WHERE event_id = :id ORDER BY id", id=event_id)]


def _content(fields: ReminderFields) -> dict[str, Any]:
    hours, _, minutes = (fields.at or "").partition(":")
    return {
        "before": fields.before,
        "days_before": fields.days_before,
        "at": 60 * int(hours) + int(minutes) if fields.at else None,
        "audience": ",".join(group for group in GROUPS if group in fields.audience),
        "channel": fields.channel,
        "text": fields.text,
    }
