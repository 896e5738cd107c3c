"""The page of the responses to an event, for those who may edit it."""

from kalends import policy
from kalends.context import Context
from kalends.events.by_id import events_by_id
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.responses import api, store
from kalends.responses.model import ResponseQuery
from kalends.web.page import page
from kalends.web.redirects import moved
from kalends.web.render import render


@page("GET", "/events/{event_id}/responses")
def responses(ctx: Context, event_id: int, params: Paging) -> Document:
    """Who responded to an event, and how."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    item = events_by_id(ctx, [event_id])[event_id]
    return render(
        "events/responses.html",
        ctx,
        title=f"Responses to {event.title}",
        event=item,
        tally=store.tally(ctx, event),
        index=api.index(ctx, ResponseQuery(event_id=event_id, limit=params.limit, offset=params.offset)),
        is_public=event.public,
    )


@page("GET", "/events/{event_id}/answers", guests=True, transaction=False, credentials=False)
def answers(ctx: Context, event_id: int) -> Document:
    """Redirect from the former address of the responses."""
    return moved(ctx, f"/events/{event_id}/responses")
