"""The waiting list of an event: which parties get seats, in which order. Pure functions; `seats` stores what they decide."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct, structs

from kalends.core.values import datetimes

Order = Literal["fit", "strict"]
# Whether waiting parties are seated, are offered seats, or get none, since it is too late to notify them.
Mode = Literal["seat", "offer", "closed"]

HOUR = 3600
# No seat is offered in the last hour before the start.
LAST_HOUR = HOUR
# An offer does not end between these hours on the event's clocks, while people sleep.
NIGHT_BEGINS, NIGHT_ENDS = 22, 8


class Party(Struct, frozen=True):
    """The people of one response: how many come, how many of them have a seat, and how many seats are offered to the others.

    queued_at: its place in the queue; None for parties that do not wait, such as those whose offer lapsed.
    queued_for: the seats for which it got this place.
    min_party: the smallest number of people that would still come; None if only all of them.
    """

    id: int
    wanted: int
    held: int = 0
    queued_at: int | None = None
    queued_for: int = 0
    min_party: int | None = None
    offered: int = 0
    forced: bool = False

    @property
    def is_waiting(self) -> bool:
        return self.queued_at is not None and self.held + self.offered < self.wanted


class Grant(Struct, frozen=True):
    """Seats for a party: granted at once, or offered. free: how many there were."""

    party: Party
    seats: int
    free: int
    is_offer: bool

    @property
    def result(self) -> Party:
        """The party with the seats."""
        if self.is_offer:
            return structs.replace(self.party, offered=self.seats)
        return structs.replace(self.party, held=self.party.held + self.seats)


def ask(party: Party, wanted: int, min_party: int | None, place: int) -> Party:
    """The party after its guest asked for this many seats; 0: nobody comes. `place` is the end of the queue.

    Asking for less frees seats at once and keeps the place. Asking for more keeps what is held, and waits at the end for the rest.
    """
    if not wanted:
        return Party(party.id, 0)
    held = min(party.held, wanted)
    keeps_place = party.queued_at is not None and wanted <= party.queued_for
    return structs.replace(
        party,
        wanted=wanted,
        held=held,
        offered=min(party.offered, wanted - held) if keeps_place else 0,
        queued_at=party.queued_at if keeps_place else place,
        queued_for=wanted,
        min_party=min_party,
    )


def accept(party: Party) -> Party:
    """The party after its guest took the offered seats."""
    return structs.replace(party, held=party.held + party.offered, offered=0)


def lapse(party: Party) -> Party:
    """The party after its offer lapsed: it leaves the queue, and keeps what it holds."""
    return structs.replace(party, offered=0, queued_at=None, queued_for=0)


def walk(free: int, order: Order, queue: Iterable[Party], *, mode: Mode = "seat", present: int | None = None) -> Iterator[Grant]:
    """Give the free seats to the queue, which is in the order of `queued_at`. A party that does not fit is passed over, and keeps its
    place; in strict order the walk ends there.

    present: the party whose guest asks right now. It is seated at once, where others are offered seats or cannot be notified any more.
    """
    for party in queue:
        if free <= 0:
            return
        is_present = party.id == present
        if not party.is_waiting or party.offered or (mode == "closed" and not is_present):
            continue
        seats = fitting_seats(party, free)
        if seats:
            yield Grant(party, seats, free, is_offer=mode == "offer" and not is_present)
            free -= seats
        elif order == "strict":
            return


def fitting_seats(party: Party, free: int) -> int:
    """How many of the free seats the party takes. It is split only if its guest said how small it may be."""
    missing = party.wanted - party.held
    if missing <= free:
        return missing
    return free if smallest_gain(party) <= free else 0


def smallest_gain(party: Party) -> int:
    """The fewest seats of use to the party."""
    missing = party.wanted - party.held
    return missing if party.min_party is None else min(missing, max(1, party.min_party - party.held))


def offer_end(now: int, hours: int, start_at: int, zone: str) -> int:
    """The end of an offer that is made now: after some hours, not at night, and at least an hour before the start."""
    return min(_after_night(now + hours * HOUR, zone), start_at - LAST_HOUR)


def _after_night(instant: int, zone: str) -> int:
    local = datetimes.to_local(instant, zone)
    if NIGHT_ENDS <= local.hour < NIGHT_BEGINS:
        return instant
    day = local.date() + timedelta(days=1 if local.hour >= NIGHT_BEGINS else 0)
    return datetimes.to_instant(datetime(day.year, day.month, day.day, NIGHT_ENDS), zone)
