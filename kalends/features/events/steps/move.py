"""Move events to another home calendar."""

from collections import defaultdict

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.events import uid_store as by_uid
from kalends.features.events.input_model import EventChanges
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.http.input.fields import Changes
from kalends.policy import Right


def find_target(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> Calendar | None:
    """The calendar to which the changes move the events; None if they stay. The actor may edit it and the home of each event.

    The dates of a series are on one calendar, since devices hold them in one file."""
    calendar_id = changes.get("calendar_id")
    moved = [event for event in events if event.calendar_id != calendar_id]
    if calendar_id is None or not moved:
        return None
    with errors.naming("calendar_id"):
        target = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    if changes.get("scope", "this") == "this" and any(event.series_id is not None for event in moved):
        message = gettext("moves the dates of a series together. Choose all dates, or this and later dates")
        raise errors.invalid("calendar_id", message, "conflict")
    policy.require_own_content(ctx, moved)
    for event in moved:
        policy.require_move(ctx, event, target)
    by_uid.lock(ctx, target.id)
    return target


def move(ctx: Context, events: list[Event], target: Calendar) -> None:
    """Move the events to the calendar. Their guests, links and other calendars stay."""
    homes: dict[int, list[int]] = defaultdict(list)
    for event in events:
        homes[event.calendar_id].append(event.id)
    for home_id, ids in homes.items():
        if home_id != target.id:
            placements.move(ctx, ids, home_id, target.id)
