"""Pages of what people answer and say: to all one's events, and to one of them."""

from kalends import policy
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events.by_id import named
from kalends.http.endpoint import Document, endpoint
from kalends.http.paging import Paging, page
from kalends.policy import Right
from kalends.responses import api, store
from kalends.responses.model import ResponseQuery
from kalends.values import timestamps
from kalends.web.render import render

LATEST = 8


@endpoint("GET", "/answers", format="html")
def answers(ctx: Context, params: Paging) -> Document:
    """What people answered lately, and what they say: comments that wait for approval first."""
    answered = store.by_event(ctx, LATEST + 1)
    found, next_page = page(ctx, params, comments.to_review(ctx, params.fetch, params.offset))
    return render(
        "responses/answers.html",
        ctx,
        title="Answers and comments",
        answered=answered[:LATEST],
        has_more=len(answered) > LATEST,
        comments=[comments.item(comment, with_address=True) for comment in found],
        waiting=comments.count_waiting(ctx),
        offset=params.offset,
        next_page=next_page,
        events=named(ctx, [*(each.event_id for each in answered), *(comment.event_id for comment in found)]),
        utc=timestamps.format_utc,
    )


@endpoint("GET", "/answers/events", format="html")
def by_event(ctx: Context, params: Paging) -> Document:
    """How many answered what, of all events that one may edit."""
    answered, next_page = page(ctx, params, store.by_event(ctx, params.fetch, params.offset))
    events = named(ctx, [each.event_id for each in answered])
    return render(
        "responses/by_event.html",
        ctx,
        title="Answers by event",
        answered=answered,
        events=events,
        next_page=next_page,
        utc=timestamps.format_utc,
    )


@endpoint("GET", "/events/{event_id}/answers", format="html")
def of_event(ctx: Context, event_id: int, params: Paging) -> Document:
    """Who answered an event, for those who may edit it."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    found = api.index(ctx, ResponseQuery(event_id=event_id, limit=params.limit, offset=params.offset))
    item = named(ctx, [event_id])[event_id]
    return render(
        "responses/of_event.html",
        ctx,
        title=f"Answers to {event.title}",
        event=item,
        tally=store.tally(ctx, event),
        found=found,
        is_public=event.public,
    )
