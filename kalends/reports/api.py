"""Reports to the administrators of the site."""

from msgspec import UNSET

from kalends import errors, policy
from kalends.blocked_senders.screening import screened
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import paginate
from kalends.http.rate_limit import count_event_write
from kalends.reports import present, store, subject
from kalends.reports.model import ReportDetail, ReportFields, ReportIndex, ReportInput, ReportItem, ReportQuery


@endpoint("GET", "/api/reports")
def index(ctx: Context, params: ReportQuery) -> ReportIndex:
    """What people have reported, for admins: what waits, the oldest first, or what is closed. A report is deleted after a year."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, closed=params.closed, limit=params.fetch, offset=params.offset))
    total = store.count(ctx, closed=params.closed) if params.count else UNSET
    return ReportIndex([present.detail(ctx, row) for row in rows], params.size, params.offset, next_page, total)


@endpoint("POST", "/api/reports", status=201, guests=True, rate_limited=True)
def create(ctx: Context, params: ReportInput) -> ReportItem:
    """Report an event, a comment or a calendar to the administrators of the site: send one of `event_id`, `comment_id`, `calendar_id`.

    Only they read it. With `email_address` they can write back.
    """
    reported = subject.load(ctx, params)
    if reported.event_id is not None:
        count_event_write(ctx, reported.event_id)
    with screened(ctx, params.email_address):
        return present.item(store.insert(ctx, params))


@endpoint("PUT", "/api/reports/{report_id}")
def update(ctx: Context, report_id: int, params: ReportFields) -> ReportDetail:
    """Close a report that was dealt with, or open it again; for admins. Nobody is told."""
    policy.admin(ctx)
    store.update(ctx, report_id, closed_at=ctx.now if params.closed else None)
    report = store.find(ctx, report_id)
    if report is None:
        raise errors.NotFound
    return present.detail(ctx, report)
