"""Erasing what a response says about a person, at the guest's request."""

from kalends.comments import store as comments
from kalends.context import Context
from kalends.deliveries import languages, response_mail
from kalends.events.invitations import erase as invitations
from kalends.journal import store as journal
from kalends.questions import answers
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import admission, news, proposals, store
from kalends.responses import reminder_choice as choice
from kalends.subscribers import store as subscribers


def erase(ctx: Context, response: Response, event: Event, *, is_over: bool, with_comments: bool) -> None:
    """Withdraw the response, and erase its personal data, its history and its mail, the invitation of the address, and its place on the
    organiser's list. The row stays and is counted: after the event, as what it was.

    with_comments: also delete the comments of the address on the event and on the dates of its series."""
    if not is_over:
        admission.leave(ctx, event, response)
        news.tell_organiser(ctx, event, response_id=response.id)
    answers.delete(ctx, response.id)
    choice.save(ctx, event, response, is_wanted=True)
    response_mail.delete(ctx, response, event.owner_id)
    subscribers.leave_by_address(ctx, event.owner_id, response.email_address)
    invitations.erase_of_address(ctx, event, response.email_address)
    if with_comments:
        comments.erase_of_address(ctx, event, response.email_address)
    languages.delete(ctx, response.email_address)
    store.erase(ctx, response.id)
    store.delete_standing(ctx, response)
    proposals.delete_of(ctx, response.event_id, response.email_address)
    journal.erase_response(ctx, response.event_id, response.id)
