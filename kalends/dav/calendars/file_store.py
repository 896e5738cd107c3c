"""Keeping the file of a resource, with what the service itself writes of its events."""

import zlib
from collections.abc import Sequence

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.dav.calendars import resources, store, text, within_days
from kalends.dav.calendars.calendar_object import CalendarObject
from kalends.dav.calendars.resources import Resource
from kalends.features.calendars import client_file_store as write_store
from kalends.http.context import Context
from kalends.policy import quotas


def save_file(
    ctx: Context,
    calendar: Calendar,
    name: str,
    file: CalendarObject,
    event_ids: Sequence[int],
    series_ids: Sequence[int],
    *,
    by_guest: bool = False,
    has_quota: bool = True,
) -> Resource:
    """Keep the file of these events and series under its name.

    by_guest: the guest of an event wrote it, which leaves its Schedule-Tag alone.
    has_quota: it is a part of the quota of the calendar's owner."""
    original, has_events = zlib.compress(file.content, 1), bool(event_ids or series_ids)
    if has_quota:
        quotas.reserve(ctx, calendar.owner_id, "events", 0, len(original))
    within_day = has_events and within_days.is_within_day(file.content)
    row_id = write_store.upsert_row(
        ctx, calendar, name, file.uid, file.component, original, has_events=has_events, within_day=within_day, by_guest=by_guest
    )
    write_store.update_parts(ctx, calendar, row_id, event_ids, series_ids)
    return save_base(ctx, calendar, row_id)


def save_base(ctx: Context, calendar: Calendar, row_id: int) -> Resource:
    """Keep what the service writes of the events as they are now: what changes from here on is put into the file."""
    [saved] = resources.find_by_rows(ctx, calendar, store.find_rows(ctx, [row_id]))
    base = text.build_all(ctx, calendar, [saved])[saved.name] if saved.event_ids or saved.series_ids else b""
    write_store.update_base(ctx, row_id, zlib.compress(base, 1), saved.state)
    return resources.with_current_state(saved)


def save_proposal(
    ctx: Context, calendar: Calendar, name: str, file: CalendarObject, events: Sequence[Event], series_ids: Sequence[int]
) -> None:
    """Keep the file of events that are not on the calendar yet: it is served once they are."""
    original, event_ids = zlib.compress(file.content, 1), [] if series_ids else [event.id for event in events]
    row_id = write_store.upsert_row(ctx, calendar, name, file.uid, file.component, original, has_events=True)
    write_store.update_parts(ctx, calendar, row_id, event_ids, series_ids)
    base = text.build(ctx, list(events), list(series_ids))
    write_store.update_base(ctx, row_id, zlib.compress(base, 1), "")
