"""Erasing what a response says about a person, at the guest's request."""

from contextlib import suppress

from kalends import errors
from kalends.changes import store as changes
from kalends.context import Context
from kalends.deliveries import response_mail
from kalends.http.input.fields import Changes
from kalends.questions import answers
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import present, proposals, store
from kalends.responses.author import by_link
from kalends.responses.model import ResponseFields
from kalends.responses.respond import respond


def erase(ctx: Context, response: Response, event: Event, *, is_over: bool) -> None:
    """Withdraw the response, and erase its personal data, those in its history, and its mail. The row stays and is counted: after
    the event, as what it was."""
    if not is_over:
        # Where responses are closed, it stays as it is.
        with suppress(errors.Conflict):
            fields = present.input_of(response, Changes(ResponseFields, {"response": "NO"}))
            respond(ctx, event, by_link(response.email_address, response.name), fields, "link")
    answers.erase(ctx, response)
    store.erase(ctx, response.id)
    store.delete_standing(ctx, response)
    proposals.delete_of(ctx, response.event_id, response.email_address)
    response_mail.delete(ctx, response.event_id, response.email_address)
    changes.erase_response(ctx, response.event_id, response.id)
