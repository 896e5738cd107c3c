"""Public calendars for everyone, without a credential and read only: `/dav/public/{id}/`.

Guests get the events that they see on the pages, under names of this service and as it writes them. What clients wrote is for members:
such a file may have the addresses of guests, alarms, and private lines."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.values import timestamps
from kalends.dav import listing, paths, reports
from kalends.dav.calendars import filters, future_dates, query, resources, store, text
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.resources import Resource
from kalends.dav.call import CALENDAR_TYPE, Call, DavReply
from kalends.dav.properties import Subject
from kalends.dav.propfind import describe, needs_text, require_finite, resource_names
from kalends.dav.xml import CALDAV, DAV, DavError, Response, multistatus, write_response
from kalends.features.events.feeds.steps.feed import MAX_FOR_GUESTS
from kalends.http.rate_limit import search_counters
from kalends.policy import Right

_C, _D = f"{{{CALDAV}}}", f"{{{DAV}}}"


def propfind_calendar(call: Call) -> DavReply:
    calendar, depth = _find_calendar(call), require_finite(call)
    tag = resources.public_tag(call.ctx, calendar)
    subject = Subject(call.ctx, None, "public", calendar, ctag=tag, components="VEVENT")
    responses = [write_response(describe(call, subject, paths.public(calendar.id)))]
    if depth == "1":
        search_counters.count(call.ctx)
        responses += _describe(call, calendar, resource_names(call.root), resources.find_public(call.ctx, calendar))
    return DavReply(207, multistatus(responses))


def propfind_resource(call: Call) -> DavReply:
    calendar = _find_calendar(call)
    resource = _find_resource(call, calendar)
    require_finite(call)
    return DavReply(207, multistatus(_describe(call, calendar, resource_names(call.root), [resource])))


def get_resource(call: Call) -> DavReply:
    calendar = _find_calendar(call)
    resource = _find_resource(call, calendar)
    headers = {"ETag": resource.etag, "Last-Modified": timestamps.format_http_date(resource.updated_at)}
    if call.ctx.caller.has_version(resource.etag):
        return DavReply(304, content_type="", headers=headers)
    return DavReply(200, text.read(call.ctx, calendar, resource), CALENDAR_TYPE, headers)


def report(call: Call) -> DavReply:
    """A calendar-query or a calendar-multiget."""
    calendar, root = _find_calendar(call), call.root
    if root is None:
        raise DavError(400, "The body must name a report.")
    search_counters.count(call.ctx)
    missing: list[str] = []
    if root.tag == f"{_C}calendar-query":
        items = _query(call, calendar, root)
    elif root.tag == f"{_C}calendar-multiget":
        items, missing = _multiget(call, calendar, root)
    else:
        raise DavError(403, "This report is not supported here.", f"{_D}supported-report")
    time_range = root.find(f"{_D}prop/{_C}calendar-data/{_C}expand")
    return DavReply(207, multistatus([*_describe(call, calendar, reports.listed_names(root), items, time_range), *missing]))


def _query(call: Call, calendar: Calendar, root: Element) -> list[Resource]:
    """The resources that meet the filter. The database finds those with an event in a time range."""
    element = root.find(f"{_C}filter")
    if element is None:
        raise DavError(400, "A calendar-query must have a filter.")
    filters.require_small(element)
    outer = query.calendar_filter(element)
    events = query.only_events(outer)
    time_range = events.find(filters.RANGE) if events is not None and events.find(filters.ABSENT) is None else None
    items = resources.find_public(call.ctx, calendar) if time_range is None else _find_in_range(call, calendar, time_range)
    if not len(outer) or (events is not None and all(each.tag == filters.RANGE for each in events)):
        return items
    _require_few(items)
    texts, budget = text.read_all(call.ctx, calendar, items), RequestBudget()
    return [each for each in items if query.matches(calendar, texts[each.name], outer, budget, is_found=time_range is not None)]


def _find_in_range(call: Call, calendar: Calendar, element: Element) -> list[Resource]:
    start, end = query.bounds(filters.parse_range(element))
    event_ids, series_ids = store.find_overlapping(call.ctx, calendar, start, end)
    series_ids += future_dates.find_series(call.ctx, calendar, start, end, set(series_ids))
    return resources.find_public(call.ctx, calendar, event_ids, series_ids)


def _multiget(call: Call, calendar: Calendar, root: Element) -> tuple[list[Resource], list[str]]:
    """The resources that are there, and the responses for the others."""
    hrefs = [each.text or "" for each in root.findall(f"{_D}href")]
    _require_few(hrefs)
    targets = {href: paths.parse_href(href) for href in hrefs}
    same = ("public-resource", calendar.id)
    names = {href: target.name for href, target in targets.items() if (target.kind, target.calendar_id) == same}
    items = resources.find_public_by_names(call.ctx, calendar, names.values())
    known = {each.name for each in items}
    return items, [write_response(Response(href, status=404)) for href in targets if names.get(href) not in known]


def _describe(call: Call, calendar: Calendar, names: list[str], items: list[Resource], time_range: Element | None = None) -> Sequence[str]:
    texts = None
    if needs_text(names):
        _require_few(items)
        texts = reports.read_texts(call, calendar, time_range, items)
    subject = Subject(call.ctx, None, "public-resource", calendar)
    return list(listing.describe_all(subject, paths.public(calendar.id), names, items, texts, is_brief=call.is_brief))


def _find_calendar(call: Call) -> Calendar:
    policy.require_member(call.ctx)
    return policy.calendar(call.ctx, call.target.calendar_id or 0, to=Right.SEE)


def _find_resource(call: Call, calendar: Calendar) -> Resource:
    for resource in resources.find_public_by_names(call.ctx, calendar, [call.target.name]):
        return resource
    raise DavError(404, "There is no such resource in the calendar.")


def _require_few(items: Sequence[object]) -> None:
    if len(items) > MAX_FOR_GUESTS:
        condition = f"{_D}number-of-matches-within-limits"
        raise DavError(403, f"Ask for at most {MAX_FOR_GUESTS:,} files in one request, such as by a time-range.", condition)
