"""The calendar in the mail of an invitation (iTIP, RFC 5546): the event or the whole series, with the guest as the only attendee."""

import re
from collections.abc import Sequence
from email.message import EmailMessage

from msgspec import structs

from kalends import policy
from kalends.context import Context
from kalends.events import feed, ical, store
from kalends.events.invitations import addresses
from kalends.events.series import store as series_store
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.responses import store as responses
from kalends.values import datetimes
from kalends.values.text import replace_control_characters

STATUSES = {"YES": "ACCEPTED", "MAYBE": "TENTATIVE", "NO": "DECLINED"}


def add_update(ctx: Context, message: EmailMessage, invitation: Invitation, changed: list[Event]) -> None:
    """Add to a notice of changes what updates the guest's calendar: the event or series as it is, or the dates that are cancelled."""
    sequence = max(sequence_of(ctx, changed[0], is_series=invitation.series_id is not None), invitation.sequence + 1)
    method = "CANCEL" if all(event.status == "cancelled" for event in changed) else "REQUEST"
    slots = [event.slot for event in changed if event.slot] if method == "CANCEL" else []
    file = build(ctx, structs.replace(invitation, sequence=sequence), changed[0], method, slots)
    if "Reply-To" in message:
        # The bodies have one calendar. Programs read the address for replies in the file.
        params = {"charset": "utf-8", "method": method}
        message.add_attachment(file, maintype="text", subtype="calendar", params=params, filename=f"event-{changed[0].id}.ics")
        return
    message["Reply-To"] = addresses.reply_address(ctx.settings, invitation)
    add_part(message, file, method)


def add_part(message: EmailMessage, file: bytes, method: str) -> None:
    """Add the calendar file to the bodies of the mail, as octets: the library would end the lines of a text with LF alone."""
    message.add_alternative(file, maintype="text", subtype="calendar", params={"charset": "utf-8", "method": method})


def build(ctx: Context, invitation: Invitation, event: Event, method: str, slots: Sequence[str] = ()) -> bytes:
    """The calendar file: REQUEST and CANCEL with the guest and the address for replies, PUBLISH without.

    slots: the dates of the series that it is about, if they depart from its rule; without any, the whole."""
    events = [event] if invitation.series_id is None else store.find_by_series(ctx, [invitation.series_id])
    if invitation.series_id is None:
        components, years = [ical.format_event(event, ctx.settings, ical.event_uid(event, ctx.settings))], ical.Years()
        ical.add_years(years, event)
    else:
        components, years = feed.format_all(ctx, events)
        numbers = "|".join(slot.replace("-", "") for slot in slots)
        components = [each for each in components if slots and re.search(rf"(?m)^RECURRENCE-ID\b.*:({numbers})", each)] or components
    if method != "PUBLISH":
        lines = _participants(ctx, invitation, event)
        components = [ical.add_lines(_stamp(ctx, component, invitation, method), lines) for component in components]
    if not event.public:
        # The guest cannot open the page of the event.
        link = f"URL:{policy.invitation_url(ctx.settings, invitation)}"
        components = [ical.add_lines(re.sub(r"(?m)^URL:.*\r\n(?: .*\r\n)*", "", component), [link]) for component in components]
    return ical.join_file(components, years, method=method)


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
    """The organiser, whose address takes the replies, and the guest. Nobody else's address is given away."""
    stored = next(iter(responses.of_address(ctx, event.id, invitation.address)), None)
    status = STATUSES[stored.response] if stored else "NEEDS-ACTION"
    return [
        f"ORGANIZER;CN={_quote(event.owner_name)}:mailto:{addresses.reply_address(ctx.settings, invitation)}",
        f"ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT={status};RSVP=TRUE;CN={_quote(invitation.name or invitation.address)}"
        f":mailto:{invitation.address}",
    ]


def _quote(value: str) -> str:
    """A parameter between quotation marks, which it cannot have itself."""
    return f'"{replace_control_characters(value).replace(chr(34), chr(39)).strip()}"'
