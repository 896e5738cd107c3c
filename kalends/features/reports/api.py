"""Reports to the administrators of the site."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.core import errors
from kalends.core.records.administration import Report, ReportWithSubject
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.blocked_senders.steps.screening import discard_if_blocked
from kalends.features.reports import store
from kalends.features.reports.model import ReportDetail, ReportFields, ReportIndex, ReportInput, ReportItem, ReportQuery
from kalends.features.reports.steps import subject
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import paginate
from kalends.http.rate_limit import count_event_write


@endpoint("GET", "/api/reports", for_admins=True)
def index(ctx: Context, params: ReportQuery) -> ReportIndex:
    """What people have reported, for admins: what waits, the oldest first, or what is closed. A report is deleted after a year."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, closed=params.closed, limit=params.fetch, offset=params.offset))
    total = store.count(ctx, closed=params.closed) if params.count else UNSET
    return ReportIndex([_detail(ctx, row) for row in rows], limit=params.size, offset=params.offset, next=next_page, total=total)


@endpoint("POST", "/api/reports", status=201, guests=True, rate_limited=True)
def create(ctx: Context, params: ReportInput) -> ReportItem:
    """Report an event, a comment or a calendar to the administrators of the site: send one of `event_id`, `comment_id`, `calendar_id`.

    Only they read it. With `email_address` they can write back. They get mail: when no other report is open, and once a day while one is.
    """
    reported = subject.load(ctx, params)
    if reported.event_id is not None:
        count_event_write(ctx, reported.event_id)
    with discard_if_blocked(ctx, params.email_address):
        report = store.insert(ctx, params)
        subject.notify_admins(ctx)
        return ReportItem(**_item_fields(report))


@endpoint("PUT", "/api/reports/{report_id}")
def update(ctx: Context, report_id: int, params: ReportFields) -> ReportDetail:
    """Close a report that was dealt with, or open it again; for admins. Nobody is notified."""
    policy.admin(ctx)
    store.update(ctx, report_id, closed_at=ctx.now if params.closed else None)
    report = store.find(ctx, report_id)
    if report is None:
        raise errors.NotFound
    audit.record(ctx, "report_closed" if params.closed else "report_opened", "report", report_id)
    return _detail(ctx, report)


def _detail(ctx: Context, report: ReportWithSubject) -> ReportDetail:
    event_id = report.shown_on_event_id
    path = f"/calendars/{report.calendar_id}" if event_id is None else f"/events/{event_id}"
    return ReportDetail(
        **_item_fields(report),
        closed_at=None if report.closed_at is None else timestamps.format_utc(report.closed_at),
        subject=report.subject,
        url=f"{ctx.settings.url}{path}",
    )


def _item_fields(report: Report) -> dict[str, Any]:
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
