"""Erasing what a response says about a person, at the guest's request."""

from kalends.context import Context
from kalends.deliveries import languages, response_mail
from kalends.journal import store as journal
from kalends.questions import answers
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import admission, news, proposals, store
from kalends.responses import reminder_choice as choice


def erase(ctx: Context, response: Response, event: Event, *, is_over: bool) -> None:
    """Withdraw the response, and erase its personal data, those in its history, and its mail. The row stays and is counted: after
    the event, as what it was."""
    if not is_over:
        admission.leave(ctx, event, response)
        news.tell_organiser(ctx, event, response_id=response.id)
    answers.delete(ctx, response.id)
    choice.save(ctx, event, response, is_wanted=True)
    response_mail.delete(ctx, response)
    languages.delete(ctx, response.email_address)
    store.erase(ctx, response.id)
    store.delete_standing(ctx, response)
    proposals.delete_of(ctx, response.event_id, response.email_address)
    journal.erase_response(ctx, response.event_id, response.id)
