"""Calendars as clients make and delete them: MKCALENDAR, extended MKCOL and DELETE."""

from kalends import policy
from kalends.core import errors
from kalends.dav import proppatch
from kalends.dav.calendars import calendar_store
from kalends.dav.calendars.calendar_object import COMPONENTS
from kalends.dav.call import PROP, Call, DavReply, find_calendar, require_home
from kalends.dav.properties import COMPONENT_SET, RESOURCE_TYPE
from kalends.dav.xml import CALDAV, DAV, DavError
from kalends.db import UniqueViolation
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.policy import Right, quotas

MAX_NAME = 200


def make_calendar(call: Call) -> DavReply:
    """MKCALENDAR: a calendar of the actor under the name that the client chose."""
    ctx, slug = call.ctx, call.target.slug
    require_home(call)
    _require_new(call)
    components = _read_components(call)
    assignments = proppatch.Assignments()
    if call.root is not None:
        passed_over = (COMPONENT_SET, RESOURCE_TYPE)
        assignments = proppatch.read(call.root, is_owner=True, default_name=slug[:MAX_NAME], passed_over=passed_over)
    proppatch.require_accepted(assignments)
    user = policy.user(ctx)
    quotas.reserve(ctx, user.id, "calendars", 1)
    calendar_id = calendars.insert(ctx, user.id, CalendarInput(name=slug[:MAX_NAME], time_zone=user.time_zone))
    try:
        calendar_store.insert(ctx, calendar_id, user.id, slug, components)
    except UniqueViolation:
        raise _is_taken() from None
    proppatch.apply(ctx, policy.home_calendar(ctx, calendar_id, to=Right.MANAGE), assignments)
    return DavReply(201, headers={"Cache-Control": "no-cache"})


def make_collection(call: Call) -> DavReply:
    """Extended MKCOL (RFC 5689). A home has calendars and nothing else."""
    types = call.root.find(f"{{{DAV}}}set/{PROP}/{RESOURCE_TYPE}") if call.root is not None else None
    if types is None or types.find(f"{{{CALDAV}}}calendar") is None:
        raise DavError(403, "Only calendars can be made here.", f"{{{DAV}}}valid-resourcetype")
    return make_calendar(call)


def refuse_location(call: Call) -> DavReply:
    """MKCALENDAR and MKCOL where no calendar can be."""
    require_home(call)
    raise DavError(403, "A calendar can only be made in the home of its owner.", f"{{{CALDAV}}}calendar-collection-location-ok")


def delete_calendar(call: Call) -> DavReply:
    """Delete a calendar of one's own; leave one that is shared."""
    ctx = call.ctx
    with ctx.read():
        calendar = find_calendar(call)
    if calendar.role != "owner":
        with ctx.write():
            _leave(ctx, calendar.id)
        return DavReply(204)
    if calendar.is_primary:
        raise errors.Forbidden("This is your primary calendar, which can’t be deleted. Rename it, or delete its events instead.")
    placements.remove_in_batches(ctx, [calendar.id])
    with ctx.write():
        policy.calendar(ctx, calendar.id, to=Right.OWN)
        placements.remove_all(ctx, calendar.id)
        calendars.delete(ctx, calendar.id)
    return DavReply(204)


def _leave(ctx: Context, calendar_id: int) -> None:
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    calendar = policy.shared_calendar(ctx, calendar_id)
    sharing.leave(ctx, calendar_id, policy.user(ctx).id)
    if policy.can_edit(calendar):
        sharing.reset_feed(ctx, calendar_id)


def _require_new(call: Call) -> None:
    try:
        find_calendar(call)
    except errors.NotFound:
        if call.target.slug.isdigit():
            raise DavError(403, "Names of digits are given by this service. Choose another one.") from None
        return
    raise _is_taken()


def _is_taken() -> DavError:
    return DavError(405, "There is a calendar at this path already.", f"{{{DAV}}}resource-must-be-null")


def _read_components(call: Call) -> str:
    """The components that may be in the calendar, with commas; empty for all."""
    elements = [] if call.root is None else call.root.findall(f"{{{DAV}}}set/{PROP}/{COMPONENT_SET}/{{{CALDAV}}}comp")
    names = {each.get("name", "").upper() for each in elements}
    if names and not names & set(COMPONENTS):
        raise DavError(403, f"A calendar may have {', '.join(COMPONENTS)}.", f"{{{CALDAV}}}supported-calendar-component")
    return ",".join(name for name in COMPONENTS if name in names)
