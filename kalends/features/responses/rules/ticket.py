"""What the ticket of a guest says in words: whether they go, and what they hold of an event with a capacity. Pure functions."""

from typing import Literal

from msgspec import Struct

from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.records.response import Attendance
from kalends.features.responses.model import PlaceState, SeatPlace


class TicketPlace(Struct, frozen=True, array_like=True):
    """What a guest holds; in_mail: what only the mail says. free: the spots that are left; None where nobody is told. until: when the
    spots are lost without a confirmation, or an offer ends."""

    state: PlaceState | Literal["none", "in_mail"] = "none"
    seats: int = 0
    ahead: int = 0
    free: int | None = None
    until: str | None = None


class Ticket(Struct, frozen=True):
    """The words of a ticket, and which of its colours it has: yes, wait or no. until: a time that follows the words.
    offered: the spots that are reserved until then."""

    title: Text
    line: Text | None
    kind: str
    until: str | None = None
    offered: int = 0


ON_LIST = gettext("You’re on the waiting list")
GOING = gettext("You’re going")
ALMOST = gettext("Almost done")


def place_of(place: SeatPlace | None) -> TicketPlace:
    """What the stored response holds."""
    if place is None:
        return TicketPlace()
    seats = place.offered if place.place == "offered" else place.held
    until = place.offer_until or place.confirm_until
    return TicketPlace(place.place, seats, place.ahead.parties if place.ahead else 0, until=until)


def describe(response: Attendance, people: int, place: TicketPlace | None, organiser: str, *, is_series: bool = False) -> Ticket:
    """The words for what was responded; place: None if only the mail says what the guest holds. is_series: to all dates of a series."""
    if response == "NO":
        return Ticket(gettext("You can’t go"), gettext("%(name)s knows now. Thank you.", name=organiser), "no")
    if response == "MAYBE":
        return Ticket(gettext("You might go"), gettext("%(name)s knows now. Thank you.", name=organiser), "wait")
    if place is None or place.state == "in_mail":
        line, until = gettext("The email we sent you says which spots you have."), place.until if place else None
        return Ticket(ALMOST if until else gettext("Your RSVP: Going"), line, "wait", until)
    if is_series and place.state == "none":
        return Ticket(gettext("You’re going to all dates"), gettext("%(name)s knows. See you there.", name=organiser), "yes")
    if place.state in ("none", "pending", "unconfirmed", "lapsed"):
        return _without_seats(place, organiser)
    if place.state in ("held", "partly"):
        return _with_seats(people, place)
    if place.state == "offered":
        return Ticket(gettext("A spot is free for you"), None, "wait", place.until, place.seats)
    return Ticket(ON_LIST, _describe_queue(people, place), "wait", place.until)


def _without_seats(place: TicketPlace, organiser: str) -> Ticket:
    if place.state == "pending":
        return Ticket(gettext("Your RSVP: Going"), gettext("The organiser hasn’t approved your RSVP yet."), "wait")
    if place.state == "unconfirmed":
        return Ticket(ALMOST, gettext("Open the link in the email we’ve just sent you and press “Confirm my RSVP”."), "wait")
    if place.state == "lapsed":
        line = gettext("Your reserved spot has expired. To rejoin the waiting list at the end, choose Going again.")
        return Ticket(gettext("You have no spot"), line, "wait")
    return Ticket(GOING, gettext("%(name)s knows. See you there.", name=organiser), "yes")


def _with_seats(people: int, place: TicketPlace) -> Ticket:
    if place.state == "partly":
        line = ngettext(
            "You have %(held)s of 1 spot and are waiting for the rest.",
            "You have %(held)s of %(num)s spots and are waiting for the rest.",
            people,
            held=place.seats,
        )
        return Ticket(ON_LIST, line, "wait", place.until)
    if place.until:
        return Ticket(ALMOST, ngettext("1 spot is held for you.", "%(num)s spots are held for you.", place.seats), "wait", place.until)
    return Ticket(GOING, ngettext("1 spot is yours.", "%(num)s spots are yours.", place.seats), "yes")


def _describe_queue(people: int, place: TicketPlace) -> Text:
    if not place.ahead:
        return ngettext("First in line, for 1 spot.", "First in line, for %(num)s spots.", people)
    position = place.ahead + 1
    return ngettext(
        "Number %(position)s in line, for 1 spot.", "Number %(position)s in line, for %(num)s spots.", people, position=position
    )


def mask(email_address: str) -> str:
    """`g•••@example.org`."""
    local, at, host = email_address.rpartition("@")
    return f"{local[:1]}•••{at}{host}" if at else ""
