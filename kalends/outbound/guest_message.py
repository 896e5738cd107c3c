"""The mail of a message to a guest: what the organiser writes, with the guest's own link and the link to get no more."""

from email.message import EmailMessage

from kalends import policy
from kalends.context import Context
from kalends.deliveries.recipient_links import stop_url
from kalends.events import store as events
from kalends.events.invitations import store as invitations
from kalends.events.messages import store
from kalends.outbound.message import set_reply_to
from kalends.outbound.outcome import Undeliverable
from kalends.outbound.response_message import NO_MORE, Link, guest_mail, guest_text
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.responses import store as responses
from kalends.transports import FILES
from kalends.users import store as users

LEAD = "The organiser of this event writes:\n\n{}"
RESPONDED = "You get this because you responded to this event."
INVITED = "You get this because you are invited to this event."
OWN_LINK = "a link of each guest's own"


def build(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail to one guest, who must still be one and see the event. It names no other guest."""
    message = store.find_by_cause(ctx, delivery.cause or "")
    if message is None:
        raise Undeliverable("The event was deleted before it was sent.")
    event = events.get(ctx, message.event_id)
    own, reason = _own_link(ctx, event, delivery.address)
    links = [own, *([Link("To the event", policy.guest_url(ctx.settings, event))] if event.is_open else [])]
    stop = Link(NO_MORE, stop_url(ctx.settings, delivery.id))
    lead = LEAD.format(message.text)
    mail = guest_mail(ctx.settings, delivery, event, message.subject, lead, links, reason, stop=stop, has_file=False)
    owner = users.get(ctx, event.owner_id)
    # Replies go to no address that its owner has not verified.
    if owner.verified_at is not None or ctx.settings.email == FILES:
        set_reply_to(mail, owner.email_address)
    return mail


def preview(event: Event, text: str) -> str:
    """The plain text of the mail, for its sender to review."""
    return guest_text(
        policy.essentials(event), LEAD.format(text), [Link("Your response", OWN_LINK)], RESPONDED, stop=Link(NO_MORE, OWN_LINK)
    )


def _own_link(ctx: Context, event: Event, address: str) -> tuple[Link, str]:
    """The link of the guest's response or invitation, and why the guest gets the mail."""
    response = next(iter(responses.of_address(ctx, event.id, address)), None)
    if response and policy.sees_event(ctx, response, event):
        return Link("Your response", policy.response_url(ctx.settings, response)), RESPONDED
    invitation = None if response else invitations.find_for(ctx, event, address)
    if invitation is None:
        raise Undeliverable("The response or the invitation was withdrawn, or the event made private, before it was sent.")
    return Link("Respond to the invitation", policy.invitation_url(ctx.settings, invitation)), INVITED
