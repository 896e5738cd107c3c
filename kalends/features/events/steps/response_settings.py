"""Change the settings for responses of an event, with what follows for its seats and answers."""

from msgspec import structs

from kalends.core.records.event import Event
from kalends.core.records.response_settings import DEFAULTS, ResponseSettings
from kalends.features.events import response_settings_store as store
from kalends.features.events.input_model import EventFields
from kalends.features.questions.steps import response_answers
from kalends.features.responses import seat_store
from kalends.features.responses.steps import seats
from kalends.http.context import Context


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
