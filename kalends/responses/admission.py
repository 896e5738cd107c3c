"""Whether an event takes a response: it is open, an editor has accepted the response if that is needed, and there is a seat."""

from collections.abc import Callable

from msgspec import structs

from kalends import errors, policy
from kalends.context import Context
from kalends.db import Retry
from kalends.policy import Right
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import seats, store
from kalends.responses.author import Author
from kalends.responses.store import EventState


def lock_open(ctx: Context, event: Event, *, exclusive: bool = False) -> tuple[Event, EventState]:
    """Lock the event and return it as it is now, with the settings of its calendar, or raise the error that says why nobody can
    respond. Its editors can, after others.

    exclusive: other responses wait, also without a capacity.
    """
    exclusive = exclusive or event.settings.capacity is not None
    locked = store.lock_event(ctx, event.id, exclusive=exclusive)
    if locked is None:
        raise errors.NotFound
    if locked.version != event.version:
        event = policy.event(ctx, event.id, to=Right.SEE)
        if event.settings.capacity is not None and not exclusive:
            # It has got a capacity since, for which the responses must wait for each other.
            raise Retry
    if locked.status == "cancelled":
        raise errors.EventCancelled("This event is cancelled: responses are closed.")
    if locked.status == "postponed":
        raise errors.EventPostponed("This event is postponed: responses are closed until it has a new date.")
    if event.settings_text and not event.can_edit:
        _require_open(ctx, event)
    return event, locked


def _require_open(ctx: Context, event: Event) -> None:
    settings = event.settings
    if not settings.responses_open:
        raise errors.ResponsesClosed("The organiser has closed the responses to this event.")
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        raise errors.DeadlineOver("The time to respond to this event is over. Ask the organiser.")


def require_room(ctx: Context, event: Event, who: Author, people: int) -> None:
    """Raise Full for callers without proof who ask for more seats than are free."""
    if event.settings.capacity is not None and not (who.is_proven or who.may_change or event.can_edit):
        seats.require_room(ctx, event, people)


def admit(ctx: Context, event: Event, response: Response, who: Author, *, may_wait: bool) -> Response:
    """Give the stored response what it may have: acceptance by editors, and seats; may_wait: also without a waiting list."""
    settings = event.settings
    if settings.approval:
        response = _await_approval(ctx, event, response)
    if settings.capacity is None:
        return response
    has_proof = who.is_proven or who.may_change
    # A guest takes an offer by saying YES again. Without proof, an error would disclose the number of people in the stored response.
    return seats.claim(
        ctx, event, response, takes_offer=has_proof and not event.can_edit, may_wait=may_wait or event.can_edit or not has_proof
    )


def accept(ctx: Context, event: Event, response: Response, *, force: bool) -> Response:
    """Accept the response as an editor; force: seat it beyond the capacity."""
    lock_open(ctx, event)
    response = _set_accepted(ctx, response, response.people if response.accepted_for is not None or event.settings.approval else None)
    if event.settings.capacity is None:
        return response
    return seats.claim(ctx, event, structs.replace(response, forced=force or response.forced), may_wait=True)


def withdraw(ctx: Context, event: Event, response: Response) -> None:
    """Delete the response, and give its seats to those who wait."""
    _give_up(ctx, event, response, store.delete)


def leave(ctx: Context, event: Event, response: Response) -> None:
    """Change the response to NO, also where responses are closed, and give its seats to those who wait."""
    _give_up(ctx, event, response, store.set_no)


def _give_up(ctx: Context, event: Event, response: Response, write: Callable[[Context, int], None]) -> None:
    if event.settings.capacity is not None:
        store.lock_event(ctx, event.id, exclusive=True)
    write(ctx, response.id)
    if event.settings.capacity is not None and event.status == "planned":
        seats.settle(ctx, event.id)


def _await_approval(ctx: Context, event: Event, response: Response) -> Response:
    """An editor's own change is accepted. A guest's YES waits; what was accepted before stays, unless more people come."""
    if event.can_edit:
        return _set_accepted(ctx, response, response.people)
    if response.response != "YES" or response.accepted_for is None:
        return _set_accepted(ctx, response, 0)
    return response


def _set_accepted(ctx: Context, response: Response, people: int | None) -> Response:
    if response.accepted_for == people:
        return response
    store.set_accepted(ctx, response.id, people)
    return structs.replace(response, accepted_for=people)
