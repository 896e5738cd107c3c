"""The calendar in the mail of an invitation (iTIP, RFC 5546): the event or the whole series, with the guest as the only attendee."""

import re
from collections.abc import Collection, Sequence
from email.headerregistry import Address
from email.message import EmailMessage

from msgspec import structs

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.values import datetimes
from kalends.core.values.text import clean_display_name, replace_control_characters
from kalends.features.events import store as events_store
from kalends.features.events.feeds.steps import feed, ical
from kalends.features.events.invitations import store
from kalends.features.events.invitations.steps import addresses, details
from kalends.features.events.invitations.steps.details import Details
from kalends.features.events.invitations.store import Target
from kalends.features.events.series import store as series_store
from kalends.features.responses import store as responses
from kalends.http.context import Context

# The components, and the years for which they need time zones.
Formatted = tuple[list[str], ical.Years]
_SLOT = re.compile(r"(?m)^RECURRENCE-ID\b.*:(\d{8})")
# The lines that say which event it is, and those with its title and times as well.
_IDENTITY = re.compile(r"(?m)^(?:BEGIN|END|UID|DTSTAMP|SEQUENCE)\b.*\r\n(?: .*\r\n)*")
_TIMES = re.compile(
    r"(?m)^(?:BEGIN|END|UID|DTSTAMP|SEQUENCE|SUMMARY|DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID)\b.*\r\n(?: .*\r\n)*"
)
NO_DETAILS: Details = {}
STATUSES = {"YES": "ACCEPTED", "MAYBE": "TENTATIVE", "NO": "DECLINED"}


def add_update(
    ctx: Context, message: EmailMessage, invitation: Invitation, changed: list[Event], notified_ids: Collection[int] = ()
) -> None:
    """Add to a notice of changes what updates the guest's calendar: the event or series as it is, or the dates that are cancelled. If
    dates were split from a series, the guest's calendar gets both.

    notified_ids: the invitations about which the notice has a part of its own."""
    method = "CANCEL" if all(event.status == "cancelled" for event in changed) else "REQUEST"
    file = build(ctx, _next(ctx, invitation, changed[0]), changed[0], method, changed if method == "CANCEL" else ())
    if "Reply-To" not in message:
        # Of several calendars, programs read the address for replies in the file.
        message["Reply-To"] = Address(addr_spec=addresses.reply_address(ctx.settings, invitation))
    add_part(message, file, method)
    for other in store.find_split(ctx, invitation):
        if other.id not in notified_ids:
            add_request(ctx, message, other)


def add_request(ctx: Context, message: EmailMessage, invitation: Invitation) -> None:
    """Add what the guest is invited to, as it is now."""
    event = policy.invited_event(ctx, invitation)
    if event is not None:
        add_part(message, build(ctx, _next(ctx, invitation, event), event, "REQUEST"), "REQUEST")


def add_cancellation(ctx: Context, message: EmailMessage, invitation: Invitation) -> None:
    """Add that what the guest was invited to before is not in the calendar any more, since another invitation takes its place."""
    event = policy.invited_event(ctx, invitation)
    if event is not None:
        add_part(message, build(ctx, invitation, event, "CANCEL"), "CANCEL")


def add_part(message: EmailMessage, file: bytes, method: str) -> None:
    """Add the calendar file to the bodies of the mail, as octets: the library would end the lines of a text with LF alone. A file has
    the dates of one UID, so a further one is an attachment."""
    params = {"charset": "utf-8", "method": method}
    if any(part.get_content_type() == "text/calendar" for part in message.walk()):
        message.add_attachment(file, maintype="text", subtype="calendar", params=params, filename="other-dates.ics")
    else:
        message.add_alternative(file, maintype="text", subtype="calendar", params=params)


def build(ctx: Context, invitation: Invitation, event: Event, method: str, dates: Sequence[Event] = ()) -> bytes:
    """The calendar file: REQUEST and CANCEL with the guest and the address for replies, PUBLISH without.

    dates: those of the series that it is about, which are cancelled; without any, the whole."""
    [event] = policy.reveal_to_address(ctx, [event], invitation.address)
    target = store.target(invitation)
    lines = details.find(ctx, event) if method != "CANCEL" else {}
    return build_for_guest(ctx, invitation, event, method, format_target(ctx, target, event, dates, invitation.address), lines)


def build_withdrawal(ctx: Context, invitation: Invitation, event: Event, *, has_times: bool) -> bytes:
    """The cancellation for a guest whose invitation was withdrawn, who sees nothing else of the event as it is now.

    has_times: with its title and times."""
    components, years = format_target(ctx, store.target(invitation), event)
    lines = _TIMES if has_times else _IDENTITY
    reduced = ["".join(lines.findall(component)) for component in components]
    return build_for_guest(ctx, invitation, event, "CANCEL", (reduced, years) if has_times else (reduced[:1], ical.Years()))


def format_target(ctx: Context, target: Target, event: Event, dates: Sequence[Event] = (), address: str = "") -> Formatted:
    """The event or the series, or these dates of it alone, as it is for each of its guests, or for the one with this address."""
    if target.kind == "event":
        years = ical.Years()
        ical.add_years(years, event)
        return [ical.format_event(event, ctx.settings, ical.event_uid(event, ctx.settings))], years
    # A date that is cancelled departs from the rule, so it has a component of its own.
    ids = {each.id for each in dates}
    events = policy.reveal_to_address(ctx, events_store.find_by_series(ctx, [target.id]), address)
    components, years = feed.format_all(ctx, [_cancel(each) if each.id in ids else each for each in events])
    if not dates:
        return components, years
    by_slot = {match[1]: each for each in components if (match := _SLOT.search(each))}
    # A date that the rule does not have is an event with a UID of its own.
    alone = [ical.format_event(each, ctx.settings, ical.event_uid(each, ctx.settings)) for each in dates]
    return [by_slot.get((each.slot or "").replace("-", ""), single) for each, single in zip(dates, alone, strict=True)], years


def build_for_guest(
    ctx: Context, invitation: Invitation, event: Event, method: str, formatted: Formatted, organizer_lines: Details = NO_DETAILS
) -> bytes:
    """The calendar file with the guest, and with the link that shows them the event, unless the organiser's program has set another."""
    components, years = formatted
    if method != "PUBLISH":
        lines = _participants(ctx, invitation, event)
        components = [ical.add_lines(_stamp(ctx, component, invitation, method), lines) for component in components]
    if not event.public:
        # The guest cannot open the page of the event.
        components = [ical.set_url(component, policy.invitation_url(ctx.settings, invitation)) for component in components]
    if organizer_lines:
        own = details.date_of(event) if invitation.event_id is not None else ""
        components = [details.add(each, details.on(organizer_lines, _date_of(each) or own)) for each in components]
    return ical.join_file(components, years, method=method)


def _date_of(component: str) -> str:
    match = _SLOT.search(component)
    return match[1] if match else ""


def _cancel(event: Event) -> Event:
    return structs.replace(event, status="cancelled", edited=True)


def _next(ctx: Context, invitation: Invitation, event: Event) -> Invitation:
    """The invitation with the SEQUENCE of the next calendar that is sent for it."""
    sequence = sequence_of(ctx, event, is_series=invitation.series_id is not None)
    return structs.replace(invitation, sequence=max(sequence, invitation.sequence + 1))


def sequence_of(ctx: Context, event: Event, *, is_series: bool) -> int:
    """The SEQUENCE of the event or its series, which counts its changes."""
    if is_series and event.series_id is not None:
        return series_store.get(ctx, event.series_id).version - 1
    return event.version - 1


def _stamp(ctx: Context, component: str, invitation: Invitation, method: str) -> str:
    """The component with the number and the time of this mail; what was cancelled says so."""
    now = datetimes.to_local(ctx.now, "UTC").strftime("%Y%m%dT%H%M%SZ")
    component = re.sub(r"(?m)^SEQUENCE:.*\r$", f"SEQUENCE:{invitation.sequence}\r", component)
    component = re.sub(r"(?m)^DTSTAMP:.*\r$", f"DTSTAMP:{now}\r", component)
    if method == "CANCEL":
        component = re.sub(r"(?m)^(STATUS|X-KALENDS-STATUS):.*\r\n", "", component)
        return ical.add_lines(component, ["STATUS:CANCELLED"])
    return component


def _participants(ctx: Context, invitation: Invitation, event: Event) -> list[str]:
    """The organiser, whose address takes the replies, and the guest. Nobody else's address is given away.

    Where no replies by mail arrive, only devices of invited users read this: their organiser has the address that they know."""
    stored = next(iter(responses.of_address(ctx, event.id, invitation.address)), None)
    status = STATUSES[stored.response] if stored else "NEEDS-ACTION"
    takes_replies = addresses.takes_replies(ctx.settings)
    organizer = addresses.reply_address(ctx.settings, invitation) if takes_replies else store.find_owner_address(ctx, event)
    return [
        f"ORGANIZER;CN={_quote(clean_display_name(event.owner_name))}:mailto:{organizer}",
        f"ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT={status};RSVP=TRUE;CN={_quote(invitation.name or invitation.address)}"
        f":mailto:{invitation.address}",
    ]


def _quote(value: str) -> str:
    """A parameter between quotation marks, which it cannot have itself."""
    return f'"{replace_control_characters(value).replace(chr(34), chr(39)).strip()}"'
