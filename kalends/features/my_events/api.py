"""What you go to, are invited to and host."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.features.events.invitations.steps import reply
from kalends.features.my_events import present, store
from kalends.features.my_events.model import Mine, MyAnswer, MyEvent, MyEventIndex, MyEventQuery
from kalends.features.responses import present as response_present
from kalends.features.responses.model import ResponseFields, ResponseInput
from kalends.features.responses.steps.author import author, author_of
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import respond_to_series
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes, Params
from kalends.http.paging import build_page


@endpoint("GET", "/api/my_events")
def index(ctx: Context, params: MyEventQuery) -> MyEventIndex:
    """The events that you go to, are invited to or host, and those that are over. Invitations and responses to your e-mail address are
    yours once you have verified it."""
    policy.user(ctx)
    rows, page = build_page(ctx, params, store.find(ctx, params.show, params.fetch, params.offset), lambda: store.count(ctx, params.show))
    return MyEventIndex(present.items(ctx, rows), **page)


@endpoint("GET", "/api/my_events/{event_id}")
def show(ctx: Context, event_id: int) -> MyEvent:
    """An event that you see, have answered or are invited to, with your response and invitation."""
    event, invitation = policy.my_event(ctx, event_id)
    response = policy.my_response(ctx, event.id)
    mine = Mine(event.id, response.id if response else None, invitation.id if invitation else None)
    return present.items(ctx, [mine])[0]


@endpoint("PUT", "/api/my_events/{event_id}")
def update(ctx: Context, event_id: int, params: MyAnswer) -> MyEvent:
    """Answer with `response`, or remove an invitation from your calendar with `on_calendar=false`.

    If you are invited to a series, `scope=all` answers all its dates. An answer puts the event back into your calendar, unless it is NO.
    """
    event, invitation = policy.my_event(ctx, event_id)
    if params.on_calendar is not None:
        if invitation is None:
            raise errors.invalid("on_calendar", gettext("is for events to which you are invited"))
        store.set_on_calendar(ctx, invitation.id, is_on=params.on_calendar)
    if params.response is not None:
        _answer(ctx, event, invitation, params)
    return show(ctx, event_id)


def _answer(ctx: Context, event: Event, invitation: Invitation | None, params: MyAnswer) -> Response:
    """Write the response to the event or, with the scope, to the dates of its series; what it does not name stays as it was."""
    assert params.response is not None
    names = frozenset({"response"} if params.number is None else {"response", "number", "plus_n"})
    fields = ResponseFields(response=params.response, number=params.number or 1)
    if invitation is not None:
        limited = policy.limit_party(event, invitation)
        is_whole = invitation.series_id is not None and params.scope != "this"
        respond_to_invitation = reply.record if is_whole else reply.record_date
        return respond_to_invitation(ctx, invitation, limited, fields, names, "account")
    value = ResponseInput(event_id=event.id, response=params.response, number=fields.number, scope=params.scope)
    if params.scope != "this" and event.series_id is not None:
        rows = respond_to_series(ctx, event, author(ctx, None, None), Params(value, names))
        if rows is not None:
            return rows.main
    return _respond(ctx, event, Params(value, names))


def _respond(ctx: Context, event: Event, params: Params[ResponseInput]) -> Response:
    """Respond to one event, as the account that has answered it before may without proof of its address."""
    before = policy.my_response(ctx, event.id)
    if before is None:
        who = author(ctx, None, None)
    else:
        sent = {name: getattr(params.value, name) for name in params.names}
        who, params = author_of(ctx, before), response_present.input_of(before, Changes(ResponseFields, sent))
    respond(ctx, event, who, params)
    response = policy.my_response(ctx, event.id)
    if response is None:
        raise errors.Conflict(gettext("Confirm your email address first: there’s an RSVP with it that someone sent without your account."))
    return response
