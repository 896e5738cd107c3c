"""What the page of an event says about its places and about responding."""

from msgspec import Struct

from kalends.context import Context
from kalends.events import present
from kalends.records.event import EventWithCounts
from kalends.web.labels import plural

FULL = "This event is full."


class Room(Struct, frozen=True):
    """closed: why nobody can respond; notice: how many places there are; button: what a YES does."""

    closed: str = ""
    notice: str = ""
    button: str = "Respond"
    has_waiting_list: bool = False


def describe(ctx: Context, event: EventWithCounts) -> Room:
    settings = event.settings
    if not settings.responses_open:
        return Room(closed="The organiser has closed the responses to this event.")
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        return Room(closed="The time to respond to this event is over.")
    places = present.count_places(event)
    if places is None:
        return Room(notice="The organiser accepts each response." if settings.approval else "")
    has_waiting_list = settings.waiting_list != "off"
    if places.free:
        is_counted = settings.show_counts or event.can_edit
        return Room(notice=f"{plural(places.free, 'place')} left." if is_counted else "", has_waiting_list=has_waiting_list)
    if not has_waiting_list:
        return Room(notice=FULL)
    return Room(notice=f"{FULL} Say yes to join the waiting list.", button="Join the waiting list", has_waiting_list=True)
