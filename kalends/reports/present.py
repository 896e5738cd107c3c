"""Representations of reports in API replies."""

from kalends.records.report import Report
from kalends.reports.model import ReportItem
from kalends.values import timestamps


def item(report: Report) -> ReportItem:
    return ReportItem(
        id=report.id,
        event_id=report.event_id,
        comment_id=report.comment_id,
        calendar_id=report.calendar_id,
        reason=report.reason,
        text=report.text,
        email_address=report.email_address,
        created_at=timestamps.format_utc(report.created_at),
    )
