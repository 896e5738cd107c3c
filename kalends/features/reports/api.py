"""Reports to the administrators of the site."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.administration import Report, ReportWithSubject
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.blocked_senders.store import discard_if_blocked
from kalends.features.deliveries import store as deliveries
from kalends.features.reports import store
from kalends.features.reports.model import ReportDetail, ReportFields, ReportIndex, ReportInput, ReportItem, ReportQuery, Subject
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import build_page
from kalends.http.rate_limit import count_event_write
from kalends.policy import Right


class Reported(Struct, frozen=True):
    """The thing that is reported: what it is, its name or text, its page, and the event that it belongs to."""

    kind: str
    name: str
    path: str
    event_id: int | None = None


@endpoint("GET", "/api/reports", for_admins=True)
def index(ctx: Context, params: ReportQuery) -> ReportIndex:
    """What people have reported, for admins: what waits, the oldest first, or what is closed. A report is deleted after a year."""
    policy.admin(ctx)
    rows, page = build_page(
        ctx,
        params,
        store.index(ctx, closed=params.closed, limit=params.fetch, offset=params.offset),
        lambda: store.count(ctx, closed=params.closed),
    )
    return ReportIndex([_detail(ctx, row) for row in rows], **page)


@endpoint("POST", "/api/reports", status=201, guests=True, rate_limited=True)
def create(ctx: Context, params: ReportInput) -> ReportItem:
    """Report an event, a comment or a calendar to the administrators of the site: send one of `event_id`, `comment_id`, `calendar_id`.

    Only they read it. With `email_address` they can write back. They get mail: when no other report is open, and once a day while one is.
    """
    reported = load_subject(ctx, params)
    if reported.event_id is not None:
        count_event_write(ctx, reported.event_id)
    with discard_if_blocked(ctx, params.email_address):
        report = store.insert(ctx, params)
        _notify_admins(ctx)
        return ReportItem(**_item_fields(report))


def load_subject(ctx: Context, subject: Subject) -> Reported:
    """The one thing that the request names; NotFound if the actor does not see it."""
    if sum(each is not None for each in (subject.event_id, subject.comment_id, subject.calendar_id)) != 1:
        raise errors.invalid("event_id", gettext("is required: send exactly one of event_id, comment_id and calendar_id"), "required")
    if subject.calendar_id is not None:
        with errors.naming("calendar_id"):
            calendar = policy.calendar(ctx, subject.calendar_id, to=Right.SEE)
        return Reported("calendar", calendar.name, f"/calendars/{calendar.id}")
    policy.open_link(ctx, subject.link)
    if subject.comment_id is not None:
        with errors.naming("comment_id"):
            comment, event = policy.visible_comment(ctx, subject.comment_id)
        return Reported("comment", comment.comment, f"/events/{event.id}", event.id)
    assert subject.event_id is not None
    with errors.naming("event_id"):
        event = policy.event(ctx, subject.event_id, to=Right.SEE)
    return Reported("event", event.title, f"/events/{event.id}", event.id)


def _notify_admins(ctx: Context) -> None:
    """Mail the admins that a report waits: when no other one does, and once a day while others come. Strangers cause this mail."""
    is_first = store.count(ctx, closed=False) == 1
    for admin in users.find_admins(ctx):
        if is_first or not deliveries.was_notified(ctx, admin, "report_waiting", ctx.now - deliveries.DAY):
            deliveries.insert_notice(ctx, admin, "report_waiting")


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
