"""REPORT: calendar-query, calendar-multiget, free-busy-query, sync-collection, and principal-property-search. Everybody finds
themselves among the principals and nobody else: who has an account here is nobody's business."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.dav import listing, paths
from kalends.dav.calendars import expand, filters, free_busy, query, resources, sync, text
from kalends.dav.calendars.resources import Resource
from kalends.dav.call import CALENDAR_TYPE, PROP, Call, DavReply, find_calendar, own_names, require_home
from kalends.dav.properties import HOME, NAME, Subject, describe
from kalends.dav.propfind import needs_text, requested_names, resource_names
from kalends.dav.xml import CALDAV, DAV, DavError, Response, escape, multistatus, write_response
from kalends.http.context import Actor

MAX_HREFS = 5_000

_C, _D = f"{{{CALDAV}}}", f"{{{DAV}}}"


def report(call: Call) -> DavReply:
    """A report on a calendar, by the name of the root element."""
    reports = {
        f"{_C}calendar-query": _calendar_query,
        f"{_C}calendar-multiget": _multiget,
        f"{_C}free-busy-query": _free_busy,
        f"{_D}sync-collection": _sync_collection,
    }
    root = call.root
    if root is None:
        raise DavError(400, "The body must name a report.")
    if root.tag not in reports:
        raise DavError(403, "This report is not supported here.", f"{_D}supported-report")
    return reports[root.tag](call, find_calendar(call), root)


def _calendar_query(call: Call, calendar: Calendar, root: Element) -> DavReply:
    filter_element = root.find(f"{_C}filter")
    if filter_element is None:
        raise DavError(400, "A calendar-query must have a filter.")
    if call.headers.get("depth", "1").strip() == "0":
        return DavReply(207, multistatus([]))
    matches = query.find(call.ctx, calendar, filter_element)
    return DavReply(207, multistatus(_describe(call, calendar, root, matches)))


def _multiget(call: Call, calendar: Calendar, root: Element) -> DavReply:
    names = own_names(call, read_hrefs(root))
    by_name = resources.find_by_names(call.ctx, calendar, [name for name in names.values() if name])
    missing = [write_response(Response(href, status=404)) for href, name in names.items() if name not in by_name]
    return DavReply(207, multistatus([*_describe(call, calendar, root, list(by_name.values())), *missing]))


def read_hrefs(root: Element) -> list[str]:
    """The paths that a multiget names."""
    hrefs = [each.text or "" for each in root.findall(f"{_D}href")]
    if len(hrefs) > MAX_HREFS:
        raise DavError(403, f"Ask for at most {MAX_HREFS:,} resources in one request.", f"{_D}number-of-matches-within-limits")
    return hrefs


def _sync_collection(call: Call, calendar: Calendar, root: Element) -> DavReply:
    level = (root.findtext(f"{_D}sync-level") or "1").strip()
    if level != "1":
        raise DavError(403, "Ask for sync-level 1.", f"{_D}sync-traversal-supported")
    changes = sync.read(
        call.ctx, calendar, (root.findtext(f"{_D}sync-token") or "").strip(), read_limit(root, f"{_D}limit", f"{_D}nresults")
    )
    folder = paths.calendar(policy.user(call.ctx).id, call.target.slug)
    gone = [write_response(Response(f"{folder}{paths.quote_name(name)}", status=404)) for name in changes.gone]
    cut = [write_response(Response(folder, status=507, error="<D:number-of-matches-within-limits/>"))] if changes.is_cut else []
    responses = [*_describe(call, calendar, root, changes.resources), *gone, *cut]
    return DavReply(207, multistatus(responses, f"<D:sync-token>{escape(changes.token)}</D:sync-token>"))


def read_limit(root: Element, limit: str, number: str) -> int | None:
    """The limit of a report, by the names of its elements."""
    text_ = (root.findtext(f"{limit}/{number}") or "").strip()
    if not text_:
        return None
    if not (text_.isascii() and text_.isdigit() and int(text_[:9]) > 0):
        raise DavError(400, "The limit must be a positive number.")
    return int(text_[:9])


def _describe(call: Call, calendar: Calendar, root: Element, items: list[Resource]) -> Iterable[str]:
    names = listed_names(root)
    subject = Subject(call.ctx, policy.user(call.ctx), "resource", calendar)
    time_range = root.find(f"{_D}prop/{_C}calendar-data/{_C}expand")
    texts = read_texts(call, calendar, time_range, items) if needs_text(names) else None
    folder = paths.calendar(subject.user.id, call.target.slug)
    return listing.describe_all(subject, folder, names, items, texts, is_brief=call.is_brief)


def requested_names_or_none(root: Element) -> list[str] | None:
    return requested_names(root) if root.find(f"{_D}prop") is not None else None


def listed_names(root: Element) -> list[str]:
    """The names that a report asks of each resource."""
    return resource_names(root) if requested_names_or_none(root) else listing.IN_ALLPROP


def read_texts(call: Call, calendar: Calendar, time_range: Element | None, items: list[Resource]) -> dict[str, bytes]:
    """The files of the resources by name; with a time range, expanded to the dates in it."""
    if time_range is None:
        return text.read_all(call.ctx, calendar, items)
    return expand.read_all(call.ctx, calendar, items, filters.parse_range(time_range))


def _free_busy(call: Call, calendar: Calendar, root: Element) -> DavReply:
    """When the calendar has events, merged: neither which nor whose."""
    element = root.find(f"{_C}time-range")
    if element is None:
        raise DavError(400, "A free-busy-query must have a time-range.")
    start, end = query.bounds(filters.parse_range(element))
    return DavReply(200, free_busy.write(call.ctx, [calendar], start, end), CALENDAR_TYPE)


def report_principals(call: Call) -> DavReply:
    """principal-property-search (RFC 3744, section 9.4)."""
    require_home(call)
    root, actor = call.root, policy.user(call.ctx)
    if root is None:
        raise DavError(400, "The body must name a report.")
    if root.tag != f"{_D}principal-property-search":
        raise DavError(403, "This report is not supported here.", f"{_D}supported-report")
    if not all(_matches_principal(actor, search) for search in root.findall(f"{_D}property-search")):
        return DavReply(207, multistatus([]))
    names = (requested_names(root) if root.find(PROP) is not None else None) or [NAME, HOME]
    response = describe(Subject(call.ctx, actor, "principal"), paths.principal(actor.id), names, is_brief=call.is_brief)
    return DavReply(207, multistatus([write_response(response)]))


def _matches_principal(actor: Actor, search: Element) -> bool:
    """Whether the name or the address of the user has the text in it."""
    needle = (search.findtext(f"{_D}match") or "").strip().casefold()
    return any(needle in value.casefold() for value in (actor.display_name, actor.user_name, f"mailto:{actor.email_address}"))
