"""Whether an event takes a response: it is open, an editor has accepted the response if that is needed, and there is a seat."""

from collections.abc import Callable

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.db import Retry
from kalends.features.questions.steps import response_answers
from kalends.features.responses import store
from kalends.features.responses.model import Author
from kalends.features.responses.steps import seats
from kalends.features.responses.store import EventState, Hold
from kalends.features.users import store as users
from kalends.http.context import Context


def lock(ctx: Context, event: Event, *, exclusive: bool = False) -> tuple[Event, EventState]:
    """Lock the event and return it as it is now, with the settings of its calendar.

    exclusive: other responses wait, also without a capacity, since the event has options with a limit.
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
    if exclusive:
        seats.expire(ctx, event.id)
    return event, locked


def hold(ctx: Context, event: Event, locked: EventState, email_address: str | None = None, *, has_limits: bool) -> Hold:
    """What a response of the address without proof has until it is confirmed; None: of a new guest.

    has_limits: the event has options with a limit.

    The time of an account counts from its registration, since it can delete its response and make another one.
    """
    if event.settings.capacity is None and not has_limits:
        return Hold(locked.confirm_above, None, None)
    seconds = locked.hold_minutes * 60
    is_own = ctx.actor is not None and email_address is not None and fold_case(ctx.actor.email_address) == fold_case(email_address)
    until = (users.get(ctx, policy.me(ctx)).created_at if is_own else ctx.now) + seconds
    return Hold(locked.confirm_above, seconds, until if until > ctx.now else 0)


def require_open(ctx: Context, event: Event, locked: EventState) -> None:
    """Raise the error that says why nobody can respond. The event's editors can, after others."""
    if locked.status == "cancelled":
        raise errors.EventCancelled(gettext("This event has been cancelled, so RSVPs are closed."))
    if locked.status == "postponed":
        raise errors.EventPostponed(gettext("This event has been postponed. RSVPs open again when it has a new date."))
    if event.settings_text and not event.can_edit:
        _require_open(ctx, event)


def _require_open(ctx: Context, event: Event) -> None:
    settings = event.settings
    if not settings.responses_open:
        raise errors.ResponsesClosed(gettext("The organiser has closed RSVPs for this event."))
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        raise errors.DeadlineOver(gettext("The RSVP deadline for this event has passed. If you still want to come, contact the organiser."))


def require_room(ctx: Context, event: Event, who: Author, people: int, *, from_series: bool) -> None:
    """Raise Full or PartyTooLarge before anything is written: for callers without proof, and for one date of a response to a series,
    which is then left out."""
    if event.settings.capacity is None or event.can_edit:
        return
    if not who.has_proof:
        seats.require_room(ctx, event, people)
    elif from_series:
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
    return seats.claim(ctx, event, response, takes_offer=takes_offer, may_wait=may_wait)


def accept(ctx: Context, event: Event, response: Response, *, force: bool) -> Response:
    """Accept the response as an editor, which confirms it, too; force: seat it beyond the capacity."""
    has_limits = response_answers.has_limits(ctx, event)
    _, locked = lock(ctx, event, exclusive=has_limits)
    require_open(ctx, event, locked)
    response = structs.replace(store.find_by_ids(ctx, [response.id])[0], confirm_until=None)
    store.confirm(ctx, response.id)
    response = _set_accepted(ctx, response, response.people if response.accepted_for is not None or event.settings.approval else None)
    if event.settings.capacity is not None:
        response = seats.claim(ctx, event, structs.replace(response, forced=force or response.forced), may_wait=True)
    if has_limits:
        response_answers.drop_full_options(ctx, event.id, [response.id])
    return response


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
        seats.assign_free_seats(ctx, event.id)


def _await_approval(ctx: Context, event: Event, response: Response) -> Response:
    """An editor's own change is accepted. A guest's YES waits; what was accepted before stays, unless more people come."""
    if event.can_edit:
        return _set_accepted(ctx, response, response.people)
    if response.response != "YES" or response.accepted_for is None:
        return _set_accepted(ctx, response, 0)
    return _set_accepted(ctx, response, response.accepted_for)


def _set_accepted(ctx: Context, response: Response, people: int | None) -> Response:
    store.set_accepted(ctx, response.id, people)
    return structs.replace(response, accepted_for=people)
