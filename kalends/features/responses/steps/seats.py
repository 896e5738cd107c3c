"""The seats of an event with a capacity. Anyone who changes them locks the event first; then one walk gives the free seats to the queue."""

from collections.abc import Iterable

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import PlaceNotice
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.deliveries.steps import guest_notice
from kalends.features.questions.steps import response_answers
from kalends.features.responses import seat_store as store
from kalends.features.responses.rules import waiting_list
from kalends.features.responses.rules.seating import Capacity, fewest, full, party_of, require_capacity, wanted_seats, with_party
from kalends.features.responses.rules.waiting_list import Grant, Party
from kalends.http.context import Context


def require_room(ctx: Context, event: Event, people: int, held: int = 0) -> None:
    """Raise Full if there is no waiting list and the free seats, with those that are held, are too few; PartyTooLarge if all are.

    people: the fewest who would come.
    held: 0 for a caller without proof, whatever the address holds: the error must not say whether it has responded.
    """
    capacity = store.find_capacity(ctx, event.id)
    if capacity is None:
        return
    require_capacity(capacity, people)
    if capacity.waiting_list == "off" and people > capacity.free + held:
        raise full(capacity)


def claim(ctx: Context, event: Event, response: Response, *, takes_offer: bool = False, may_wait: bool = False) -> Response:
    """Give the response the seats that it may have: what the guest asks for now, and an offer that the guest takes.

    Raise Full if it does not get them and there is no waiting list, and PartyTooLarge if it never could.
    may_wait: let it wait even so.
    """
    response, lapsed = _lapse_for(ctx, event, response)
    capacity = store.find_capacity(ctx, event.id)
    if capacity is None:
        return response
    before = party_of(response)
    wanted = wanted_seats(response)
    if not may_wait and wanted > response.queued_for:
        require_capacity(capacity, fewest(wanted, response.min_party))
    party = _ask(ctx, capacity, response, wanted, takes_offer=takes_offer)
    if party != before:
        store.update(ctx, [party], response.offer_until)
    freed = before.held + before.offered - party.held - party.offered
    capacity = structs.replace(capacity, taken=capacity.taken - freed)
    # In strict order, others may have waited for this party alone.
    may_seat_others = freed > 0 or lapsed or (before.is_waiting and capacity.waiting_order == "strict")
    grants = _walk(ctx, capacity, None if may_seat_others else party, party.id) if capacity.status == "planned" else []
    party = next((grant.result for grant in grants if grant.party.id == party.id), party)
    if capacity.waiting_list == "off" and wanted > response.queued_for and not may_wait and party.held < fewest(wanted, response.min_party):
        raise full(capacity)
    return response if party == before else with_party(response, party)


def _ask(ctx: Context, capacity: Capacity, response: Response, wanted: int, *, takes_offer: bool) -> Party:
    """The party of the response after it has asked for this number of seats."""
    party = waiting_list.ask(party_of(response), wanted, response.min_party, max(ctx.now * store.MICROSECONDS, capacity.last_queued_at + 1))
    if takes_offer and party.offered:
        party = waiting_list.accept(party)
    if response.forced and wanted:
        return structs.replace(party, held=wanted, offered=0)
    return party if wanted else structs.replace(party, forced=False)


def expire(ctx: Context, event_id: int) -> None:
    """Take back what was offered or held until a time that is over, and give it to the queue. The event is locked."""
    if _lapse(ctx, event_id):
        _assign_free_seats(ctx, event_id)


def assign_free_seats(ctx: Context, event_id: int) -> None:
    """Take back what was offered or held until a time that is over, and give the free seats to the queue. The event is locked."""
    _lapse(ctx, event_id)
    _assign_free_seats(ctx, event_id)


def _assign_free_seats(ctx: Context, event_id: int) -> None:
    capacity = store.find_capacity(ctx, event_id)
    if capacity and capacity.status == "planned":
        _walk(ctx, capacity, None, None)


def release_all(ctx: Context, event: Event) -> list[int]:
    """Forget the seats of an event that has no capacity any more: anyone who waits can come. Return the ids of these responses."""
    waiting = store.find_waiting_ids(ctx, event.id)
    guest_notice.insert_place(ctx, event.id, waiting, "place_granted")
    store.clear_all(ctx, event.id)
    if not response_answers.has_limits(ctx, event):
        # Only large parties need to be confirmed now.
        store.confirm_small_parties(ctx, event.id)
    return waiting


def accept_all(ctx: Context, event: Event) -> None:
    """Give seats and options to the responses that waited for an editor to accept them, in the order in which they were made."""
    rows = store.find_pending(ctx, event.id)
    store.end_acceptance(ctx, event.id)
    for response in rows:
        claim(ctx, event, structs.replace(response, accepted_for=None), may_wait=True)
    response_answers.drop_full_options(ctx, event.id, [response.id for response in rows])


def claim_restored(ctx: Context, event: Event, responses: Iterable[Response]) -> None:
    """Queue responses that an undo has brought back or changed, and give them the seats that are free."""
    for response in responses:
        try:
            claim(ctx, event, response)
        except errors.Conflict as error:
            raise errors.Conflict(gettext("The spots of this RSVP have since gone to other guests. Nothing was changed.")) from error


def _lapse(ctx: Context, event_id: int) -> list[int]:
    """Take back the offers whose time is over, and notify the guests, and the places of unconfirmed responses whose time is over. Return
    the ids of the responses."""
    unconfirmed = store.end_holds(ctx, event_id)
    lapsed = store.end_offers(ctx, event_id)
    guest_notice.insert_place(ctx, event_id, lapsed, "place_lapsed")
    return [*lapsed, *unconfirmed]


def _lapse_for(ctx: Context, event: Event, response: Response) -> tuple[Response, list[int]]:
    """Take back what is over, and return the response as it is then, and the ids of those that lost something."""
    lapsed = _lapse(ctx, event.id)
    if response.id in lapsed:
        response = structs.replace(response, offered=0, queued_at=None, queued_for=0)
    return response, lapsed


def _walk(ctx: Context, capacity: Capacity, only: Party | None, present: int | None) -> list[Grant]:
    """Give the free seats to the queue, and notify those who are not present.

    only: the one party that may fit. After each walk nobody fits who waits, so while no seat was freed, that is who asks now.
    """
    mode, order = capacity.mode(ctx.now), capacity.waiting_order
    if capacity.free <= 0:
        return []
    if only is not None:
        is_behind = order == "strict" and mode != "closed" and _is_behind(ctx, capacity, only)
        grants = [] if is_behind else list(waiting_list.walk(capacity.free, order, [only], mode=mode, present=present))
    else:
        grants = list(waiting_list.walk(capacity.free, order, store.find_queue(ctx, capacity, mode, present), mode=mode, present=present))
    _record(ctx, capacity, grants, present)
    return grants


def _is_behind(ctx: Context, capacity: Capacity, party: Party) -> bool:
    return party.is_waiting and store.has_others_before(ctx, capacity.event_id, party.queued_at)


def _record(ctx: Context, capacity: Capacity, grants: list[Grant], present: int | None) -> None:
    if not grants:
        return
    until = waiting_list.offer_end(ctx.now, capacity.offer_hours, capacity.start_at, capacity.time_zone)
    store.update(ctx, [grant.result for grant in grants], until)
    # If nobody waits, nobody was passed over.
    store.insert_grants(ctx, capacity.event_id, grants if capacity.waiting else [])
    newcomers = [grant.party.id for grant in grants if not grant.is_offer and not grant.party.held and grant.party.id != present]
    response_answers.drop_full_options(ctx, capacity.event_id, newcomers)
    notices: dict[bool, PlaceNotice] = {False: "place_granted", True: "place_offered"}
    for is_offer, notice in notices.items():
        ids = [grant.party.id for grant in grants if grant.is_offer == is_offer and grant.party.id != present]
        guest_notice.insert_place(ctx, capacity.event_id, ids, notice)
