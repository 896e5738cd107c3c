"""The calendar in the form of an event: where a new one is created, and where an existing one can move."""

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.http.input.form import Form

FIELD = "calendar_id"


def find_calendars(ctx: Context, event: Event | None) -> list[Calendar]:
    """The calendars to choose from; none if the event stays where it is.

    A date of a series stays with the others. If the owner has the event on several calendars, the event's own page adds and removes it.
    """
    calendars = [calendar for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)]
    if event is None:
        return calendars
    if event.series_id is not None or placements.find_next_home(ctx, event) is not None:
        return []
    homes = [calendar for calendar in calendars if calendar.owner_id == event.owner_id]
    return homes if len(homes) > 1 and event.calendar_id in {calendar.id for calendar in homes} else []


def find_move(ctx: Context, event: Event, form: Form) -> int | None:
    """The calendar to which the form moves the event; None if it stays."""
    ids = [
        calendar.id for calendar in find_calendars(ctx, event) if str(calendar.id) == form.text(FIELD) and calendar.id != event.calendar_id
    ]
    return ids[0] if ids else None
