"""Erasing what a response says about a person, at the guest's request."""

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.changes import journal_store as journal
from kalends.features.comments import store as comments
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import response_mail_store as response_mails
from kalends.features.events import store as events
from kalends.features.events.invitations.steps import erase as invitations
from kalends.features.questions import answer_store as answers
from kalends.features.responses import news_store as news
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import reminder_choice_store as choice
from kalends.features.responses import series_response_store as series_responses
from kalends.features.responses import store
from kalends.features.responses.steps import admission
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context


def erase(ctx: Context, response: Response, event: Event, *, is_over: bool, with_comments: bool) -> None:
    """Withdraw the response and those of the address to the other dates of the series, and erase their personal data, their history and
    their mail, the invitation of the address, and its place on the organiser's list. The rows stay and are counted: after the event, as
    what they were.

    with_comments: also delete the comments of the address on the event and on the dates of its series."""
    choice.save(ctx, event, response, is_wanted=True)
    for owner_id in {event.owner_id, policy.organiser_id(ctx, event.id)}:
        subscribers.leave_by_address(ctx, owner_id, response.email_address)
    invitations.erase_of_address(ctx, event, response.email_address)
    if with_comments:
        comments.erase_of_address(ctx, event, response.email_address)
    languages.delete(ctx, response.email_address)
    series_responses.delete(ctx, response)
    _erase_date(ctx, response, event, is_over=is_over)
    others = series_responses.of_other_dates(ctx, event, response.email_address)
    dates = {date.id: date for date in events.find_by_ids(ctx, [each.event_id for each in others])}
    for each in others:
        date = dates[each.event_id]
        _erase_date(ctx, each, date, is_over=date.is_over(ctx.now))


def _erase_date(ctx: Context, response: Response, event: Event, *, is_over: bool) -> None:
    if not is_over:
        admission.leave(ctx, event, response)
        news.notify_organiser(ctx, event, response_id=response.id)
    answers.delete(ctx, response.id)
    response_mails.delete(ctx, response, event.owner_id)
    store.erase(ctx, response.id)
    proposals.delete_of(ctx, response.event_id, response.email_address)
    journal.erase_response(ctx, response.event_id, response.id)
