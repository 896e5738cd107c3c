"""Responses: who comes to an event."""

from msgspec import UNSET, structs

from kalends import policy
from kalends.context import Context
from kalends.http.csv_file import csv_file
from kalends.http.endpoint import Document, endpoint
from kalends.http.fields import Given
from kalends.http.paging import page
from kalends.policy import Right
from kalends.responses import store
from kalends.responses.author import author
from kalends.responses.model import (
    BlankResponse,
    ResponseExport,
    ResponseFor,
    ResponseIndex,
    ResponseInput,
    ResponseItem,
    ResponseQuery,
)
from kalends.subscribers import store as subscribers

CSV_COLUMNS = ("id", "name", "email_address", "response", "number", "plus_n", "comment", "opt_in", "created_at", "updated_at")


@endpoint("GET", "/api/responses")
def index(ctx: Context, params: ResponseQuery) -> ResponseIndex:
    """An event's responses: all of them for the event owner, else your own. Without `event_id`, your own to all events."""
    event = policy.event(ctx, params.event_id, to=Right.SEE) if params.event_id else None
    user = policy.user(ctx)
    if event and event.can_edit:
        found = store.of_event(ctx, event.id, params.fetch, params.offset)
        total = store.count_of_event(ctx, event.id) if params.count else UNSET
    else:
        found = store.of_user(ctx, user.id, params.event_id, params.fetch, params.offset)
        total = store.count_of_user(ctx, user.id, params.event_id) if params.count else UNSET
    responses, next_page = page(ctx, params, found)
    return ResponseIndex([store.item(r, with_address=True) for r in responses], params.size, params.offset, next_page, total)


@endpoint("GET", "/api/responses.csv")
def export(ctx: Context, params: ResponseExport) -> Document:
    """All responses to the event as a table, for the event owner."""
    event = policy.event(ctx, params.event_id, to=Right.EDIT)
    responses = store.of_event(ctx, event.id, store.count_of_event(ctx, event.id))
    items = [structs.asdict(store.item(response, with_address=True)) for response in responses]
    return csv_file(ctx, f"responses-{event.id}", CSV_COLUMNS, [[item[column] for column in CSV_COLUMNS] for item in items])


@endpoint("GET", "/api/responses/new", guests=True)
def new(ctx: Context, params: ResponseFor) -> BlankResponse:
    """The editable fields with defaults. Nothing is saved."""
    if params.event_id is not None:
        policy.event(ctx, params.event_id, to=Right.SEE)
    actor = ctx.actor
    return BlankResponse(
        event_id=params.event_id,
        email_address=actor.email_address if actor else None,
        response=None,
        name=actor.display_name if actor else None,
        comment=None,
        number=1,
        plus_n=0,
        opt_in=False,
    )


@endpoint("POST", "/api/responses", status=201, also=200, guests=True, limited=True)
def create(ctx: Context, params: Given[ResponseInput]) -> ResponseItem:
    """Answer an event with YES, MAYBE or NO.

    There is one response for each address and event: another create (200) changes it, and what it leaves out stays.
    """
    given = params.value
    event = policy.event(ctx, given.event_id, to=Right.SEE)
    who = author(ctx, given.email_address, given.name)
    response = store.upsert(ctx, given, who, params.names)
    if given.opt_in:
        subscribers.insert(ctx, event, "email", who.email_address, source="response")
    if response.version > 1:
        ctx.status = 200
    return store.item(response, with_address=True)
