"""What a message that arrived does: a response, a note to the organiser, a bounce, or nothing. Each message is handled once.

The MAC in the address that it was sent to is the proof of who writes; the From of a mail can be forged."""

from collections.abc import Iterable
from typing import Literal

from kalends.core import errors
from kalends.core.i18n.locale import ENGLISH
from kalends.core.log import get_logger
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import refusal_store as refusals
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.events.invitations import store
from kalends.features.events.invitations.steps import addresses, reply
from kalends.features.events.invitations.steps.addresses import Recipient
from kalends.features.users import store as users
from kalends.http.context import Caller, Context
from kalends.ical.itip import Reply, ReplyEvent
from kalends.ical.vtimezone import find_zone
from kalends.mail.inbound import message
from kalends.mail.inbound.message import MAX_TEXT, InboundMessage

log = get_logger(__name__)

# What was done: a response was recorded or refused, the organiser was notified of something, a mail came back, or nothing.
Outcome = Literal["responded", "refused", "noted", "bounced", "ignored", "repeated", "unknown"]
HOUR = 3600
# One guest cannot flood the organiser, nor be flooded.
MAX_NOTES_PER_HOUR = 10


def handle(db: Database, settings: Settings, octets: bytes, recipients: Iterable[str] = ()) -> Outcome:
    """Handle the message; recipients: the addresses that the mail server names. Raises Unavailable and Retry of the database.

    What has no address with a valid MAC is dropped before it is read."""
    named = map(addresses.find, (*recipients, *message.recipient_fields(octets)))
    recipient = next(filter(None, named), None)
    # Each guest has limits of their own on the mail that replies cause.
    ctx = Context(db, settings, timestamps.now(), Caller(address=f"invitation {recipient.id}" if recipient else ""))
    if recipient is None or not _is_valid(ctx, recipient):
        log.info("inbound_message", outcome="unknown")
        return "unknown"
    read = message.read(octets)
    outcome = _handle(ctx, read, recipient)
    log.info("inbound_message", outcome=outcome, key=read.key[:16], trouble=read.trouble or None)
    return outcome


def _is_valid(ctx: Context, recipient: Recipient) -> bool:
    """Whether the MAC is that of a delivery, or of an invitation that still takes replies."""
    if recipient.is_bounce:
        return addresses.is_bounce_of(ctx.settings, recipient)
    try:
        with ctx.read():
            reply.find_invitation(ctx, recipient.id, recipient.mac)
    except errors.NotFound:
        return False
    return True


def _handle(ctx: Context, read: InboundMessage, recipient: Recipient) -> Outcome:
    ctx.via = "mail"
    try:
        with ctx.write():
            return _act_once(ctx, read, recipient)
    except errors.Unavailable:
        raise
    except errors.Problem as problem:
        # Nothing was written. The guest is notified why, and the message is not read again.
        with ctx.write():
            return _refuse(ctx, read, recipient, problem)


def _act_once(ctx: Context, read: InboundMessage, recipient: Recipient) -> Outcome:
    key = f"{read.key}:{recipient.id}"
    if recipient.is_bounce:
        return _record_bounce(ctx, read, recipient.id) if store.insert_message(ctx, key, "bounced") else "repeated"
    try:
        invitation, event = reply.find_invitation(ctx, recipient.id, recipient.mac)
    except errors.NotFound:
        return "unknown"
    if not store.insert_message(ctx, key, "read"):
        return "repeated"
    if read.bounce:
        if read.bounce.is_permanent:
            store.set_state(ctx, invitation.id, "bounced", read.bounce.reason)
            refusals.record(ctx, event.owner_id, invitation.address)
            return "bounced"
        return "ignored"
    if read.is_automatic:
        return "ignored"
    if read.reply is None:
        kind, text = ("unreadable", read.trouble) if read.trouble else ("text", read.text)
        return notify_organiser(ctx, invitation, event, kind, read.subject, text) if text else "ignored"
    return _take_reply(ctx, invitation, event, read.reply)


def _record_bounce(ctx: Context, read: InboundMessage, delivery_id: int) -> Outcome:
    """Suppress the address of the delivery for its purpose, if it does not exist."""
    delivery = deliveries.get(ctx, delivery_id)
    if delivery is None or read.bounce is None or not read.bounce.is_permanent:
        return "ignored"
    suppressions.insert_for_delivery(ctx, delivery, "bounced", read.bounce.reason)
    if delivery.kind == "invitation" and delivery.cause:
        _, invitation = store.find_by_cause(ctx, delivery.cause, delivery.address)
        if invitation:
            store.set_state(ctx, invitation.id, "bounced", read.bounce.reason)
    return "bounced"


def _take_reply(ctx: Context, invitation: Invitation, event: Event, itip: Reply) -> Outcome:
    attendees = [(each, attendee) for each in itip.events if (attendee := each.attendee(invitation.address))]
    if itip.method == "COUNTER" or any(attendee.status == "DELEGATED" for _, attendee in attendees):
        kind = "counter" if itip.method == "COUNTER" else "delegated"
        proposals = [_describe_start(each) for each in itip.events] if kind == "counter" else []
        lines = dict.fromkeys((*proposals, *(each.comment for each in itip.events)))
        return notify_organiser(ctx, invitation, event, kind, "", "\n".join(filter(None, lines))[:MAX_TEXT])
    outcome: Outcome = "ignored"
    decisions = [reply.decide(ctx, invitation, event, each, attendee) for each, attendee in attendees]
    # The series first, since what is decided about a date alone counts more.
    for decided in sorted(filter(None, decisions), key=lambda each: each.slot):
        if store.is_newest(ctx, invitation.id, decided.slot, decided.stamp):
            reply.record_decision(ctx, invitation, decided, "mail")
            outcome = "responded"
    return outcome


def _describe_start(itip: ReplyEvent) -> str:
    """The time that a guest proposes, as it was written."""
    if itip.start is None:
        return ""
    local, zone = itip.start.local, "UTC" if itip.start.is_utc else find_zone(itip.start.zone) if itip.start.zone else None
    if itip.start.is_date:
        return ENGLISH.formats.days(local.date(), local.date())
    return ENGLISH.formats.span(local, None) + (f" ({zone})" if zone else "")


def _refuse(ctx: Context, read: InboundMessage, recipient: Recipient, problem: errors.Problem) -> Outcome:
    """Record the message, and notify the guest why the response was not recorded."""
    try:
        invitation, event = reply.find_invitation(ctx, recipient.id, recipient.mac)
    except errors.NotFound:
        return "unknown"
    if store.insert_message(ctx, f"{read.key}:{recipient.id}", "refused"):
        reason = " ".join(f"{each.message.capitalize()}." for each in problem.errors) if problem.errors else problem.detail
        notify_guest(ctx, invitation, event, reason)
    return "refused"


def notify_organiser(ctx: Context, invitation: Invitation, event: Event, kind: str, subject: str, text: str) -> Literal["noted", "ignored"]:
    """Queue a note to the organiser about the guest's reply."""
    owner = users.get_organiser(ctx, event.id)
    return _notify(ctx, invitation, event, owner.email_address, kind, subject, text)


def notify_guest(ctx: Context, invitation: Invitation, event: Event, reason: str) -> None:
    """Queue a note to the invited address, which need not be the one that the reply came from."""
    _notify(ctx, invitation, event, invitation.address, "refused", "", reason)


def _notify(
    ctx: Context, invitation: Invitation, event: Event, address: str, kind: str, subject: str, text: str
) -> Literal["noted", "ignored"]:
    if store.count_notes(ctx, invitation.id, ctx.now - HOUR) >= MAX_NOTES_PER_HOUR:
        return "ignored"
    note_id = store.insert_note(ctx, invitation.id, kind, subject, text)
    deliveries.insert_note(ctx, event, address, note_id)
    return "noted"
