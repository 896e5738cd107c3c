"""The seats of an event with a capacity: what a response asks for, and why it does not get it. Pure functions."""

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.records.response import Response
from kalends.features.responses.rules.waiting_list import LAST_HOUR, Mode, Order, Party


class Capacity(Struct, frozen=True):
    """The capacity of an event, the seats that are taken, and how the others are given."""

    event_id: int
    status: str
    start_at: int
    time_zone: str
    seats: int
    waiting_list: str
    waiting_order: Order
    offer_hours: int
    show_counts: bool
    taken: int
    waiting: int
    last_queued_at: int

    @property
    def free(self) -> int:
        return self.seats - self.taken

    def mode(self, now: int) -> Mode:
        """How waiting parties get seats now. In the last hour before the start, nobody can be asked any more."""
        if self.waiting_list == "offer":
            return "offer" if now < self.start_at - LAST_HOUR else "closed"
        return "seat" if now < self.start_at else "closed"


def wanted_seats(response: Response) -> int:
    """The seats that it may have: none until it is confirmed, and no more than it has until an editor accepts it."""
    if response.confirm_until == 0:
        return 0
    return min(response.people, response.held) if response.is_pending else response.people


def fewest(people: int, min_party: int | None) -> int:
    """The fewest people who would come."""
    return people if min_party is None else min(people, min_party)


def party_of(response: Response) -> Party:
    """The party of a stored response."""
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


def with_party(response: Response, party: Party) -> Response:
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


def require_few(number: int, limit: int) -> None:
    """Raise Invalid if the people are more than one response may bring on a page."""
    if number > limit:
        raise errors.invalid("number", gettext("must be at most %(max)s. For a larger group, contact the organiser", max=limit))


def require_capacity(capacity: Capacity, people: int) -> None:
    """Raise PartyTooLarge if the people are more than all seats."""
    if people > capacity.seats:
        if capacity.show_counts:
            raise errors.PartyTooLarge(_describe_room(capacity.seats))
        raise errors.PartyTooLarge(gettext("This event doesn’t have room for a group this large. Reduce your group."))


def _describe_room(capacity: int) -> Text:
    return ngettext(
        "This event has room for 1 person. Reduce your group.", "This event has room for %(num)s people. Reduce your group.", capacity
    )


def full(capacity: Capacity) -> errors.Full:
    """The error that says how many seats are left, if counts are shown."""
    if capacity.free <= 0:
        return errors.Full(gettext("This event is full."))
    if not capacity.show_counts:
        return errors.Full(gettext("There aren’t enough spots left for your group. Reduce your group, or ask the organiser."))
    return errors.Full(
        ngettext(
            "Only 1 spot is left. Reduce your group, or ask the organiser.",
            "Only %(num)s spots are left. Reduce your group, or ask the organiser.",
            capacity.free,
        )
    )
