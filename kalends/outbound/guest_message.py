"""The mail of a message to a guest: what the organiser writes, with the guest's own link and the link to get no more."""

from email.message import EmailMessage

from kalends import policy
from kalends.context import Context
from kalends.deliveries.recipient_links import stop_url
from kalends.events import store as events
from kalends.events.invitations import store as invitations
from kalends.events.messages import store
from kalends.i18n import Text, gettext
from kalends.i18n.locale import Locale
from kalends.outbound.message import set_reply_to
from kalends.outbound.outcome import Undeliverable
from kalends.outbound.response_message import NO_MORE, Link, guest_mail, guest_text
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.responses import store as responses
from kalends.transports import FILES
from kalends.users import store as users

LEAD = gettext("The organiser of this event writes:")
RESPONDED = gettext("You get this because you responded to this event.")
INVITED = gettext("You get this because you are invited to this event.")
OWN_LINK = gettext("a link of each guest's own")


def build(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail to one guest, who must still be one and see the event. It names no other guest."""
    message = store.find_by_cause(ctx, delivery.cause or "")
    if message is None:
        raise Undeliverable("The event was deleted before it was sent.")
    event = events.get(ctx, message.event_id)
    own, reason = _own_link(ctx, event, delivery.address)
    links = [own, *([Link(gettext("To the event"), policy.guest_url(ctx.settings, event))] if event.is_open else [])]
    stop = Link(NO_MORE, stop_url(ctx.settings, delivery.id))
    lead = _lead(message.text, ctx.locale)
    mail = guest_mail(ctx.settings, delivery, event, message.subject, lead, links, reason, stop=stop, has_file=False, locale=ctx.locale)
    owner = users.get_organiser(ctx, event.id)
    # Replies go to no address that its owner has not verified.
    if owner.verified_at is not None or ctx.settings.email == FILES:
        set_reply_to(mail, owner.email_address)
    return mail


def preview(event: Event, text: str, locale: Locale) -> str:
    """The plain text of the mail, for its sender to review."""
    own_link = locale.translate(OWN_LINK)
    links = [Link(gettext("Your response"), own_link)]
    stop = Link(NO_MORE, own_link)
    return guest_text(policy.essentials(event), _lead(text, locale), links, RESPONDED, stop=stop, locale=locale)


def _lead(text: str, locale: Locale) -> str:
    return f"{locale.translate(LEAD)}\n\n{text}"


def _own_link(ctx: Context, event: Event, address: str) -> tuple[Link, Text]:
    """The link of the guest's response or invitation, and why the guest gets the mail."""
    response = next(iter(responses.of_address(ctx, event.id, address)), None)
    if response and policy.sees_event(ctx, response, event):
        return Link(gettext("Your response"), policy.response_url(ctx.settings, response)), RESPONDED
    invitation = None if response else invitations.find_for(ctx, event, address)
    if invitation is None:
        raise Undeliverable("The response or the invitation was withdrawn, or the event made private, before it was sent.")
    return Link(gettext("Respond to the invitation"), policy.invitation_url(ctx.settings, invitation)), INVITED
