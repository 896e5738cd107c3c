"""Whether an event takes a response: it is open, an editor has accepted the response if that is needed, and there is a seat."""

from collections.abc import Callable

from msgspec import structs

from kalends import errors, policy
from kalends.context import Context
from kalends.db import Retry
from kalends.i18n import gettext
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import seats, store
from kalends.responses.author import Author
from kalends.responses.model import ResponseInput
from kalends.responses.store import EventState, Hold


def lock(ctx: Context, event: Event, *, exclusive: bool = False) -> tuple[Event, EventState]:
    """Lock the event and return it as it is now, with the settings of its calendar.

    exclusive: other responses wait, also without a capacity.
    """
    exclusive = exclusive or event.settings.capacity is not None
    locked = store.lock_event(ctx, event.id, exclusive=exclusive)
    if locked is None:
        raise errors.NotFound
    if locked.version != event.version:
        event = policy.reload_event(ctx, event)
        if event.settings.capacity is not None and not exclusive:
            # It has got a capacity since, for which the responses must wait for each other.
            raise Retry
    if event.settings.capacity is not None:
        seats.expire(ctx, event.id)
    return event, locked


def hold(ctx: Context, event: Event, locked: EventState) -> Hold:
    """What a response without proof has until it is confirmed."""
    until = None if event.settings.capacity is None else ctx.now + locked.hold_minutes * 60
    return Hold(locked.confirm_above, until)


def require_open(ctx: Context, event: Event, locked: EventState) -> None:
    """Raise the error that says why nobody can respond. The event's editors can, after others."""
    if locked.status == "cancelled":
        raise errors.EventCancelled(gettext("This event is cancelled: responses are closed."))
    if locked.status == "postponed":
        raise errors.EventPostponed(gettext("This event is postponed: responses are closed until it has a new date."))
    if event.settings_text and not event.can_edit:
        _require_open(ctx, event)


def _require_open(ctx: Context, event: Event) -> None:
    settings = event.settings
    if not settings.responses_open:
        raise errors.ResponsesClosed(gettext("The organiser has closed the responses to this event."))
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        raise errors.DeadlineOver(gettext("The time to respond to this event is over. Ask the organiser."))


def require_room(ctx: Context, event: Event, who: Author, people: int, *, standing: bool) -> None:
    """Raise Full or PartyTooLarge before anything is written: for callers without proof, and for one date of a response to a series,
    which is then left out."""
    if event.settings.capacity is None or event.can_edit:
        return
    if not who.has_proof:
        seats.require_room(ctx, event, people)
    elif standing:
        held = sum(response.held + response.offered for response in store.of_address(ctx, event.id, who.email_address))
        seats.require_room(ctx, event, people, held)


def admit(ctx: Context, event: Event, response: Response, who: Author, *, takes_offer: bool, may_wait: bool) -> Response:
    """Give the stored response what it may have: acceptance by editors, and seats.

    takes_offer: also those that are offered to it.
    may_wait: it waits for seats also without a waiting list.
    """
    settings = event.settings
    if settings.approval:
        response = _await_approval(ctx, event, response)
    if settings.capacity is None:
        return response
    # Without proof, an error would disclose the number of people in the stored response.
    may_wait = may_wait or event.can_edit or not who.has_proof
    takes_offer = takes_offer and who.has_proof and not event.can_edit
    imitates = not (who.has_proof or event.can_edit or settings.approval)
    return seats.claim(ctx, event, response, takes_offer=takes_offer, may_wait=may_wait, imitates=imitates)


def imitate(ctx: Context, event: Event, response: Response, fields: ResponseInput, hold: Hold) -> None:
    """Cause the statements that admit the response of a new address, and change nothing."""
    settings = event.settings
    if settings.approval:
        _set_accepted(ctx, response, response.accepted_for)
    if settings.capacity is not None:
        # Until they are accepted, or confirmed if they are many, newcomers get no seats.
        gets_none = fields.response != "YES" or settings.approval or hold.confirm_until(fields) == 0
        seats.imitate(ctx, event, response, 0 if gets_none else fields.fewest)


def accept(ctx: Context, event: Event, response: Response, *, force: bool) -> Response:
    """Accept the response as an editor, which confirms it, too; force: seat it beyond the capacity."""
    _, locked = lock(ctx, event)
    require_open(ctx, event, locked)
    response = structs.replace(store.find_by_ids(ctx, [response.id])[0], confirm_until=None)
    store.confirm(ctx, response.id)
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
    return _set_accepted(ctx, response, response.accepted_for)


def _set_accepted(ctx: Context, response: Response, people: int | None) -> Response:
    """It is written also if it is the same, or the time would say whether the address has responded before."""
    store.set_accepted(ctx, response.id, people)
    return structs.replace(response, accepted_for=people)
