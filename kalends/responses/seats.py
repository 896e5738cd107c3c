"""The seats of an event with a capacity. Anyone who changes them locks the event first; then one walk gives the free seats to the queue."""

from collections.abc import Iterable

from msgspec import Struct, structs

from kalends import errors
from kalends.context import Context
from kalends.db import columns
from kalends.deliveries import place_notice
from kalends.i18n import Text, gettext, ngettext
from kalends.records.delivery import PlaceNotice
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import offer_time, waiting_list
from kalends.responses.waiting_list import Grant, Mode, Order, Party

# Places in the queue are times in microseconds: two responses in one second have different ones.
MICROSECONDS = 1_000_000
# The parties that wait; the index `responses_waiting` has the same condition.
IS_WAITING = "queued_at IS NOT NULL AND queued_for > held + offered"
# Unconfirmed responses whose places are not held any longer; the index `responses_held_until` has the first condition.
HOLD_IS_OVER = "confirm_until > 0 AND confirm_until <= :now"
# The fewest seats of use to a party, as `waiting_list.smallest_gain` computes it.
_SMALLEST_GAIN = """CASE WHEN min_party IS NULL OR min_party >= queued_for THEN queued_for - held
    WHEN min_party > held + 1 THEN min_party - held ELSE 1 END"""
_PARTY = "id, queued_for, held, queued_at, queued_for, min_party, offered, forced"
_GRANT = "INSERT INTO seat_grants (event_id, at, queued_at, seats, free) VALUES (:event_id, :at, :queued_at, :seats, :free)"
BATCH = 200


class Hall(Struct, frozen=True):
    """What a walk needs to know of the event."""

    event_id: int
    status: str
    start_at: int
    time_zone: str
    capacity: int
    waiting_list: str
    waiting_order: Order
    offer_hours: int
    show_counts: bool
    taken: int
    waiting: int
    last_queued_at: int

    @property
    def free(self) -> int:
        return self.capacity - self.taken

    def mode(self, now: int) -> Mode:
        """How waiting parties get seats now. In the last hour before the start, nobody can be asked any more."""
        if self.waiting_list == "offer":
            return "offer" if now < self.start_at - offer_time.LAST_HOUR else "closed"
        return "seat" if now < self.start_at else "closed"


_HALL = columns(Hall, "q", status="e.status", start_at="e.start_at", time_zone="e.time_zone")


def load(ctx: Context, event_id: int) -> Hall | None:
    """The seats of an event that is locked; None if it has no capacity."""
    return ctx.tx.one(
        Hall,
        f"""SELECT {_HALL} FROM response_settings q JOIN events e ON e.id = q.event_id
            WHERE q.event_id = :id AND q.capacity IS NOT NULL""",
        id=event_id,
    )


def require_room(ctx: Context, event: Event, people: int, held: int = 0) -> None:
    """Raise Full if there is no waiting list and the free seats, with those that are held, are too few; PartyTooLarge if all are.

    people: the fewest who would come.
    held: 0 for a caller without proof, whatever the address holds: the error must not say whether it has responded.
    """
    hall = load(ctx, event.id)
    if hall is None:
        return
    _require_capacity(hall, people)
    if hall.waiting_list == "off" and people > hall.free + held:
        raise _full(hall)


def claim(
    ctx: Context, event: Event, response: Response, *, takes_offer: bool = False, may_wait: bool = False, imitates: bool = False
) -> Response:
    """Give the response the seats that it may have: what the guest asks for now, and an offer that the guest takes.

    Raise Full if it does not get them and there is no waiting list, and PartyTooLarge if it never could.
    may_wait: let it wait even so.
    imitates: if it has its seats already, cause the statements of a newcomer.
    """
    response, lapsed = _lapse_for(ctx, event, response)
    hall = load(ctx, event.id)
    if hall is None:
        return response
    before = _party(response)
    wanted = _wanted(response)
    if not may_wait and wanted > response.queued_for:
        _require_capacity(hall, _fewest(wanted, response.min_party))
    party = _ask(ctx, hall, response, wanted, takes_offer=takes_offer)
    if party != before:
        _write(ctx, [party], response.offer_until)
    freed = before.held + before.offered - party.held - party.offered
    hall = structs.replace(hall, taken=hall.taken - freed)
    # In strict order, others may have waited for this party alone.
    may_seat_others = freed > 0 or lapsed or (before.is_waiting and hall.waiting_order == "strict")
    grants = _walk(ctx, hall, None if may_seat_others else party, party.id) if hall.status == "planned" else []
    party = next((grant.result for grant in grants if grant.party.id == party.id), party)
    if hall.waiting_list == "off" and wanted > response.queued_for and not may_wait and party.held < _fewest(wanted, response.min_party):
        raise _full(hall)
    if party == before:
        if imitates:
            _imitate(ctx, hall, response, _fewest(wanted, response.min_party))
        return response
    return _with_party(response, party)


def _wanted(response: Response) -> int:
    """The seats that it may have: none until it is confirmed, and no more than it has until an editor accepts it."""
    if response.confirm_until == 0:
        return 0
    return min(response.people, response.held) if response.is_pending else response.people


def _fewest(people: int, min_party: int | None) -> int:
    return people if min_party is None else min(people, min_party)


def _ask(ctx: Context, hall: Hall, response: Response, wanted: int, *, takes_offer: bool) -> Party:
    """The party of the response after it has asked for this number of seats."""
    party = waiting_list.ask(_party(response), wanted, response.min_party, max(ctx.now * MICROSECONDS, hall.last_queued_at + 1))
    if takes_offer and party.offered:
        party = waiting_list.accept(party)
    if response.forced and wanted:
        return structs.replace(party, held=wanted, offered=0)
    return party if wanted else structs.replace(party, forced=False)


def imitate(ctx: Context, event: Event, response: Response, people: int) -> None:
    """Cause the statements by which a newcomer would claim seats for these people, and change nothing. So a caller without proof does
    not learn from the time whether the address has responded before."""
    response, _ = _lapse_for(ctx, event, response)
    hall = load(ctx, event.id)
    if hall:
        _imitate(ctx, hall, response, people)


def _imitate(ctx: Context, hall: Hall, response: Response, people: int) -> None:
    if not people:
        return
    party = _party(response)
    newcomer = waiting_list.ask(Party(party.id, 0), people, None, hall.last_queued_at + 1)
    if hall.free < people or (hall.waiting_order == "strict" and _has_others_before(ctx, hall, newcomer)):
        _write(ctx, [party], response.offer_until, keeps_time=True)
        return
    # A newcomer is queued and then seated: both change the counts of the event. No place in the queue is 0, so that nobody was passed over.
    for queued_at in ((party.queued_at or 1) - 1, party.queued_at):
        _write(ctx, [structs.replace(party, queued_at=queued_at)], response.offer_until, keeps_time=True)
    grant = {"event_id": hall.event_id, "at": ctx.now, "queued_at": 0, "seats": 0, "free": 0}
    ctx.tx.many(_GRANT, [grant] if hall.waiting else [])


def expire(ctx: Context, event_id: int) -> None:
    """Take back what was offered or held until a time that is over, and give it to the queue. The event is locked."""
    if _lapse(ctx, event_id):
        _give_free_seats(ctx, event_id)


def settle(ctx: Context, event_id: int) -> None:
    """Take back what was offered or held until a time that is over, and give the free seats to the queue. The event is locked."""
    _lapse(ctx, event_id)
    _give_free_seats(ctx, event_id)


def _give_free_seats(ctx: Context, event_id: int) -> None:
    hall = load(ctx, event_id)
    if hall and hall.status == "planned":
        _walk(ctx, hall, None, None)


def hold_all(ctx: Context, event_id: int) -> None:
    """Seat everybody who has said YES before there was a capacity, in the order in which they responded."""
    ctx.tx.run(
        f"""UPDATE responses SET held = number + plus_n, queued_for = number + plus_n,
                queued_at = created_at * {MICROSECONDS} + id % {MICROSECONDS}
            WHERE event_id = :id AND response = 'YES' AND (accepted_for IS NULL OR accepted_for >= number + plus_n)
                AND confirm_until IS NULL""",
        id=event_id,
    )


def release_all(ctx: Context, event: Event) -> None:
    """Forget the seats of an event that has no capacity any more: anyone who waits can come."""
    rows = ctx.tx.rows(f"SELECT id FROM responses WHERE event_id = :id AND {IS_WAITING}", id=event.id)
    place_notice.insert(ctx, event.id, [response_id for (response_id,) in rows], "place_granted")
    ctx.tx.run(
        """UPDATE responses SET held = 0, offered = 0, offer_until = NULL, queued_at = NULL, queued_for = 0, forced = FALSE
           WHERE event_id = :id AND (queued_at IS NOT NULL OR held > 0 OR offer_until IS NOT NULL)""",
        id=event.id,
    )
    # Only large parties need to be confirmed now.
    ctx.tx.run(
        """UPDATE responses SET confirm_until = NULL WHERE event_id = :id AND confirm_until IS NOT NULL AND number + plus_n <=
           (SELECT c.confirm_above FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id = :id)""",
        id=event.id,
    )


def accept_present(ctx: Context, event: Event) -> None:
    """Count those as accepted who have said YES before editors began to accept responses."""
    ctx.tx.run(
        """UPDATE responses SET accepted_for = number + plus_n
           WHERE event_id = :id AND response = 'YES' AND (confirm_until IS NULL OR confirm_until > 0)""",
        id=event.id,
    )


def accept_all(ctx: Context, event: Event) -> None:
    """Let those have seats who waited for an editor to accept them, in the order in which they responded."""
    rows = ctx.tx.all(
        Response,
        f"""SELECT {columns(Response)} FROM responses
            WHERE event_id = :id AND response = 'YES' AND accepted_for < number + plus_n ORDER BY id""",
        id=event.id,
    )
    ctx.tx.run("UPDATE responses SET accepted_for = NULL WHERE event_id = :id AND accepted_for IS NOT NULL", id=event.id)
    for response in rows:
        claim(ctx, event, structs.replace(response, accepted_for=None), may_wait=True)


def claim_restored(ctx: Context, event: Event, responses: Iterable[Response]) -> None:
    """Queue responses that an undo has brought back or changed, and give them the seats that are free."""
    for response in responses:
        try:
            claim(ctx, event, response)
        except errors.Conflict as error:
            raise errors.Conflict(gettext("The seats of this response were given to others since. Nothing was changed.")) from error


def find_lapsed_events(ctx: Context) -> list[int]:
    """Events with an offer, or with places of an unconfirmed response, whose time is over."""
    rows = ctx.tx.rows(
        f"""SELECT event_id FROM responses WHERE offered > 0 AND offer_until <= :now
            UNION SELECT event_id FROM responses WHERE {HOLD_IS_OVER}""",
        now=ctx.now,
    )
    return [event_id for (event_id,) in rows]


def _lapse(ctx: Context, event_id: int) -> list[int]:
    """Take back the offers whose time is over, and notify the guests, and the places of unconfirmed responses whose time is over. Return
    the ids of the responses."""
    unconfirmed = ctx.tx.rows(
        f"""UPDATE responses SET held = 0, offered = 0, offer_until = NULL, queued_at = NULL, queued_for = 0, forced = FALSE,
                confirm_until = 0 WHERE {HOLD_IS_OVER} AND event_id + 0 = :event_id RETURNING id""",
        event_id=event_id,
        now=ctx.now,
    )
    rows = ctx.tx.rows(
        """UPDATE responses SET offered = 0, queued_at = NULL, queued_for = 0
           WHERE offered > 0 AND offer_until <= :now AND event_id + 0 = :event_id RETURNING id""",
        event_id=event_id,
        now=ctx.now,
    )
    lapsed = [response_id for (response_id,) in rows]
    place_notice.insert(ctx, event_id, lapsed, "place_lapsed")
    return [*lapsed, *(response_id for (response_id,) in unconfirmed)]


def _lapse_for(ctx: Context, event: Event, response: Response) -> tuple[Response, list[int]]:
    """Take back what is over, and return the response as it is then, and the ids of those that lost something."""
    lapsed = _lapse(ctx, event.id)
    if response.id in lapsed:
        response = structs.replace(response, offered=0, queued_at=None, queued_for=0)
    return response, lapsed


def _walk(ctx: Context, hall: Hall, only: Party | None, present: int | None) -> list[Grant]:
    """Give the free seats to the queue, and tell those who are not present.

    only: the one party that may fit. After each walk nobody fits who waits, so while no seat was freed, that is who asks now.
    """
    mode, order = hall.mode(ctx.now), hall.waiting_order
    if hall.free <= 0:
        return []
    if only is not None:
        is_behind = order == "strict" and mode != "closed" and _has_others_before(ctx, hall, only)
        grants = [] if is_behind else list(waiting_list.walk(hall.free, order, [only], mode=mode, present=present))
    else:
        grants = list(waiting_list.walk(hall.free, order, _queue(ctx, hall, mode, present), mode=mode, present=present))
    _record(ctx, hall, grants, present)
    return grants


def _has_others_before(ctx: Context, hall: Hall, party: Party) -> bool:
    if not party.is_waiting:
        return False
    sql = f"SELECT 1 FROM responses WHERE event_id = :id AND {IS_WAITING} AND queued_at < :queued_at AND offered = 0 LIMIT 1"
    return bool(ctx.tx.rows(sql, id=hall.event_id, queued_at=party.queued_at))


def _queue(ctx: Context, hall: Hall, mode: Mode, present: int | None) -> Iterable[Party]:
    """The waiting parties in their order, read in batches: the free seats are often gone after the first. Where parties are passed
    over, the database leaves out those that are too large for all the seats together."""
    fitting = f"AND {_SMALLEST_GAIN} <= :free" if hall.waiting_order == "fit" else ""
    only = "AND id = :present" if mode == "closed" else ""
    last = 0
    while True:
        rows = ctx.tx.all(
            Party,
            f"""SELECT {_PARTY} FROM responses WHERE event_id = :id AND {IS_WAITING} AND offered = 0 AND queued_at > :last {fitting} {only}
                ORDER BY queued_at, id LIMIT {BATCH}""",
            id=hall.event_id,
            last=last,
            **({"free": hall.free} if fitting else {}),
            **({"present": present or 0} if only else {}),
        )
        yield from rows
        if len(rows) < BATCH:
            return
        last = rows[-1].queued_at or 0


def _record(ctx: Context, hall: Hall, grants: list[Grant], present: int | None) -> None:
    if not grants:
        return
    until = offer_time.end(ctx.now, hall.offer_hours, hall.start_at, hall.time_zone)
    _write(ctx, [grant.result for grant in grants], until)
    # If nobody waits, nobody was passed over.
    ctx.tx.many(
        _GRANT,
        [
            {"event_id": hall.event_id, "at": ctx.now, "queued_at": grant.party.queued_at, "seats": grant.seats, "free": grant.free}
            for grant in grants
            if hall.waiting
        ],
    )
    notices: dict[bool, PlaceNotice] = {False: "place_granted", True: "place_offered"}
    for is_offer, notice in notices.items():
        ids = [grant.party.id for grant in grants if grant.is_offer == is_offer and grant.party.id != present]
        place_notice.insert(ctx, hall.event_id, ids, notice)


def _write(ctx: Context, parties: list[Party], offer_until: int | None = None, *, keeps_time: bool = False) -> None:
    """keeps_time: the end of an offer is stored also for a party whose offer has lapsed."""
    ctx.tx.many(
        """UPDATE responses SET held = :held, offered = :offered, offer_until = :offer_until, queued_at = :queued_at,
               queued_for = :queued_for, forced = :forced WHERE id = :id""",
        [
            {
                "id": party.id,
                "held": party.held,
                "offered": party.offered,
                "offer_until": offer_until if party.offered or keeps_time else None,
                "queued_at": party.queued_at,
                "queued_for": party.queued_for,
                "forced": party.forced,
            }
            for party in parties
        ],
    )


def _party(response: Response) -> Party:
    return Party(
        response.id,
        response.queued_for,
        response.held,
        response.queued_at,
        response.queued_for,
        response.min_party,
        response.offered,
        response.forced,
    )


def _with_party(response: Response, party: Party) -> Response:
    """The response with the seats of the party."""
    return structs.replace(
        response,
        held=party.held,
        offered=party.offered,
        offer_until=response.offer_until if party.offered else None,
        queued_at=party.queued_at,
        queued_for=party.queued_for,
        forced=party.forced,
    )


def _require_capacity(hall: Hall, people: int) -> None:
    if people > hall.capacity:
        if hall.show_counts:
            raise errors.PartyTooLarge(_describe_room(hall.capacity))
        raise errors.PartyTooLarge(gettext("This event has no room for so many people. Come with fewer."))


def _describe_room(capacity: int) -> Text:
    return ngettext(
        "This event has room for 1 person. Come with fewer.", "This event has room for %(num)s people. Come with fewer.", capacity
    )


def _full(hall: Hall) -> errors.Full:
    if hall.free <= 0:
        return errors.Full(gettext("This event is full."))
    if not hall.show_counts:
        return errors.Full(gettext("There are too few places left for so many people. Come with fewer, or ask the organiser."))
    return errors.Full(
        ngettext(
            "Only 1 place is left. Come with fewer, or ask the organiser.",
            "Only %(num)s places are left. Come with fewer, or ask the organiser.",
            hall.free,
        )
    )
