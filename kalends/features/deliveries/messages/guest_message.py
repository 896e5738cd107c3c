"""The mail of a message to a guest: what the organiser writes, with the guest's own link and the link to get no more."""

from email.message import EmailMessage
from typing import Any

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.i18n.locale import Locale
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.features.deliveries.messages.message import set_reply_to
from kalends.features.deliveries.messages.response_message import NO_MORE, Link, guest_mail, guest_text
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.deliveries.rules.recipient_links import stop_url
from kalends.features.events import store as events
from kalends.features.events.invitations import store as invitations
from kalends.features.events.messages import store
from kalends.features.responses import store as responses
from kalends.features.users import store as users
from kalends.http.context import Context

LEAD = gettext("A message from the organiser:")
RESPONDED = gettext("You get this because you sent an RSVP to this event.")
INVITED = gettext("You get this because you’re invited to this event.")
OWN_LINK = gettext("each guest’s own link")


def build(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail to one guest, who must still be one and see the event. It names no other guest."""
    message = store.find_by_cause(ctx, delivery.cause or "")
    if message is None:
        raise Undeliverable("The event was deleted before it was sent.")
    [event] = policy.reveal_to_address(ctx, [events.get(ctx, message.event_id)], delivery.address)
    own, reason = _own_link(ctx, event, delivery.address)
    links = [own, *([Link(gettext("View event"), policy.guest_url(ctx.settings, event))] if event.is_open else [])]
    stop = Link(NO_MORE, stop_url(ctx.settings, delivery.id))
    values: dict[str, Any] = {"words": message.text, "stop": stop, "locale": ctx.locale}
    mail = guest_mail(ctx.settings, delivery, event, message.subject, LEAD, links, reason, **values)
    owner = users.get_organiser(ctx, event.id)
    # Replies go to no address that its owner has not verified.
    if owner.verified_at is not None or not ctx.settings.sends("email"):
        set_reply_to(mail, owner.email_address)
    return mail


def preview(event: Event, text: str, locale: Locale) -> str:
    """The plain text of the mail, for its sender to review."""
    own_link = locale.translate(OWN_LINK)
    links = [Link(gettext("Your RSVP"), own_link)]
    stop = Link(NO_MORE, own_link)
    return guest_text(policy.guest_view(event), LEAD, links, RESPONDED, words=text, stop=stop, locale=locale)


def _own_link(ctx: Context, event: Event, address: str) -> tuple[Link, Text]:
    """The link of the guest's response or invitation, and why the guest gets the mail."""
    response = next(iter(responses.of_address(ctx, event.id, address)), None)
    if response and policy.sees_event(ctx, response, event):
        return Link(gettext("Your RSVP"), policy.response_url(ctx.settings, response)), RESPONDED
    invitation = None if response else invitations.find_for(ctx, event, address)
    if invitation is None:
        raise Undeliverable("The response or the invitation was withdrawn, or the event made private, before it was sent.")
    return Link(gettext("RSVP to the invitation"), policy.invitation_url(ctx.settings, invitation)), INVITED
