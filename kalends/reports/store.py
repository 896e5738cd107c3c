"""The SQL of reports."""

from kalends import policy
from kalends.context import Context
from kalends.db import columns
from kalends.records.report import Report
from kalends.reports.model import ReportInput

_REPORT = columns(Report)


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
