"""Change the settings for responses of an event, with what follows for its seats and answers; and say what room it has."""

from msgspec import Struct, structs

from kalends.core.i18n import gettext, ngettext
from kalends.core.records.event import Event, EventWithCounts
from kalends.core.records.response_settings import DEFAULTS, ResponseSettings
from kalends.features.events import present
from kalends.features.events import response_settings_store as store
from kalends.features.events.input_model import EventFields
from kalends.features.questions.steps import response_answers
from kalends.features.responses import seat_store
from kalends.features.responses.steps import seats
from kalends.http.context import Context

FULL = gettext("This event is full.")


def save(ctx: Context, event: Event, fields: EventFields) -> None:
    """Store the settings of an event that is locked, and give free seats to those who wait.

    Who has said YES before there was a capacity has a place, even beyond it. Without a capacity, everybody has one.
    """
    apply(ctx, event, store.read(fields, fields.time_zone or event.time_zone))
    if event.settings_text or fields.capacity:
        seats.assign_free_seats(ctx, event.id)


def apply(ctx: Context, event: Event, settings: ResponseSettings) -> None:
    """Replace the settings of an event that is locked."""
    old = event.settings
    if settings == old:
        return
    # Without a row, no trigger counts the seats of each response: 50,000 changes of one row in one transaction would take minutes.
    if settings == DEFAULTS:
        store.delete(ctx, event.id)
    released = seats.release_all(ctx, event) if old.capacity is not None and settings.capacity is None else []
    if old.capacity is None and settings.capacity is not None:
        if old != DEFAULTS:
            store.upsert(ctx, event.id, structs.replace(settings, capacity=None))
        seat_store.hold_all(ctx, event.id)
    if settings != DEFAULTS:
        store.upsert(ctx, event.id, settings)
    response_answers.drop_full_options(ctx, event.id, released)
    if old.approval != settings.approval:
        (seat_store.accept_present if settings.approval else seats.accept_all)(ctx, event)


class Room(Struct, frozen=True):
    """closed: why nobody can respond; notice: how many spots there are; free: how many the reader can have, 0 if only editors may know."""

    closed: str = ""
    notice: str = ""
    has_waiting_list: bool = False
    is_full: bool = False
    free: int = 0


def describe_room(ctx: Context, event: EventWithCounts, own: int = 0) -> Room:
    """own: how many spots the reader holds, who may keep them and change the number."""
    settings = event.settings
    if not settings.responses_open:
        return Room(closed=gettext("The organiser has closed RSVPs for this event."))
    if settings.responses_until is not None and ctx.now >= settings.responses_until:
        return Room(closed=gettext("The RSVP deadline for this event has passed."))
    places = present.count_places(event)
    if places is None:
        return Room(notice=gettext("The organiser approves each RSVP.") if settings.approval else "")
    has_waiting_list = settings.waiting_list != "off"
    is_counted = settings.show_counts or event.can_edit
    notice = ngettext("1 spot left.", "%(num)s spots left.", places.free) if is_counted else ""
    return Room(
        notice=notice if places.free else FULL,
        has_waiting_list=has_waiting_list,
        is_full=has_waiting_list and not places.free and not own,
        free=own + places.free if is_counted else 0,
    )
