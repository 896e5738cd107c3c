"""COPY and MOVE of resources within a calendar and between the calendars of a home."""

from kalends.core import errors
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.dav.calendars import calendar_object, text, write
from kalends.dav.calendars.calendar_object import CalendarObject
from kalends.dav.calendars.file_store import save_file
from kalends.dav.calendars.resources import Resource
from kalends.dav.call import Call, DavReply, destination, find_calendar, find_calendar_at
from kalends.dav.paths import Target
from kalends.dav.scheduling import guest_copy
from kalends.dav.xml import DavError
from kalends.features.calendars import client_file_store as write_store
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.policy import Right


def copy_resource(call: Call) -> DavReply:
    return _transfer(call, is_move=False)


def move_resource(call: Call) -> DavReply:
    return _transfer(call, is_move=True)


def _transfer(call: Call, *, is_move: bool) -> DavReply:
    ctx, target = call.ctx, destination(call)
    source = find_calendar(call, to=Right.EDIT if is_move else Right.SEE)
    calendar = _find_other(call, target)
    resource = write.find_locked(ctx, source, call.target.name)
    if resource is None:
        raise DavError(404, "There is no such resource in the calendar.")
    ctx.require_version(resource.etag.strip('"'))
    replaced = write.find_locked(ctx, calendar, target.name)
    if (source.id, call.target.name) == (calendar.id, target.name):
        raise DavError(403, "The resource is there already.")
    if replaced and call.headers.get("overwrite", "T").strip().upper() == "F":
        raise errors.Stale("There is a resource at the destination already.")
    file = calendar_object.read(write.uid_of(ctx, source, resource), resource.component, text.read(ctx, source, resource))
    write.require_component(ctx, calendar, file)
    if replaced:
        write.remove(ctx, calendar, replaced)
    saved = _move(ctx, source, resource, calendar, target, file) if is_move else _copy(ctx, calendar, target, file)
    return DavReply(204 if replaced else 201, headers={"ETag": saved.etag})


def _find_other(call: Call, target: Target) -> Calendar:
    try:
        return find_calendar_at(call.ctx, target, Right.EDIT)
    except errors.NotFound:
        raise DavError(409, "There is no calendar at the Destination.") from None


def _copy(ctx: Context, calendar: Calendar, target: Target, file: CalendarObject) -> Resource:
    write.require_free(ctx, calendar, target, None, file.uid)
    return write.save(ctx, calendar, target.name, None, file, calendar_object.plan(ctx, file, calendar.time_zone))


def _move(ctx: Context, source: Calendar, resource: Resource, calendar: Calendar, target: Target, file: CalendarObject) -> Resource:
    """Move the resource. Its events stay what they are, with their guests and responses, if the calendar can be their home."""
    if source.id == calendar.id:
        write.require_name(ctx, target.name)
        if resource.row is None:
            # Followers learn that the name of old is gone.
            row_id = write_store.upsert_row(ctx, source, resource.name, file.uid, file.component, b"", has_events=False)
            write_store.delete_file(ctx, row_id)
        elif not resource.row.has_events:
            write_store.delete_file(ctx, resource.row.id)
        return save_file(ctx, calendar, target.name, file, resource.event_ids, resource.series_ids)
    write.require_free(ctx, calendar, target, None, file.uid)
    events = text.load_events(ctx, source, [resource])[resource.name]
    is_guest = guest_copy.find_invitation(ctx, source, resource) is not None
    if not events or not (is_guest or _can_be_home(events, source, calendar)):
        write.remove(ctx, source, resource)
        return _copy(ctx, calendar, target, file)
    ids = [event.id for event in events]
    if is_guest:
        placements.copy_invited(ctx, ids, source.id, calendar.id)
    for event_id in [] if is_guest else ids:
        placements.insert(ctx, event_id, calendar.id, grants=True)
    placements.remove(ctx, source.id, ids)
    if not is_guest:
        write.restrict(ctx, calendar, file, list(resource.event_ids), list(resource.series_ids))
    return save_file(ctx, calendar, target.name, file, resource.event_ids, resource.series_ids)


def _can_be_home(events: list[Event], source: Calendar, calendar: Calendar) -> bool:
    return all(event.calendar_id == source.id and event.owner_id == calendar.owner_id for event in events)
