"""What the page of an event says about its places and about responding."""

from msgspec import Struct

from kalends.context import Context
from kalends.events import present
from kalends.i18n import gettext, ngettext
from kalends.records.event import EventWithCounts

FULL = gettext("This event is full.")
FULL_WITH_LIST = gettext("This event is full. Say yes to join the waiting list.")


class Room(Struct, frozen=True):
    """closed: why nobody can respond; notice: how many places there are; button: what a YES does."""

    closed: str = ""
    notice: str = ""
    button: str = gettext("Respond")
    has_waiting_list: bool = False


def describe(ctx: Context, event: EventWithCounts) -> Room:
    settings = event.settings
    if not settings.responses_open:
        return Room(closed=gettext("The organiser has closed the responses to this event."))
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        return Room(closed=gettext("The time to respond to this event is over."))
    places = present.count_places(event)
    if places is None:
        return Room(notice=gettext("The organiser accepts each response.") if settings.approval else "")
    has_waiting_list = settings.waiting_list != "off"
    if places.free:
        is_counted = settings.show_counts or event.can_edit
        return Room(
            notice=ngettext("1 place left.", "%(num)s places left.", places.free) if is_counted else "", has_waiting_list=has_waiting_list
        )
    if not has_waiting_list:
        return Room(notice=FULL)
    return Room(notice=FULL_WITH_LIST, button=gettext("Join the waiting list"), has_waiting_list=True)
