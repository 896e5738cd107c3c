"""Representations of reports in API replies."""

from typing import Any

from kalends.context import Context
from kalends.records.report import Report, ReportWithSubject
from kalends.reports.model import ReportDetail, ReportItem
from kalends.values import timestamps


def item(report: Report) -> ReportItem:
    return ReportItem(**_as_sent(report))


def detail(ctx: Context, report: ReportWithSubject) -> ReportDetail:
    event_id = report.shown_on_event_id
    path = f"/calendars/{report.calendar_id}" if event_id is None else f"/events/{event_id}"
    return ReportDetail(
        **_as_sent(report),
        closed_at=None if report.closed_at is None else timestamps.format_utc(report.closed_at),
        subject=report.subject,
        url=f"{ctx.settings.url}{path}",
    )


def _as_sent(report: Report) -> dict[str, Any]:
    return {
        "id": report.id,
        "event_id": report.event_id,
        "comment_id": report.comment_id,
        "calendar_id": report.calendar_id,
        "reason": report.reason,
        "text": report.text,
        "email_address": report.email_address,
        "created_at": timestamps.format_utc(report.created_at),
    }
