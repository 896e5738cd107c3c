"""The inbox and the outbox of a user (RFC 6638): invitations that have arrived, and asking when others are busy.

What is in the inbox has been processed: the event is in the calendar of the guest. Clients show it as news, and delete it."""

import re

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.response import Invitation
from kalends.core.values.text import fold_case
from kalends.dav import listing, paths, reports
from kalends.dav.calendars import calendar_store, free_busy, overlap
from kalends.dav.calendars.filters import Component, parse_components
from kalends.dav.call import CALENDAR_TYPE, Call, DavReply, require_home
from kalends.dav.properties import TRANSPARENCY, Subject
from kalends.dav.propfind import describe, needs_text, require_finite, resource_names
from kalends.dav.scheduling import message_store
from kalends.dav.scheduling.message_store import Message
from kalends.dav.xml import CALDAV, PREFIXES, DavError, Response, escape, href, multistatus, write_response
from kalends.features.events.invitations.steps import calendar_part
from kalends.http.context import Context

MAX_RECIPIENTS = 100
# The longest time that may be asked for.
MAX_SECONDS = 366 * 86_400

_SPACES = " ".join(f'xmlns:{prefix}="{space}"' for space, prefix in PREFIXES.items() if prefix in ("D", "C"))


class _Listed(Struct):
    """An invitation in the inbox, as a resource."""

    name: str
    etag: str
    updated_at: int
    content_type: str = CALENDAR_TYPE


def propfind_inbox(call: Call) -> DavReply:
    require_home(call)
    depth, subject = require_finite(call), Subject(call.ctx, policy.user(call.ctx), "inbox")
    folder = paths.inbox(subject.user.id)
    responses = [write_response(describe(call, subject, folder))]
    if depth == "1":
        names, messages = resource_names(call.root), message_store.find_all(call.ctx, subject.user.id)
        texts = {_name(each): _read(call.ctx, each) for each in messages} if needs_text(names) else None
        message = Subject(call.ctx, subject.user, "message")
        responses += listing.describe_all(message, folder, names, list(map(_list, messages)), texts, is_brief=call.is_brief)
    return DavReply(207, multistatus(responses))


def report_inbox(call: Call) -> DavReply:
    """calendar-multiget, the only report here: what the messages with these paths say."""
    require_home(call)
    if call.root is None or call.root.tag != f"{{{CALDAV}}}calendar-multiget":
        raise DavError(403, "This report is not supported here.", "{DAV:}supported-report")
    subject = Subject(call.ctx, policy.user(call.ctx), "message")
    by_name = {_name(each): each for each in message_store.find_all(call.ctx, subject.user.id)}
    targets = {each: paths.parse_href(each) for each in reports.read_hrefs(call.root)}
    own = {each: to.name for each, to in targets.items() if (to.kind, to.user_id) == ("message", subject.user.id) and to.name in by_name}
    messages = [by_name[name] for name in dict.fromkeys(own.values())]
    names = reports.listed_names(call.root)
    texts = {_name(each): _read(call.ctx, each) for each in messages} if needs_text(names) else None
    found = listing.describe_all(subject, paths.inbox(subject.user.id), names, list(map(_list, messages)), texts, is_brief=call.is_brief)
    return DavReply(207, multistatus([*found, *(write_response(Response(each, status=404)) for each in targets if each not in own)]))


def propfind_outbox(call: Call) -> DavReply:
    require_home(call)
    require_finite(call)
    subject = Subject(call.ctx, policy.user(call.ctx), "outbox")
    return DavReply(207, multistatus([write_response(describe(call, subject, paths.outbox(subject.user.id)))]))


def get_message(call: Call) -> DavReply:
    message = _find(call)
    return DavReply(200, _read(call.ctx, message), CALENDAR_TYPE, {"ETag": _list(message).etag})


def delete_message(call: Call) -> DavReply:
    """Delete an invitation from the inbox. The invitation and its event stay."""
    message_store.delete(call.ctx, _find(call).message_id)
    return DavReply(204)


def post_outbox(call: Call) -> DavReply:
    """Ask when people are busy (RFC 6638, section 5)."""
    require_home(call)
    request = _parse_request(call.body)
    start, end = (overlap.find_time(request, name) for name in ("DTSTART", "DTEND"))
    organizer, *_ = _values(request, "ORGANIZER")
    attendees = _values(request, "ATTENDEE")
    if start is None or end is None or not attendees:
        raise _invalid("Name the ATTENDEEs, and the time with DTSTART and DTEND.")
    actor = policy.user(call.ctx)
    if not _is_own(organizer, actor.email_address):
        raise DavError(403, "The ORGANIZER must be you.", f"{{{CALDAV}}}organizer-allowed")
    first, last = overlap.to_instant(start, actor.time_zone), overlap.to_instant(end, actor.time_zone)
    if not 0 < last - first <= MAX_SECONDS or len(attendees) > MAX_RECIPIENTS:
        raise _invalid(f"Ask for at most a year, and for {MAX_RECIPIENTS} people.")
    uid = next(iter(_values(request, "UID")), "")
    with call.ctx.read():
        responses = [_describe_busy(call.ctx, organizer, each, uid, first, last) for each in dict.fromkeys(attendees)]
    body = f'<?xml version="1.0" encoding="utf-8"?>\n<C:schedule-response {_SPACES}>{"".join(responses)}</C:schedule-response>'
    return DavReply(200, body.encode())


def _find(call: Call) -> Message:
    require_home(call)
    match = re.fullmatch(r"([1-9][0-9]{0,17})\.ics", call.target.name)
    message = message_store.find(call.ctx, policy.user(call.ctx).id, int(match[1])) if match else None
    if message is None:
        raise DavError(404, "There is no such message in the inbox.")
    return message


def _list(message: Message) -> _Listed:
    return _Listed(_name(message), f'"{message.message_id}-{message.sequence}-{message.updated_at}"', message.updated_at)


def _name(message: Message) -> str:
    return f"{message.message_id}.ics"


def _read(ctx: Context, message: Invitation) -> bytes:
    """The invitation: a request to take part in the event as it is now, or a cancellation, with nothing of a private event."""
    event = policy.invited_event(ctx, message)
    if event is None:
        return b""
    if message.state == "withdrawn":
        return calendar_part.build_withdrawal(ctx, message, event, has_times=event.public)
    return calendar_part.build(ctx, message, event, "REQUEST")


def _parse_request(body: bytes) -> Component:
    roots = parse_components(body.decode("utf-8", "replace"))
    method = next((prop.value.upper() for root in roots for name, prop in root.properties if name == "METHOD"), "")
    parts = [each for root in roots if root.name == "VCALENDAR" for each in root.inner if each.name != "VTIMEZONE"]
    if method != "REQUEST" or len(parts) != 1 or parts[0].name != "VFREEBUSY":
        raise _invalid("Send a VFREEBUSY with the METHOD REQUEST. Invitations are sent when an event is saved.")
    if not _values(parts[0], "ORGANIZER"):
        raise _invalid("Name the ORGANIZER.")
    return parts[0]


def _values(component: Component, property_name: str) -> list[str]:
    return [prop.value.strip() for name, prop in component.properties if name == property_name]


def _invalid(detail: str) -> DavError:
    return DavError(403, detail, f"{{{CALDAV}}}valid-scheduling-message")


def _is_own(calendar_user: str, address: str) -> bool:
    return fold_case(calendar_user) == fold_case(f"mailto:{address}")


def _describe_busy(ctx: Context, organizer: str, attendee: str, uid: str, start: int, end: int) -> str:
    """When one of the attendees is busy, if they show the actor one of their calendars."""
    recipient = f"<C:recipient>{href(attendee)}</C:recipient>"
    scheme, _, address = attendee.partition(":")
    calendars = _find_busy_calendars(ctx, address) if scheme.lower() == "mailto" else []
    if not calendars:
        return f"<C:response>{recipient}<C:request-status>3.8;No authority</C:request-status></C:response>"
    lines = (f"UID:{uid}", f"ORGANIZER:{organizer}", f"ATTENDEE:{attendee}")
    file = escape(free_busy.write(ctx, calendars, start, end, "REPLY", lines).decode())
    return f"<C:response>{recipient}<C:request-status>2.0;Success</C:request-status><C:calendar-data>{file}</C:calendar-data></C:response>"


def _find_busy_calendars(ctx: Context, address: str) -> list[Calendar]:
    """The calendars of the user whom this address belongs to, without the ones that their owner has made transparent."""
    calendars = policy.busy_calendars(ctx, address)
    stored = calendar_store.find_properties(ctx, calendars[0].owner_id) if calendars else {}
    return [each for each in calendars if "transparent" not in stored.get(each.id, {}).get(TRANSPARENCY, "")]
