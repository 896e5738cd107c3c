"""A new response, as the API and the page of the event take it."""

from kalends import policy
from kalends.blocked_senders.screening import screened
from kalends.context import Context
from kalends.http.input.fields import Params
from kalends.http.rate_limit import count_event_write
from kalends.policy import Right
from kalends.questions import asking
from kalends.questions import store as questions
from kalends.questions.present import answer_items
from kalends.records.event import Event
from kalends.responses import present
from kalends.responses.author import Author, author
from kalends.responses.model import ResponseCreated, ResponseInput, SeriesPlaces
from kalends.responses.respond import respond
from kalends.responses.series import respond_to_series


def submit(ctx: Context, params: Params[ResponseInput]) -> ResponseCreated:
    """Respond, and return the record, or to a caller without proof the fields of the request."""
    fields = params.value
    policy.open_link(ctx, fields.link)
    event = policy.event(ctx, fields.event_id, to=Right.SEE)
    count_event_write(ctx, event.id)
    who = author(ctx, fields.email_address, fields.name)
    with screened(ctx, who.email_address):
        if fields.scope != "this" and event.series_id is not None:
            return _submit_to_series(ctx, event, who, params)
        return _submit_to_event(ctx, event, who, params)


def _submit_to_event(ctx: Context, event: Event, who: Author, params: Params[ResponseInput]) -> ResponseCreated:
    response = respond(ctx, event, who, params)
    if response is None:
        return _echo(ctx, event, params.value, who)
    if response.version > 1:
        ctx.status = 200
    return ResponseCreated(**present.record(ctx, response))


def _submit_to_series(ctx: Context, event: Event, who: Author, params: Params[ResponseInput]) -> ResponseCreated:
    responses = respond_to_series(ctx, event, who, params)
    if responses is None:
        return _echo(ctx, event, params.value, who)
    if responses.main.version > 1:
        ctx.status = 200
    waiting = sum(row.queued_at is not None and row.held < row.people for row in responses.rows)
    held = sum(row.response == "YES" for row in responses.rows) - waiting
    return ResponseCreated(**present.record(ctx, responses.main), series=SeriesPlaces(len(responses.rows), held, waiting))


def _echo(ctx: Context, event: Event, fields: ResponseInput, author: Author) -> ResponseCreated:
    asked = questions.of_event(ctx, event.id, event.calendar_id) if fields.answers else []
    return ResponseCreated(
        event_id=fields.event_id,
        email_address=author.email_address,
        name=author.name,
        response=fields.response,
        number=fields.number,
        plus_n=fields.plus_n,
        comment=fields.comment,
        opt_in=fields.opt_in,
        min_party=fields.min_party,
        answers=answer_items(asking.read(asked, fields.answers or [], fields.number + fields.plus_n)),
    )
