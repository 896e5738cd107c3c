"""The birthdays of one's contacts as a calendar that devices read, and cannot change: `contact_birthdays` among the calendars."""

import re
from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from msgspec import Struct

from kalends import policy
from kalends.core.values import timestamps
from kalends.dav import listing, paths, reports
from kalends.dav.calendars import expand, filters, query
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.sync import Token, parse_token, read_entries
from kalends.dav.call import CALENDAR_TYPE, Call, DavReply, require_home
from kalends.dav.properties import Subject
from kalends.dav.propfind import birthdays_collection, birthdays_subject, describe, needs_text, require_finite, resource_names
from kalends.dav.xml import CALDAV, DAV, DavError, Response, escape, multistatus, write_response
from kalends.features.changes import journal_store
from kalends.features.contacts import store
from kalends.features.contacts.rules.birthday import Birthday
from kalends.features.contacts.steps import birthday_file
from kalends.policy.site import reader_locale

_C, _D = f"{{{CALDAV}}}", f"{{{DAV}}}"
_NAME = re.compile(r"birthday-([1-9][0-9]{0,17})\.ics")


class _Listed(Struct):
    """A birthday as a resource."""

    id: int
    name: str
    etag: str
    updated_at: int
    content_type: str = "text/calendar; charset=utf-8; component=VEVENT"


def propfind_calendar(call: Call) -> DavReply:
    require_home(call)
    depth, subject = require_finite(call), birthdays_subject(call)
    responses = [write_response(describe(call, subject, _folder(call)))]
    if depth == "1":
        responses += _describe(call, resource_names(call.root), store.find_birthdays(call.ctx, subject.user.id))
    return DavReply(207, multistatus(responses))


def propfind_event(call: Call) -> DavReply:
    birthday = _find(call)
    require_finite(call)
    return DavReply(207, multistatus(_describe(call, resource_names(call.root), [birthday])))


def get_event(call: Call) -> DavReply:
    birthday = _find(call)
    headers = {"ETag": birthday.etag, "Last-Modified": timestamps.format_http_date(birthday.updated_at)}
    if call.ctx.caller.has_version(birthday.etag):
        return DavReply(304, content_type="", headers=headers)
    return DavReply(200, _write(call, [birthday]), CALENDAR_TYPE, headers)


def get_calendar(call: Call) -> DavReply:
    """All birthdays as one file."""
    require_home(call)
    return DavReply(200, _write(call, store.find_birthdays(call.ctx, call.target.user_id)), CALENDAR_TYPE)


def report(call: Call) -> DavReply:
    """A report, by the name of the root element."""
    require_home(call)
    known: dict[str, Callable[[Call, Element], DavReply]] = {
        f"{_C}calendar-query": _query,
        f"{_C}calendar-multiget": _multiget,
        f"{_D}sync-collection": _sync,
    }
    if call.root is None:
        raise DavError(400, "The body must name a report.")
    if call.root.tag not in known:
        raise DavError(403, "This report is not supported here.", f"{_D}supported-report")
    return known[call.root.tag](call, call.root)


def _query(call: Call, root: Element) -> DavReply:
    element = root.find(f"{_C}filter")
    if element is None:
        raise DavError(400, "A calendar-query must have a filter.")
    filters.require_small(element)
    outer, calendar, budget = query.calendar_filter(element), policy.primary_calendar(call.ctx), RequestBudget()
    found = store.find_birthdays(call.ctx, call.target.user_id)
    matching = [each for each in found if query.matches(calendar, _write(call, [each]), outer, budget, is_found=False)]
    return DavReply(207, multistatus(_describe(call, reports.listed_names(root), matching, root)))


def _multiget(call: Call, root: Element) -> DavReply:
    hrefs = {href: _id_of(call, href) for href in reports.read_hrefs(root)}
    found = store.find_birthdays_by_ids(call.ctx, call.target.user_id, filter(None, hrefs.values()))
    known = {each.id for each in found}
    missing = [write_response(Response(href, status=404)) for href, contact_id in hrefs.items() if contact_id not in known]
    return DavReply(207, multistatus([*_describe(call, reports.listed_names(root), found, root), *missing]))


def _sync(call: Call, root: Element) -> DavReply:
    """What changed since the token: the birthdays of these contacts now, and the names of those that have none."""
    ctx, text = call.ctx, (root.findtext(f"{_D}sync-token") or "").strip()
    limit = reports.read_limit(root, f"{_D}limit", f"{_D}nresults")
    journal, name = journal_store.find_journal(ctx), birthdays_collection(call.target.user_id)
    token = parse_token(journal, name, text) if text else Token(name, journal.epoch, journal.end)
    cut = False
    if not text or token.last:
        rest = [each for each in store.find_birthdays(ctx, call.target.user_id) if each.id > int(token.last or 0)]
        found, gone = rest[:limit], list[int]()
        cut = len(found) < len(rest)
        token = Token(name, token.epoch, token.position, str(found[-1].id) if cut else "")
    else:
        end = max(token.position, journal.end)
        entries, position = read_entries(ctx, None, ("contact",), token.position, end, limit)
        ids = {entry.record_id for entry in entries}
        found = store.find_birthdays_by_ids(ctx, call.target.user_id, ids)
        gone, cut = sorted(ids - {each.id for each in found}), position != end
        token = Token(name, journal.epoch, position)
    responses = [*_describe(call, reports.listed_names(root), found, root)]
    responses += [write_response(Response(f"{_folder(call)}{_name(each)}", status=404)) for each in gone]
    responses += [write_response(Response(_folder(call), status=507, error="<D:number-of-matches-within-limits/>"))] if cut else []
    return DavReply(207, multistatus(responses, f"<D:sync-token>{escape(token.text)}</D:sync-token>"))


def _describe(call: Call, names: list[str], birthdays: list[Birthday], root: Element | None = None) -> Iterable[str]:
    """The responses for these birthdays; a report may ask for the dates of a time alone."""
    texts = {_name(each.id): _write(call, [each]) for each in birthdays} if needs_text(names) else None
    element = root.find(f"{_D}prop/{_C}calendar-data/{_C}expand") if root is not None else None
    if texts and element is not None:
        (start, end), budget = query.bounds(filters.parse_range(element)), RequestBudget()
        zone = policy.user(call.ctx).time_zone
        texts = {name: expand.expand_file(content, start, end, zone, budget) for name, content in texts.items()}
    subject = Subject(call.ctx, policy.user(call.ctx), "birthday")
    listed = [_Listed(each.id, _name(each.id), each.etag, each.updated_at) for each in birthdays]
    return listing.describe_all(subject, _folder(call), names, listed, texts, is_brief=call.is_brief)


def _find(call: Call) -> Birthday:
    require_home(call)
    match = _NAME.fullmatch(call.target.name)
    for birthday in store.find_birthdays_by_ids(call.ctx, call.target.user_id, [int(match[1])] if match else []):
        return birthday
    raise DavError(404, "There is no such resource in the calendar.")


def _id_of(call: Call, href: str) -> int | None:
    """The contact whose birthday the path names."""
    target = paths.parse_href(href)
    match = _NAME.fullmatch(target.name)
    return int(match[1]) if match and (target.kind, target.user_id) == ("birthday", call.target.user_id) else None


def _write(call: Call, birthdays: list[Birthday]) -> bytes:
    return birthday_file.write(birthdays, call.ctx.settings, reader_locale(call.ctx))


def _name(contact_id: int) -> str:
    return f"birthday-{contact_id}.ics"


def _folder(call: Call) -> str:
    return paths.calendar(call.target.user_id, paths.BIRTHDAYS)
