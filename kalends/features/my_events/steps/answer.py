"""What a member answers: as an invited guest, or to an event that they see."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.features.events.invitations.steps import reply
from kalends.features.my_events.model import MyAnswer
from kalends.features.responses import present
from kalends.features.responses.model import ResponseFields, ResponseInput
from kalends.features.responses.steps.author import author, author_of
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import respond_to_series
from kalends.http.context import Context
from kalends.http.input.fields import Changes, Params


def answer(ctx: Context, event: Event, invitation: Invitation | None, params: MyAnswer) -> Response:
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
        who, params = author_of(ctx, before), present.input_of(before, Changes(ResponseFields, sent))
    respond(ctx, event, who, params)
    response = policy.my_response(ctx, event.id)
    if response is None:
        raise errors.Conflict(gettext("Confirm your email address first: there’s an RSVP with it that someone sent without your account."))
    return response
