"""Reports to the administrators of the site."""

from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.rate_limit import count_event_write
from kalends.reports import present, store, subject
from kalends.reports.model import ReportInput, ReportItem


@endpoint("POST", "/api/reports", status=201, guests=True, rate_limited=True)
def create(ctx: Context, params: ReportInput) -> ReportItem:
    """Report an event, a comment or a calendar to the administrators of the site: send one of `event_id`, `comment_id`, `calendar_id`.

    Only they read it. With `email_address` they can write back.
    """
    reported = subject.load(ctx, params)
    if reported.event_id is not None:
        count_event_write(ctx, reported.event_id)
    return present.item(store.insert(ctx, params))
