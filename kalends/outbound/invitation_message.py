"""The mails of an invitation: the invitation itself, that it was taken back, and what became of replies that are no plain response."""

from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

from kalends import policy
from kalends.context import Context
from kalends.events.invitations import addresses, calendar_part, store
from kalends.events.invitations.store import Note
from kalends.events.series.sentence import describe as describe_rule
from kalends.events.series.store import get as get_series
from kalends.outbound.message import add_bodies, describe_event, envelope, set_reply_to, shorten_description
from kalends.outbound.outcome import Undeliverable
from kalends.outbound.response_message import CHOICES, Link
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.settings import Settings
from kalends.transports import sender
from kalends.values.text import replace_control_characters
from kalends.web.render import render_text

INVITED = "{} invites you:"
WITHDRAWN = "{} has taken back the invitation to this event."
BY_MAIL = "You can respond in your calendar program, too. A reply to this mail goes to the organiser."
REASON = "You get this because {} invited this address."
NOT_AGAIN = "Do not invite me again"


def build(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail of the delivery, as the invitation and its event are now."""
    verb, invitation = store.find_by_cause(ctx, delivery.cause or "", delivery.address)
    event = policy.invited_event(ctx, invitation) if invitation else None
    if invitation is None or event is None:
        raise Undeliverable("The event or the invitation was deleted before it was sent.")
    event = shorten_description(event)
    if verb == "withdrawal":
        return _withdrawal(ctx, delivery, invitation, event)
    if invitation.state == "withdrawn":
        raise Undeliverable("The invitation was taken back before it was sent.")
    if event.status == "cancelled":
        raise Undeliverable("The event was cancelled before it was sent.")
    return _invitation(ctx, delivery, invitation, event)


def preview(ctx: Context, event: Event, message: str | None, scope: str) -> str:
    """The plain text of an invitation, for its sender to review."""
    target = store.target_of(event, scope)
    series_id = target.id if target.kind == "series" else None
    values = _values(ctx, event, message, series_id)
    return _plain_text(values, [Link(text, "a link of each guest's own") for _, text in CHOICES], "")


def _invitation(ctx: Context, delivery: Delivery, invitation: Invitation, event: Event) -> EmailMessage:
    settings, url = ctx.settings, policy.invitation_url(ctx.settings, invitation)
    message = _envelope(settings, delivery, event, f"Invitation: {event.title}")
    message["List-Unsubscribe"] = f"<{url}/stop>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    values = _values(ctx, event, invitation.message, invitation.series_id)
    links = [Link(text, f"{url}?response={choice}") for choice, text in CHOICES]
    takes_replies = addresses.takes_replies(settings)
    note = f"{BY_MAIL} " if takes_replies else ""
    note += REASON.format(event.owner_name)
    if takes_replies:
        set_reply_to(message, addresses.reply_address(settings, invitation), event.owner_name)
    _add_bodies(message, values, links, note, Link(NOT_AGAIN, f"{url}/stop"))
    file = calendar_part.build(ctx, invitation, event, "REQUEST" if takes_replies else "PUBLISH")
    if takes_replies:
        calendar_part.add_part(message, file, "REQUEST")
    else:
        params = {"charset": "utf-8", "method": "PUBLISH"}
        message.add_attachment(file, maintype="text", subtype="calendar", params=params, filename="invitation.ics")
    return message


def _withdrawal(ctx: Context, delivery: Delivery, invitation: Invitation, event: Event) -> EmailMessage:
    """That the invitation was taken back. To the guest alone the event is cancelled."""
    message = _envelope(ctx.settings, delivery, event, f"Invitation taken back: {event.title}")
    values = _values(ctx, event, None, invitation.series_id) | {"lead": WITHDRAWN.format(event.owner_name)}
    _add_bodies(message, values, [])
    if addresses.takes_replies(ctx.settings):
        file = calendar_part.build(ctx, invitation, event, "CANCEL")
        calendar_part.add_part(message, file, "CANCEL")
    return message


def _values(ctx: Context, event: Event, message: str | None, series_id: int | None) -> dict[str, Any]:
    rule = f"{describe_rule(get_series(ctx, series_id).rule.recurrence)}." if series_id is not None else ""
    lead = INVITED.format(event.owner_name)
    return {**describe_event(event), "event": event, "lead": lead, "message": message, "rule": rule}


def _add_bodies(message: EmailMessage, values: dict[str, Any], links: list[Link], note: str = "", stop: Link | None = None) -> None:
    html = render_text("deliveries/invitation.html", **values, links=links, note=note, stop=stop)
    add_bodies(message, _plain_text(values, links, f"{note}\n{stop.text}: {stop.url}" if stop else note), html)


def _plain_text(values: dict[str, Any], links: list[Link], note: str) -> str:
    event = values["event"]
    top = "\n".join(filter(None, (values["title"], values["time"], values["rule"], event.location)))
    choices = "\n".join(f"{link.text}: {link.url}" for link in links)
    parts = (values["lead"], values["message"], top, values["status"], event.description, choices, f"-- \n{note}" if note else "")
    return "\n\n".join(filter(None, parts)) + "\n"


def _envelope(settings: Settings, delivery: Delivery, event: Event, subject: str) -> EmailMessage:
    """From the service's own address, with the organiser's name: a mail from the organiser's address would not pass DMARC."""
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    del message["From"]
    message["From"] = Address(
        replace_control_characters(event.owner_name).strip(), addr_spec=sender(settings.email_from, settings.url).addr_spec
    )
    return message


NOTES = {
    "text": "{guest} replied to the invitation:",
    "counter": "{guest} proposes another time for this event. Change the event, or write to them.",
    "delegated": "{guest} sends somebody else in their place. Invite that person, if you agree.",
    "unreadable": "{guest} replied to the invitation with a calendar that could not be read: {text}.",
    "refused": "Your reply to the invitation was not recorded: {text}",
}


def build_note(ctx: Context, delivery: Delivery) -> EmailMessage:
    """What the organiser is told of a reply; a reply that was refused is told to the guest."""
    assert delivery.cause is not None
    note = store.find_note(ctx, int(delivery.cause.partition(":")[2]))
    invitation = policy.find_invitation(ctx, note.invitation_id) if note else None
    event = policy.invited_event(ctx, invitation) if invitation else None
    if note is None or invitation is None or event is None:
        raise Undeliverable("The event or the invitation was deleted before it was sent.")
    return _note(ctx, delivery, note, invitation, event)


def _note(ctx: Context, delivery: Delivery, note: Note, invitation: Invitation, event: Event) -> EmailMessage:
    guest = f"{invitation.name} ({invitation.address})" if invitation.name else invitation.address
    is_to_guest = note.kind == "refused"
    subject = f"Not recorded: {event.title}" if is_to_guest else f"{note.subject or 'Reply'} – {event.title}"
    message = envelope(ctx.settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    if not is_to_guest:
        set_reply_to(message, invitation.address)
    lead = NOTES[note.kind].format(guest=guest, text=note.text)
    url = policy.invitation_url(ctx.settings, invitation) if is_to_guest else f"{ctx.settings.url}/events/{event.id}/invitations"
    values = {**describe_event(event), "event": event, "lead": lead, "message": "" if "{text}" in NOTES[note.kind] else note.text}
    _add_bodies(message, values | {"rule": ""}, [Link("Open the invitation" if is_to_guest else "To the invitations", url)])
    return message
