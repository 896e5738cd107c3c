"""What a response without proof would get if its address were new. The page says that of every address, so that nobody learns from it who
has responded; the mail says what holds."""

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.values.timestamps import format_utc
from kalends.features.questions.steps import response_answers
from kalends.features.responses import seat_store, store
from kalends.features.responses.model import ResponseInput
from kalends.features.responses.rules.ticket import TicketPlace
from kalends.features.responses.rules.waiting_list import Party, fitting_seats
from kalends.features.responses.steps import admission, seats
from kalends.http.context import Context
from kalends.policy import Right


def find_place(ctx: Context, event_id: int, fields: ResponseInput) -> TicketPlace:
    """The place of a newcomer with this response, before it is stored. The dates of a series with a capacity have places of their own,
    which the mail lists. The event is locked until the transaction ends."""
    event = policy.event(ctx, event_id, to=Right.SEE)
    has_limits = response_answers.has_limits(ctx, event)
    is_series = fields.scope != "this" and event.series_id is not None
    # The dates of a series are locked in their order.
    state = store.find_state(ctx, event_id) if is_series else None
    if state is None:
        event, state = admission.lock(ctx, event, exclusive=has_limits)
    if state.confirm_responses == "always":
        return TicketPlace("unconfirmed")
    until = admission.hold(ctx, event, state, has_limits=has_limits).confirm_until(fields)
    if until == 0:
        return TicketPlace("unconfirmed")
    if fields.response == "YES" and event.settings.approval:
        return TicketPlace("pending")
    if is_series and event.settings.capacity is not None and fields.response == "YES":
        return TicketPlace("in_mail", until=format_utc(until) if until else None)
    place = _find_seats(ctx, event, fields) if fields.response == "YES" else TicketPlace()
    return TicketPlace(place.state, place.seats, place.ahead, place.free, format_utc(until) if until else None)


def _find_seats(ctx: Context, event: Event, fields: ResponseInput) -> TicketPlace:
    seats.expire(ctx, event.id)
    capacity = seat_store.find_capacity(ctx, event.id)
    if capacity is None:
        return TicketPlace()
    people, free = fields.number + fields.plus_n, max(0, capacity.free)
    ahead = seat_store.count_waiting(ctx, event.id)
    party = Party(0, people, queued_at=0, queued_for=people, min_party=fields.min_party)
    is_behind = ahead > 0 and capacity.waiting_order == "strict"
    held = 0 if is_behind else fitting_seats(party, free)
    if held == people:
        return TicketPlace("held", people)
    return TicketPlace("partly" if held else "waiting", held, ahead, free if capacity.show_counts else None)
