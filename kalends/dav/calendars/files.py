"""GET: the file of a resource, or all of a calendar."""

from kalends.core.values import timestamps
from kalends.dav.calendars import resources, text
from kalends.dav.calendars.resources import Resource
from kalends.dav.call import CALENDAR_TYPE, Call, DavReply, find_calendar, require_home
from kalends.dav.xml import DavError
from kalends.features.events.feeds.steps import feed


def get_resource(call: Call) -> DavReply:
    resource, content = _find_cached(call) or _find(call)
    headers = {"ETag": resource.etag, "Last-Modified": timestamps.format_http_date(resource.updated_at)}
    if call.ctx.caller.has_version(resource.etag):
        return DavReply(304, content_type="", headers=headers)
    if tag := resource.schedule_tag(content):
        headers["Schedule-Tag"] = tag
    return DavReply(200, content, CALENDAR_TYPE, headers)


def _find(call: Call) -> tuple[Resource, bytes]:
    calendar = find_calendar(call)
    resource = resources.find(call.ctx, calendar, call.target.name)
    if resource is None:
        raise DavError(404, "There is no such resource in the calendar.")
    has_it = call.ctx.caller.has_version(resource.etag)
    return resource, b"" if has_it else text.read(call.ctx, calendar, resource)


def _find_cached(call: Call) -> tuple[Resource, bytes] | None:
    """A file that is in memory takes one statement, for its ETag and the right to see it."""
    require_home(call)
    calendar_id = call.target.calendar_id
    resource = resources.find_unwritten(call.ctx, calendar_id, call.target.name) if calendar_id else None
    content = text.find_cached(call.ctx, resource) if resource else None
    return (resource, content) if resource and content else None


def get_calendar(call: Call) -> DavReply:
    """All events as one file, as the feed has them."""
    return DavReply(200, feed.build_for_calendar(call.ctx, find_calendar(call)), CALENDAR_TYPE)
