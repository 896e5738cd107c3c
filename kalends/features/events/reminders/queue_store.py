"""The SQL that finds reminders whose time has come, and what records that they were sent.

Nothing is stored when a reminder is planned: the index `reminders_due` has a lower bound of the due time of each event's own reminders,
which follows the event; those of calendars are found through the events on the calendar that start soon enough. Both read only what is
due in these days."""

from kalends.core.records.delivery import Reminder, cause_of
from kalends.db import columns
from kalends.features.events.reminders.rules.due import Window
from kalends.http.context import Context

# From the lower bound of the due time (26 hours of the day and of clock changes, 12 of quiet hours) until a reminder is too late.
LOOK_BACK = 3 * 86_400
# As in the triggers of the schema.
_LEAD = """(coalesce(60 * m.before, 86400 * m.days_before + 93600 - 60 * m.at) + CASE m.channel WHEN 'sms' THEN 43200 ELSE 0 END)"""
_OPEN = """e.status = 'planned' AND m.audience <> '' AND NOT EXISTS (
    SELECT 1 FROM reminder_runs n WHERE n.reminder_id = m.id AND n.event_id = e.id AND n.start_at = e.start_at AND n.until_at <= :now
)"""


class Candidate(Reminder, frozen=True):
    """A reminder, and an event that may have to be reminded of now."""

    of_event: int
    start_at: int
    time_zone: str

    @property
    def cause(self) -> str:
        return cause_of(self.id, self.of_event, self.start_at)


_CANDIDATE = columns(Candidate, "m", of_event="e.id AS of_event", start_at="e.start_at", time_zone="e.time_zone")


def find_candidates(ctx: Context) -> list[Candidate]:
    """The reminders that may be due now; the exact time is computed from each."""
    return ctx.tx.all(
        Candidate,
        f"""SELECT {_CANDIDATE} FROM reminders m JOIN events e ON e.id = m.event_id
            WHERE m.due_from > :since AND m.due_from <= :now AND e.start_at > :now AND {_OPEN}
            UNION ALL SELECT {_CANDIDATE} FROM reminders m JOIN placements p ON p.calendar_id = m.calendar_id
                AND p.start_at > :now AND p.start_at > :since + {_LEAD} AND p.start_at <= :now + {_LEAD}
            JOIN events e ON e.id = p.event_id AND e.calendar_id = m.calendar_id
            WHERE m.calendar_id > 0 AND {_OPEN} AND NOT EXISTS (SELECT 1 FROM reminders o WHERE o.event_id = e.id)""",
        now=ctx.now,
        since=ctx.now - LOOK_BACK,
    )


def find_candidate(ctx: Context, reminder_id: int, event_id: int) -> Candidate | None:
    """The reminder of the event as both are now; None if the event has no such reminder."""
    return ctx.tx.one(
        Candidate,
        f"""SELECT {_CANDIDATE} FROM reminders m JOIN events e ON e.id = :event_id WHERE m.id = :id AND (
                m.event_id = e.id
                OR m.calendar_id = e.calendar_id AND NOT EXISTS (SELECT 1 FROM reminders o WHERE o.event_id = e.id))""",
        id=reminder_id,
        event_id=event_id,
    )


def record_run(ctx: Context, candidate: Candidate, window: Window, *, is_late: bool) -> None:
    """Record that the reminder was sent to all who are there, or was dropped since its time was over."""
    ctx.tx.run(
        """INSERT INTO reminder_runs (reminder_id, event_id, start_at, ran_at, until_at, is_late)
           VALUES (:reminder_id, :event_id, :start_at, :now, :until_at, :is_late)
           ON CONFLICT (reminder_id, event_id, start_at) DO UPDATE SET ran_at = excluded.ran_at, until_at = excluded.until_at""",
        reminder_id=candidate.id,
        event_id=candidate.of_event,
        start_at=candidate.start_at,
        now=ctx.now,
        until_at=window.until_at,
        is_late=is_late,
    )


def requeue_dropped(ctx: Context, candidate: Candidate, error: str) -> None:
    """Send again what was dropped right before it was sent, since the event or the response did not allow it then."""
    ctx.tx.run(
        """UPDATE deliveries SET state = 'queued', attempts = 0, error = NULL, due_at = :now, updated_at = :now
           WHERE cause = :cause AND state = 'failed' AND error = :error""",
        cause=candidate.cause,
        error=error,
        now=ctx.now,
    )
