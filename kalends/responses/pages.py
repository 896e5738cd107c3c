"""Pages of the latest responses and comments to one's events, and of the responses counted by event."""

from kalends.comments import present as comment_present
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events.by_id import events_by_id
from kalends.http import paging
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.responses import store
from kalends.values import timestamps
from kalends.web.page import page
from kalends.web.render import render

LATEST = 8


@page("GET", "/responses")
def index(ctx: Context, params: Paging) -> Document:
    """The latest responses, and the comments: those that wait for approval first."""
    tallies = store.by_event(ctx, LATEST + 1)
    rows, next_page = paging.page(ctx, params, comments.to_review(ctx, params.fetch, params.offset))
    return render(
        "responses/index.html",
        ctx,
        title="Responses and comments",
        tallies=tallies[:LATEST],
        has_more=len(tallies) > LATEST,
        comments=[comment_present.item(comment, with_address=True) for comment in rows],
        waiting=comments.count_waiting(ctx),
        offset=params.offset,
        next_page=next_page,
        events=events_by_id(ctx, [*(tally.event_id for tally in tallies), *(comment.event_id for comment in rows)]),
        utc=timestamps.format_utc,
    )


@page("GET", "/responses/events")
def events(ctx: Context, params: Paging) -> Document:
    """The responses counted by event, of all events that one may edit."""
    tallies, next_page = paging.page(ctx, params, store.by_event(ctx, params.fetch, params.offset))
    return render(
        "responses/events.html",
        ctx,
        title="Responses by event",
        tallies=tallies,
        events=events_by_id(ctx, [tally.event_id for tally in tallies]),
        next_page=next_page,
        utc=timestamps.format_utc,
    )
