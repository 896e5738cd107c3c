"""The history of an event, as a page."""

from kalends import policy
from kalends.context import Context
from kalends.events import present
from kalends.events.changes import api
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.i18n import gettext
from kalends.policy import Right
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/events/{event_id}/history")
def history(ctx: Context, event_id: int, params: Paging) -> Document:
    """Who changed what on the event, newest first, with a button to undo each change."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    index = api.changes(ctx, event_id, params)
    return render(
        "events/history.html",
        ctx,
        title=gettext("History of %(title)s", title=event.title),
        event=present.load_detail(ctx, event_id),
        index=index,
    )
