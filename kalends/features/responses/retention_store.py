"""The SQL that erases who the guests of past events were. How many they were stays."""

from kalends.features.calendars import client_file_store as files
from kalends.features.deliveries import language_store as languages
from kalends.features.questions import answer_store as answers
from kalends.features.responses import store as responses
from kalends.http.context import Context

DAY = 86_400
# How many events are looked up at once, and how many rows of a table are erased in one transaction.
EVENTS, BATCH = 200, 200
_KINDS = "('response', 'comment', 'answer', 'event_invitation')"
# Whether something is stored of the guests of the event `e`.
_HAS_GUESTS = """(
    EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id AND r.email_address <> '')
    OR EXISTS (SELECT 1 FROM comments c WHERE c.event_id = e.id AND c.email_address <> '')
    OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = e.id AND i.address <> '')
    OR EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
)"""
_ERASED = """state = 'withdrawn', address = '', email_key = 'erased ' || CAST(id AS TEXT), name = NULL, message = NULL, detail = NULL,
    updated_at = :now"""
# What is deleted of an event: the table, and which of its rows.
_DELETED = {
    "question_answers": "TRUE",
    "proposals": "TRUE",
    "deliveries": "TRUE",
    # With what the updates before have recorded.
    "changes": f"kind IN {_KINDS}",
}


def find_due_calendars(ctx: Context) -> list[tuple[int, int]]:
    """The calendars to look at today, and the time before which their events must have ended."""
    rows = ctx.tx.rows(
        """SELECT c.id, c.keep_responses_days FROM calendars c LEFT JOIN forgetting_runs f ON f.calendar_id = c.id
           WHERE c.keep_responses_days IS NOT NULL AND coalesce(f.checked_at, 0) <= :yesterday ORDER BY c.id LIMIT 100""",
        yesterday=ctx.now - DAY,
    )
    return [(calendar_id, ctx.now - days * DAY) for calendar_id, days in rows]


def record_run(ctx: Context, calendar_id: int) -> None:
    ctx.tx.run(
        """INSERT INTO forgetting_runs (calendar_id, checked_at) SELECT id, CAST(:now AS BIGINT) FROM calendars WHERE id = :id
           ON CONFLICT (calendar_id) DO UPDATE SET checked_at = excluded.checked_at""",
        id=calendar_id,
        now=ctx.now,
    )


def find_events(ctx: Context, calendar_id: int, before: int) -> list[int]:
    """Some events of the calendar that ended before this time and of whose guests something is stored."""
    sql = f"SELECT e.id FROM events e WHERE e.calendar_id = :id AND e.until_at < :before AND {_HAS_GUESTS} LIMIT {EVENTS}"
    return [event_id for (event_id,) in ctx.tx.rows(sql, id=calendar_id, before=before)]


def find_series(ctx: Context, calendar_id: int, before: int) -> list[int]:
    """The series of the calendar whose last dates ended before this time and to which somebody responded or was invited as a whole."""
    rows = ctx.tx.rows(
        """SELECT e.series_id FROM events e WHERE e.calendar_id = :id AND e.series_id IS NOT NULL
           AND (EXISTS (SELECT 1 FROM series_responses r WHERE r.series_id = e.series_id)
                OR EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = e.series_id AND i.address <> ''))
           GROUP BY e.series_id HAVING max(e.until_at) < :before""",
        id=calendar_id,
        before=before,
    )
    return [series_id for (series_id,) in rows]


def erase_batch(ctx: Context, event_id: int) -> bool:
    """Erase some of what is stored of the guests of the event; returns whether there may be more."""
    counts = [_erase_responses(ctx, event_id), _erase_comments(ctx, event_id), _erase_invitations(ctx, "event_id", event_id)]
    removed = ctx.tx.rows("DELETE FROM placements WHERE event_id = :id AND by_invitation RETURNING calendar_id, event_id", id=event_id)
    # The files of devices name the guests, too; without them, they are written from what is stored.
    home = ctx.tx.rows("SELECT calendar_id, id FROM events WHERE id = :id", id=event_id)
    files.forget_files_of(ctx, removed + home)
    for table, condition in _DELETED.items():
        rows = f"SELECT id FROM {table} WHERE event_id = :event_id AND {condition} LIMIT {BATCH * 5}"
        counts.append(ctx.tx.run(f"DELETE FROM {table} WHERE id IN ({rows})", event_id=event_id) // 5)
    return max(counts) >= BATCH


def erase_series(ctx: Context, series_id: int) -> bool:
    """The same for those who responded to the series, or were invited to it, as a whole."""
    rows = f"SELECT id FROM series_responses WHERE series_id = :id LIMIT {BATCH}"
    deleted = ctx.tx.run(f"DELETE FROM series_responses WHERE id IN ({rows})", id=series_id)
    return max(deleted, _erase_invitations(ctx, "series_id", series_id)) >= BATCH


def _erase_responses(ctx: Context, event_id: int) -> int:
    rows = ctx.tx.rows(f"SELECT id, email_address FROM responses WHERE event_id = :id AND email_address <> '' LIMIT {BATCH}", id=event_id)
    ids = [response_id for response_id, _ in rows]
    if ids:
        answers.delete(ctx, ids)
        responses.erase(ctx, ids)
    for address in {address for _, address in rows}:
        languages.delete(ctx, address)
    return len(ids)


def _erase_comments(ctx: Context, event_id: int) -> int:
    rows = f"SELECT id FROM comments WHERE event_id = :id AND email_address <> '' LIMIT {BATCH}"
    erased = "user_id = NULL, email_address = '', email_key = '', name = NULL"
    return ctx.tx.run(f"UPDATE comments SET {erased} WHERE id IN ({rows})", id=event_id)


def _erase_invitations(ctx: Context, column: str, record_id: int) -> int:
    rows = ctx.tx.rows(f"SELECT id FROM invitations WHERE {column} = :id AND address <> '' LIMIT {BATCH}", id=record_id)
    ids, in_ids = [invitation_id for (invitation_id,) in rows], ctx.db.in_list("ids")
    if ids:
        for table in ("invitation_notes", "invitation_proposals"):
            ctx.tx.run(f"DELETE FROM {table} WHERE invitation_id {in_ids}", ids=ids)
        ctx.tx.run(f"UPDATE invitations SET {_ERASED} WHERE id {in_ids}", ids=ids, now=ctx.now)
    return len(ids)
