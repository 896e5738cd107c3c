"""The mails of an invitation: the invitation itself, that it was taken back, and what became of replies that are no plain response."""

from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.transports import sender
from kalends.core.values.text import clean_display_name
from kalends.features.deliveries.messages.message import add_bodies, describe_event, envelope, find_cover, set_reply_to, shorten_description
from kalends.features.deliveries.messages.response_message import CHOICES, Link
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.events.invitations import store
from kalends.features.events.invitations.steps import addresses, calendar_part, details
from kalends.features.events.invitations.store import Note
from kalends.features.events.series.rules.sentence import describe as describe_rule
from kalends.features.events.series.store import get as get_series
from kalends.http.context import Context
from kalends.policy import site as sites
from kalends.web.render import render_text

BY_MAIL = gettext("You can also RSVP from your calendar app. If you reply to this email, the organiser gets it.")
VIEW = gettext("View event")
NOT_AGAIN = gettext("Don’t invite me again")


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
    own_link = ctx.locale.translate(gettext("each guest’s own link"))
    return _plain_text(ctx, values, [Link(text, own_link) for _, text in CHOICES], "")


def _invitation(ctx: Context, delivery: Delivery, invitation: Invitation, event: Event) -> EmailMessage:
    settings, url = ctx.settings, policy.invitation_url(ctx.settings, invitation)
    message = _envelope(ctx, delivery, event, gettext("Invitation: %(title)s", title=event.title))
    message["List-Unsubscribe"] = f"<{url}/stop>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    values = _values(ctx, event, invitation.message, invitation.series_id)
    values |= {"cover": find_cover(settings, event), "url": policy.guest_url(settings, event) if event.is_open else url}
    links = [Link(text, f"{url}?response={choice}") for choice, text in CHOICES]
    takes_replies = addresses.takes_replies(settings)
    note = gettext("You get this because %(name)s invited you at this address.", name=event.owner_name)
    if takes_replies:
        note = gettext("%(sentence)s %(more)s", sentence=BY_MAIL, more=note)
        set_reply_to(message, addresses.reply_address(settings, invitation), clean_display_name(event.owner_name))
    _add_bodies(ctx, message, values, links, note, Link(NOT_AGAIN, f"{url}/stop"))
    file = calendar_part.build(ctx, invitation, event, "REQUEST" if takes_replies else "PUBLISH")
    if takes_replies:
        calendar_part.add_part(message, file, "REQUEST")
        for date in store.find_replaced(ctx, invitation):
            calendar_part.add_cancellation(ctx, message, date)
    else:
        params = {"charset": "utf-8", "method": "PUBLISH"}
        message.add_attachment(file, maintype="text", subtype="calendar", params=params, filename="invitation.ics")
    return message


def _withdrawal(ctx: Context, delivery: Delivery, invitation: Invitation, event: Event) -> EmailMessage:
    """That the invitation was taken back. To the guest alone the event is cancelled; the organiser may have changed it meanwhile, so of
    its words only the title is sent."""
    message = _envelope(ctx, delivery, event, gettext("Invitation withdrawn: %(title)s", title=event.title))
    lead = gettext("%(name)s has withdrawn your invitation to this event.", name=event.owner_name)
    named = structs.replace(event, description=None, location=None, image_url=None)
    values = _values(ctx, named, None, invitation.series_id) | {"lead": lead, "call_url": None}
    _add_bodies(ctx, message, values, [])
    if addresses.takes_replies(ctx.settings):
        file = calendar_part.build_withdrawal(ctx, invitation, event, has_times=True)
        calendar_part.add_part(message, file, "CANCEL")
    return message


def _values(ctx: Context, event: Event, message: str | None, series_id: int | None) -> dict[str, Any]:
    rule = gettext("%(sentence)s.", sentence=describe_rule(get_series(ctx, series_id).rule.recurrence)) if series_id is not None else ""
    lead = gettext("%(name)s has invited you:", name=event.owner_name)
    date = "" if series_id is not None else details.date_of(event)
    link = details.find_link(details.on(details.find(ctx, event), date))
    values = {"event": event, "lead": lead, "message": message, "rule": rule, "call_url": link, "url": "", "cover": ""}
    return describe_event(event, ctx.locale) | values


def _add_bodies(
    ctx: Context, message: EmailMessage, values: dict[str, Any], links: list[Link], note: str = "", stop: Link | None = None
) -> None:
    html = render_text("deliveries/invitation.html", ctx.locale, **values, links=links, note=note, stop=stop, site=ctx.settings)
    translate = ctx.locale.translate
    bottom = f"{translate(note)}\n{translate(stop.text)}: {stop.url}" if stop else translate(note)
    add_bodies(message, _plain_text(ctx, values, links, bottom), html)


def _plain_text(ctx: Context, values: dict[str, Any], links: list[Link], note: str) -> str:
    event, translate = values["event"], ctx.locale.translate
    call_url = values["call_url"]
    top = "\n".join(filter(None, (translate(values["title"]), values["time"], translate(values["rule"]), event.location, call_url)))
    choices = "\n".join(f"{translate(link.text)}: {link.url}" for link in links)
    lead, status = translate(values["lead"]), translate(values["status"])
    page = f"{translate(VIEW)}: {values['url']}" if values["url"] else ""
    parts = (lead, top, status, choices, values["message"], event.description, page, f"-- \n{note}" if note else "")
    return "\n\n".join(filter(None, parts)) + "\n"


def _envelope(ctx: Context, delivery: Delivery, event: Event, subject: Text) -> EmailMessage:
    """From the service's own address, with the organiser's name and that of the site: a mail from the organiser's address would not pass
    DMARC, and a name alone could be that of anybody."""
    settings = ctx.settings
    message = envelope(settings, delivery.address, ctx.locale.translate(subject), str(delivery.id), delivery.created_at)
    del message["From"]
    names = {"name": clean_display_name(event.owner_name), "site": clean_display_name(sites.get(ctx).name)}
    via = ctx.locale.translate(gettext("%(name)s (via %(site)s)", **names))
    message["From"] = Address(via, addr_spec=sender(settings.email_from, settings.url).addr_spec)
    return message


def build_note(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail to the organiser about a reply; about a refused reply, the mail to the guest."""
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
    subject = gettext("Your RSVP wasn’t recorded: %(title)s", title=event.title) if is_to_guest else _note_subject(note, event)
    message = envelope(ctx.settings, delivery.address, ctx.locale.translate(subject), str(delivery.id), delivery.created_at)
    if not is_to_guest:
        set_reply_to(message, invitation.address)
    lead = _note_lead(note, guest)
    url = policy.invitation_url(ctx.settings, invitation) if is_to_guest else f"{ctx.settings.url}/events/{event.id}/invitations"
    quoted = "" if "text" in lead.values else note.text
    values = {**describe_event(event, ctx.locale), "event": event, "lead": lead, "message": quoted, "rule": "", "call_url": ""}
    values |= {"url": "", "cover": ""}
    _add_bodies(ctx, message, values, [Link(gettext("Open invitation") if is_to_guest else gettext("View invitations"), url)])
    return message


def _note_subject(note: Note, event: Event) -> str:
    return f"{note.subject} – {event.title}" if note.subject else gettext("Reply: %(title)s", title=event.title)


def _note_lead(note: Note, guest: str) -> Text:
    if note.kind == "text":
        return gettext("%(guest)s replied to the invitation:", guest=guest)
    if note.kind == "counter":
        return gettext("%(guest)s suggested another time for this event. Edit the event, or write to them.", guest=guest)
    if note.kind == "delegated":
        return gettext("%(guest)s wants to send someone else instead. If you agree, invite that person.", guest=guest)
    if note.kind == "unreadable":
        return gettext(
            "%(guest)s replied to the invitation, but the calendar file in the reply couldn’t be read: %(text)s.",
            guest=guest,
            text=note.text,
        )
    return gettext("Your reply to the invitation wasn’t recorded: %(text)s", text=note.text)
