"""What the page of an event says about its spots and about responding."""

from msgspec import Struct

from kalends.core.i18n import gettext, ngettext
from kalends.core.records.event import EventWithCounts
from kalends.features.events import present
from kalends.http.context import Context

FULL = gettext("This event is full.")
FULL_WITH_LIST = gettext("This event is full. Choose Going to join the waiting list.")


class Room(Struct, frozen=True):
    """closed: why nobody can respond; notice: how many spots there are; free: their number where everyone may know it, else 0."""

    closed: str = ""
    notice: str = ""
    has_waiting_list: bool = False
    is_full: bool = False
    free: int = 0


def describe(ctx: Context, event: EventWithCounts) -> Room:
    settings = event.settings
    if not settings.responses_open:
        return Room(closed=gettext("The organiser has closed RSVPs for this event."))
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        return Room(closed=gettext("The RSVP deadline for this event has passed."))
    places = present.count_places(event)
    if places is None:
        return Room(notice=gettext("The organiser approves each RSVP.") if settings.approval else "")
    has_waiting_list = settings.waiting_list != "off"
    if places.free:
        is_counted = settings.show_counts or event.can_edit
        notice = ngettext("1 spot left.", "%(num)s spots left.", places.free) if is_counted else ""
        return Room(notice=notice, has_waiting_list=has_waiting_list, free=places.free if is_counted else 0)
    if not has_waiting_list:
        return Room(notice=FULL)
    return Room(notice=FULL_WITH_LIST, has_waiting_list=True, is_full=True)
