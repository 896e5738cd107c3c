"""The former URLs of the pages of responses."""

from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.redirects import redirect_permanently


@page("GET", "/answers", guests=True, transaction=False, credentials=False)
def counts(ctx: Context) -> Document:
    """Redirect to /responses."""
    return redirect_permanently(ctx, "/responses")


@page("GET", "/answers/events", guests=True, transaction=False, credentials=False)
def events(ctx: Context) -> Document:
    """Redirect to /responses/events."""
    return redirect_permanently(ctx, "/responses/events")
