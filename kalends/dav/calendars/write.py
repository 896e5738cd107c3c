"""PUT and DELETE of a resource in a calendar."""

import zlib

from kalends.core import errors
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.dav import paths
from kalends.dav.calendars import calendar_object, calendar_store, privacy, resources, store, text
from kalends.dav.calendars.calendar_object import CalendarObject
from kalends.dav.calendars.file_store import save_base, save_file
from kalends.dav.calendars.resources import DERIVED_NAME, Resource
from kalends.dav.call import Call, DavReply, find_calendar
from kalends.dav.listing import Listed
from kalends.dav.paths import Target
from kalends.dav.scheduling import guest_copy, guests
from kalends.dav.xml import CALDAV, DavError, href
from kalends.features.calendars import client_file_store as write_store
from kalends.features.events import store as event_store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.feeds.steps import ical
from kalends.features.events.imports import store as import_store
from kalends.features.events.imports.steps.apply import Publishes
from kalends.features.events.imports.steps.file import import_resource
from kalends.features.events.imports.steps.plan import Plan
from kalends.features.events.placements import store as placements
from kalends.features.events.series.steps import scope
from kalends.features.events.steps.notify import notify_of_deletion
from kalends.http.context import Context
from kalends.ical import merge, participants
from kalends.policy import Right
from kalends.policy import calendar as get_calendar


def put_resource(call: Call) -> DavReply:
    """Create the resource, or replace it. It is served byte for byte as it was sent, until someone changes it here."""
    with call.ctx.read():
        calendar = find_calendar(call, to=Right.EDIT)
    # Outside of the write transaction, because it may take a while and others want to write.
    file = calendar_object.parse(call.body, call.headers.get("content-type", ""))
    plan = calendar_object.plan(call.ctx, file, calendar.time_zone)
    with call.ctx.write():
        calendar = find_calendar(call, to=Right.EDIT)
        require_component(call.ctx, calendar, file)
        current = find_locked(call.ctx, calendar, call.target.name)
        require_match(call, current)
        _require_schedule_tag(call, calendar, current)
        own = current or guest_copy.find_by_uid(call.ctx, calendar, file.uid) if b"ATTENDEE" in file.content else None
        invitation = guest_copy.find_invitation(call.ctx, calendar, own) if own else None
        if own and invitation:
            saved = _save_reply(call, calendar, own, invitation, file, plan)
        else:
            require_free(call.ctx, calendar, call.target, current, file.uid)
            saved = _save_with_guests(call, calendar, current, file, plan)
        return DavReply(204 if current else 201, headers=_headers(call, calendar, saved, file))


def _save_reply(
    call: Call, calendar: Calendar, current: Resource, invitation: Invitation, file: CalendarObject, plan: Plan | None
) -> Resource:
    if uid_of(call.ctx, calendar, current) != file.uid:
        raise _conflict(call.target, current.name, "The resource has another UID, which cannot change.")
    guest_copy.record_reply(call.ctx, calendar, current, invitation, file, plan)
    return save_file(call.ctx, calendar, call.target.name, file, current.event_ids, current.series_ids, by_guest=True)


def _save_with_guests(call: Call, calendar: Calendar, current: Resource | None, file: CalendarObject, plan: Plan | None) -> Resource:
    """Write the file and its events, and invite the guests that the actor has added as the organiser."""
    ctx = call.ctx
    before = text.read(ctx, calendar, current) if current and current.row else b""
    saved = save(ctx, calendar, call.target.name, current, file, plan)
    statuses = guests.update(ctx, calendar, before, file, saved)
    if statuses is None:
        return saved
    assert saved.row
    content = participants.set_delivery(file.content, statuses)
    if content != file.content:
        write_store.update_original(ctx, saved.row.id, zlib.compress(content, 1))
    # The events have changed by being on other calendars now.
    return save_base(ctx, calendar, saved.row.id)


def _headers(call: Call, calendar: Calendar, saved: Resource, file: CalendarObject) -> dict[str, str]:
    """The tags of what was written. A file that differs from what the client sent has no ETag there: it says what became of invitations,
    and what guests have replied, or it was not in UTF-8."""
    content = text.read(call.ctx, calendar, saved) if b"ATTENDEE" in file.content else file.content
    tag = saved.schedule_tag(content)
    return ({"ETag": saved.etag} if content == call.body else {}) | ({"Schedule-Tag": tag} if tag else {})


def delete_resource(call: Call) -> DavReply:
    calendar = find_calendar(call, to=Right.EDIT)
    current = find_locked(call.ctx, calendar, call.target.name)
    if current is None:
        raise DavError(404, "There is no such resource in the calendar.")
    require_match(call, current)
    _require_schedule_tag(call, calendar, current)
    invitation = guest_copy.find_invitation(call.ctx, calendar, current)
    if invitation and call.headers.get("schedule-reply", "T").strip().upper() != "F":
        guest_copy.decline(call.ctx, invitation)
    remove(call.ctx, calendar, current)
    return DavReply(204)


def find_locked(ctx: Context, calendar: Calendar, name: str) -> Resource | None:
    """The resource; nobody else changes it, or takes a UID on the calendar, until the transaction ends."""
    by_uid.lock(ctx, calendar.id)
    resource = resources.find(ctx, calendar, name)
    if resource is None or not (resource.event_ids or resource.series_ids):
        return resource
    event_store.lock(ctx, [*resource.event_ids, *import_store.find_event_ids_of_series(ctx, list(resource.series_ids))])
    return resources.find(ctx, calendar, name)


def require_match(call: Call, current: Listed | None) -> None:
    """Raise Stale if the client means another version of the resource (If-Match), or that there is none (If-None-Match: *)."""
    call.ctx.require_existence(current is not None)
    if current:
        call.ctx.require_version(current.etag.strip('"'))


def _require_schedule_tag(call: Call, calendar: Calendar, current: Resource | None) -> None:
    """Raise Stale if the organiser has changed the resource since the client read it (If-Schedule-Tag-Match)."""
    tag = call.headers.get("if-schedule-tag-match", "").strip()
    if tag and (current is None or current.schedule_tag(text.read(call.ctx, calendar, current)) != tag):
        raise errors.Stale("The organiser changed it since you read it. Read it again, then send your change with the new Schedule-Tag.")


def require_component(ctx: Context, calendar: Calendar, file: CalendarObject) -> None:
    """Raise an error if the calendar was made for other components."""
    components = calendar_store.find_components(ctx, calendar)
    if components and file.component not in components.split(","):
        raise DavError(403, f"This calendar takes {components} alone.", f"{{{CALDAV}}}supported-calendar-component")


def save(ctx: Context, calendar: Calendar, name: str, current: Resource | None, file: CalendarObject, plan: Plan | None) -> Resource:
    """Write the file, and the events that it becomes; returns the resource."""
    events = text.load_events(ctx, calendar, [current])[current.name] if current else []
    event_ids, series_ids = _save_events(ctx, calendar, events, file, plan, _find_published(ctx, calendar, current, file, events))
    if plan is None and current and events:
        remove(ctx, calendar, current)
    return save_file(ctx, calendar, name, file, event_ids, series_ids)


def _find_published(ctx: Context, calendar: Calendar, current: Resource | None, file: CalendarObject, events: list[Event]) -> Publishes:
    """Which of the dates the client makes public."""
    if current is None or all(event.public for event in events):
        return lambda slot: False
    before = merge.read_events(text.read(ctx, calendar, current))
    return privacy.find_published(before, file.events, is_explicit=current.row is None)


def _save_events(
    ctx: Context, calendar: Calendar, events: list[Event], file: CalendarObject, plan: Plan | None, publishes: Publishes
) -> tuple[list[int], list[int]]:
    """Write what the plan has instead of these events; returns the ids of single events and of series."""
    if plan is None:
        return [], []
    homes = {event.calendar_id for event in events} or {calendar.id}
    if len(homes) > 1:
        raise errors.Forbidden("Its dates have several home calendars. Change them there.")
    home_id = homes.pop()
    home = calendar if home_id == calendar.id else get_calendar(ctx, home_id, to=Right.EDIT)
    among = {uid for event in events for uid in (event.uid, event.sent_uid) if uid}
    owner_id = guests.find_owner(ctx, home, file)
    event_ids, series_ids = import_resource(ctx, home, plan, among, publishes, owner_id, calendar.device_notify)
    series_of = store.find_series_of(ctx, event_ids)
    ids = [event_id for event_id in event_ids if event_id not in series_of], sorted({*series_ids, *series_of.values()})
    restrict(ctx, home, file, *ids)
    return ids


def restrict(ctx: Context, home: Calendar, file: CalendarObject, event_ids: list[int], series_ids: list[int]) -> None:
    """Let all members of their home calendar see the events of the file, or its owner and editors alone, as their CLASS says."""
    is_restricted = privacy.find_restricted(file.events, home)
    dates = placements.find_at_home(ctx, event_ids, series_ids, only_restricted=is_restricted is None)
    wanted = {event_id: is_restricted is None or not is_restricted(slot) for event_id, slot, _ in dates}
    for grants in (False, True):
        placements.set_grants_at_home(ctx, [each for each, _, current in dates if wanted[each] == grants != bool(current)], grants=grants)


def require_free(ctx: Context, calendar: Calendar, target: Target, current: Resource | None, uid: str) -> None:
    """Raise an error if another resource of the calendar has the UID, this one has another, or the name is this service's."""
    if current and uid_of(ctx, calendar, current) != uid:
        raise _conflict(target, current.name, "The resource has another UID, which cannot change.")
    others = resources.find_by_rows(ctx, calendar, store.find_rows_by_uid(ctx, calendar, uid))
    if (event_id := by_uid.find(ctx, calendar.id, uid)) is not None:
        series_of = store.find_series_of(ctx, [event_id])
        others += resources.find_by_ids(ctx, calendar, [] if series_of else [event_id], series_of.values())
    for other in others:
        if other.name != target.name:
            raise _conflict(target, other.name, "The calendar has this UID under another name.")
    if current is None:
        require_name(ctx, target.name)


def require_name(ctx: Context, name: str) -> None:
    """Raise an error for a name that an event will get here later."""
    match = DERIVED_NAME.fullmatch(name)
    if match and not write_store.has_existed(ctx, match[1], int(match[2])):
        raise DavError(403, "Names such as event-12.ics are given by this service. Choose another one.")


def uid_of(ctx: Context, calendar: Calendar, resource: Resource) -> str:
    if resource.row:
        return resource.row.uid
    event = text.load_events(ctx, calendar, [resource])[resource.name][0]
    return event.sent_uid or ical.series_uid(event, ctx.settings)


def _conflict(target: Target, name: str, detail: str) -> DavError:
    path = f"{paths.calendar(target.user_id, target.slug)}{paths.quote_name(name)}"
    return DavError(409, detail, f"{{{CALDAV}}}no-uid-conflict", href(path))


def remove(ctx: Context, calendar: Calendar, resource: Resource) -> None:
    """Remove the resource, which the actor may edit the calendar for, with all its events."""
    if resource.row and not resource.row.has_events:
        write_store.delete_file(ctx, resource.row.id)
        return
    events = text.load_events(ctx, calendar, [resource])[resource.name]
    ids = [event.id for event in events]
    homeless = placements.find_homeless(ctx, calendar.id, ids)
    deleted = [event for event in events if event.id in homeless]
    notify_of_deletion(ctx, deleted, "all", calendar.device_notify, None)
    placements.remove(ctx, calendar.id, ids)
    scope.update_rules_after_delete(ctx, deleted, "all")
