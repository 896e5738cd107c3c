"""Erasing what responses say about people: at the request of a guest, and after the event as its calendar says."""

from collections.abc import Callable

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.changes import journal_store as journal
from kalends.features.comments import store as comments
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import response_mail_store as response_mails
from kalends.features.events import store as events
from kalends.features.events.invitations.steps import cancellations as invitations
from kalends.features.questions import answer_store as answers
from kalends.features.responses import news_store as news
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import reminder_choice_store as choice
from kalends.features.responses import retention_store as retention
from kalends.features.responses import series_response_store as series_responses
from kalends.features.responses import store
from kalends.features.responses.steps import admission
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context


def erase(ctx: Context, response: Response, event: Event, *, with_comments: bool) -> None:
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
    dated = series_responses.of_dates(ctx, event.series_id, response.email_address) if event.series_id is not None else []
    others = [each for each in dated if each.id != response.id]
    dates = {event.id: event} | {date.id: date for date in events.find_by_ids(ctx, [each.event_id for each in others])}
    responses = [response, *others]
    _leave(ctx, [each for each in responses if not dates[each.event_id].is_over(ctx.now)], dates)
    ids = [each.id for each in responses]
    answers.delete(ctx, ids)
    response_mails.delete(ctx, responses, sorted({date.owner_id for date in dates.values()}))
    store.erase(ctx, ids)
    proposals.delete_of(ctx, list(dates), response.email_address)
    for each in responses:
        journal.erase_response(ctx, each.event_id, each.id)


def _leave(ctx: Context, responses: list[Response], dates: dict[int, Event]) -> None:
    """Give up the places of the responses, and notify the organiser once."""
    for each in responses:
        admission.leave(ctx, dates[each.event_id], each)
    for each in responses[:1]:
        news.notify_organiser(ctx, dates[each.event_id], response_id=each.id)


def forget_due(ctx: Context) -> None:
    """Erase who the guests of events were that ended long enough ago, in transactions that let others write in between. If it is
    interrupted, the rest follows in the next round."""
    with ctx.read():
        calendars = retention.find_due_calendars(ctx)
    for calendar_id, before in calendars:
        while _forget_some(ctx, calendar_id, before):
            pass
        with ctx.read():
            series_ids = retention.find_series(ctx, calendar_id, before)
        for series_id in series_ids:
            _in_batches(ctx, retention.erase_series, series_id)
        with ctx.write():
            retention.record_run(ctx, calendar_id)


def _forget_some(ctx: Context, calendar_id: int, before: int) -> bool:
    """Erase the guests of some events; returns whether there were any."""
    with ctx.read():
        event_ids = retention.find_events(ctx, calendar_id, before)
    for event_id in event_ids:
        _in_batches(ctx, retention.erase_batch, event_id)
    return bool(event_ids)


def _in_batches(ctx: Context, erase_some: Callable[[Context, int], bool], record_id: int) -> None:
    more = True
    while more:
        with ctx.write():
            more = erase_some(ctx, record_id)
        ctx.db.yield_to_other_writers()
