"""The SQL of reports."""

from kalends import policy
from kalends.core.records.administration import Report, ReportWithSubject
from kalends.db import columns
from kalends.features.reports.model import ReportInput
from kalends.http.context import Context

_REPORT = columns(Report)
_SUBJECT = columns(
    ReportWithSubject, "r", subject="coalesce(e.title, c.comment, k.name)", shown_on_event_id="coalesce(r.event_id, c.event_id)"
)
_WITH_SUBJECT = f"""SELECT {_SUBJECT}
    FROM reports r LEFT JOIN events e ON e.id = r.event_id LEFT JOIN comments c ON c.id = r.comment_id
    LEFT JOIN calendars k ON k.id = r.calendar_id"""

LIFETIME = 365 * 24 * 3600
CLEANED_AT_ONCE = 1_000


def index(ctx: Context, *, closed: bool, limit: int, offset: int) -> list[ReportWithSubject]:
    """The reports that wait, the oldest first, or those that are closed, the last one first."""
    which = "r.closed_at IS NOT NULL ORDER BY r.closed_at DESC, r.id DESC" if closed else "r.closed_at IS NULL ORDER BY r.id"
    return ctx.tx.all(ReportWithSubject, f"{_WITH_SUBJECT} WHERE {which} LIMIT :limit OFFSET :offset", limit=limit, offset=offset)


def count(ctx: Context, *, closed: bool) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM reports WHERE closed_at IS {'NOT NULL' if closed else 'NULL'}"))


def find(ctx: Context, report_id: int) -> ReportWithSubject | None:
    return ctx.tx.one(ReportWithSubject, f"{_WITH_SUBJECT} WHERE r.id = :id", id=report_id)


def insert(ctx: Context, fields: ReportInput) -> Report:
    report = ctx.tx.one(
        Report,
        f"""INSERT INTO reports (event_id, comment_id, calendar_id, user_id, email_address, reason, text, created_at)
            VALUES (:event_id, :comment_id, :calendar_id, :user_id, :email_address, :reason, :text, :now) RETURNING {_REPORT}""",
        event_id=fields.event_id,
        comment_id=fields.comment_id,
        calendar_id=fields.calendar_id,
        user_id=policy.me(ctx) or None,
        email_address=fields.email_address,
        reason=fields.reason,
        text=fields.text,
        now=ctx.now,
    )
    assert report is not None
    return report


def update(ctx: Context, report_id: int, *, closed_at: int | None) -> None:
    ctx.tx.run("UPDATE reports SET closed_at = :closed_at WHERE id = :id", closed_at=closed_at, id=report_id)


def clean_up(ctx: Context) -> None:
    """Delete the reports that were closed a year ago, and those that nobody has dealt with for a year."""
    old = ctx.now - LIFETIME
    ctx.tx.run("DELETE FROM reports WHERE closed_at < :old", old=old)
    ctx.tx.run(
        """DELETE FROM reports WHERE created_at < :old
           AND id IN (SELECT id FROM reports WHERE closed_at IS NULL ORDER BY id LIMIT :limit)""",
        old=old,
        limit=CLEANED_AT_ONCE,
    )
