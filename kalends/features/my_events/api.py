"""What you go to, are invited to and host."""

from msgspec import UNSET

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.my_events import present, store
from kalends.features.my_events.model import Mine, MyAnswer, MyEvent, MyEventIndex, MyEventQuery
from kalends.features.my_events.steps.answer import answer
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import paginate


@endpoint("GET", "/api/my_events")
def index(ctx: Context, params: MyEventQuery) -> MyEventIndex:
    """The events that you go to, are invited to or host, and those that are over. Invitations and responses to your e-mail address are
    yours once you have verified it."""
    policy.user(ctx)
    rows, next_page = paginate(ctx, params, store.find(ctx, params.show, params.fetch, params.offset))
    total = store.count(ctx, params.show) if params.count else UNSET
    return MyEventIndex(present.items(ctx, rows), limit=params.size, offset=params.offset, next=next_page, total=total)


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
        answer(ctx, event, invitation, params)
    return show(ctx, event_id)
