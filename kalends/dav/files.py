"""GET: the file of a resource, or all of a calendar."""

from kalends.dav import resources, text
from kalends.dav.call import CALENDAR_TYPE, Call, DavReply, find_calendar
from kalends.dav.errors import DavError
from kalends.events import feed
from kalends.values import timestamps


def get_resource(call: Call) -> DavReply:
    calendar = find_calendar(call)
    resource = resources.find(call.ctx, calendar, call.target.name)
    if resource is None:
        raise DavError(404, "There is no such resource in the calendar.")
    headers = {"ETag": resource.etag, "Last-Modified": timestamps.format_http_date(resource.updated_at)}
    if call.ctx.caller.has_version(resource.etag):
        return DavReply(304, content_type="", headers=headers)
    content = text.read(call.ctx, calendar, resource)
    if tag := resource.schedule_tag(content):
        headers["Schedule-Tag"] = tag
    return DavReply(200, content, CALENDAR_TYPE, headers)


def get_calendar(call: Call) -> DavReply:
    """All events as one file, as the feed has them."""
    return DavReply(200, feed.build_for_calendar(call.ctx, find_calendar(call)), CALENDAR_TYPE)
