"""The content of a delivery, built when it is sent, from the records as they are then."""

from collections.abc import Callable
from email.message import EmailMessage

from kalends.context import Context
from kalends.deliveries import languages, store, suppressions
from kalends.events import store as events
from kalends.outbound import (
    account_message,
    administration_message,
    change_message,
    guest_message,
    invitation_message,
    message,
    moderation_message,
    news_message,
    place_message,
    reminder_message,
    response_message,
)
from kalends.outbound.outcome import Undeliverable
from kalends.records.delivery import ADMINISTRATION_NOTICES, Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.records.user import User
from kalends.responses import places, proposals
from kalends.responses import store as responses
from kalends.users import reset_link, verify_link
from kalends.users import store as users

ACCOUNT_MESSAGES = {"reset": account_message.reset, "verify": account_message.verify, "notice": account_message.notice}
# The messages to guests by their kind: an e-mail or, for the channel `sms`, a text. They raise Undeliverable if there is nothing to tell.
GUEST_MESSAGES: dict[str, Callable[[Context, Delivery], EmailMessage | str]] = {
    "change": change_message.build,
    "cancel": change_message.build,
    "reminder": reminder_message.build,
    "invitation": invitation_message.build,
    "message": guest_message.build,
    "confirmation": invitation_message.build_note,
}


def build(ctx: Context, delivery: Delivery) -> EmailMessage | str:
    """The e-mail or, for the channel `sms`, the text, in the recipient's language. Raises Undeliverable if there is nothing to tell
    any more."""
    ctx.set_locale(languages.find_locale(ctx, delivery.address))
    if delivery.kind in GUEST_MESSAGES:
        if suppressions.is_suppressed(ctx, delivery):
            raise Undeliverable("They wanted no more such messages before it was sent, or their address does not work.")
        return GUEST_MESSAGES[delivery.kind](ctx, delivery)
    if delivery.notice == "response_news":
        return _news(ctx, delivery)
    if delivery.notice in ("event_hidden", "event_shown"):
        return moderation_message.build(ctx, *_current(ctx, delivery))
    if delivery.notice in ADMINISTRATION_NOTICES:
        return administration_message.build(ctx, delivery, _account(ctx, delivery))
    if delivery.kind in ACCOUNT_MESSAGES and not (delivery.is_about_new_date or delivery.is_about_place):
        return ACCOUNT_MESSAGES[delivery.kind](ctx.settings, delivery, _account(ctx, delivery), ctx.locale)
    if delivery.kind == "confirm":
        render = message.confirmation if delivery.channel == "email" else message.confirmation_text
        return render(ctx.settings, delivery, _load_list_owner(ctx, delivery), ctx.locale)
    if delivery.kind in ("response", "proposal", "link"):
        return _about_response(ctx, delivery)
    current, event = _current(ctx, delivery)
    if current.is_about_place:
        return place_message.place_mail(ctx.settings, current, event, _placed_response(ctx, current), ctx.locale)
    return (message.mail if current.channel == "email" else message.text)(ctx.settings, current, event, ctx.locale)


def _news(ctx: Context, delivery: Delivery) -> EmailMessage:
    """What an organiser is told of, as it is now."""
    owner = _account(ctx, delivery)
    if owner.response_notices == "off" or owner.email_address != delivery.address:
        raise Undeliverable("They did not want it any more, or have another address.")
    content = news_message.build(ctx, delivery, owner)
    if content is None:
        raise Undeliverable("What it was about was removed before it was sent.")
    return content


def _current(ctx: Context, delivery: Delivery) -> tuple[Delivery, Event]:
    """Load the delivery and its event again: they may have changed since it was queued."""
    current = store.get(ctx, delivery.id)
    if current is None or current.event_id is None:
        raise Undeliverable("The event was deleted before it was sent.")
    if current.kind == "announce" and current.subscriber_id is None:
        raise Undeliverable("They left the list before it was sent.")
    event = events.get(ctx, current.event_id)
    # Subscribers were not given the link of an event that is for those who have it.
    if current.public and not (event.public if current.kind == "announce" else event.is_open):
        raise Undeliverable("The event was made private before it was sent.")
    return current, event


def _placed_response(ctx: Context, delivery: Delivery) -> Response:
    """The response whose place the message is about, if what it says still holds."""
    response = next(iter(responses.find_by_ids(ctx, [delivery.response_id] if delivery.response_id else [])), None)
    if response is None or response.response != "YES":
        raise Undeliverable("The response was withdrawn before it was sent.")
    if delivery.notice == "place_offered" and not (response.offered and response.offer_until and ctx.now < response.offer_until):
        raise Undeliverable("The offer was over before it was sent.")
    return response


def _about_response(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail about a response or a proposal, as they are now."""
    current, event = _current(ctx, delivery)
    if current.kind == "proposal":
        proposal = proposals.find(ctx, current.proposal_id) if current.proposal_id else None
        if proposal is None:
            raise Undeliverable("What was to be confirmed had expired before it was sent.")
        return response_message.proposal_mail(ctx.settings, current, event, proposal, ctx.locale)
    if current.notice == "response_removed":
        return response_message.removal_mail(ctx.settings, current, event, ctx.locale)
    if current.kind == "response":
        rows = responses.find_by_ids(ctx, [current.response_id] if current.response_id else [])
    else:
        rows = responses.of_address(ctx, event.id, current.address)
    if not rows:
        raise Undeliverable("There is no response of this address.")
    response = rows[0]
    place = places.find(ctx, [response]).get(response.id)
    return response_message.response_mail(ctx.settings, current, event, response, place, ctx.locale)


def _load_list_owner(ctx: Context, delivery: Delivery) -> User:
    """The owner of the list that the address is asked to confirm."""
    if store.get(ctx, delivery.id) is None:
        raise Undeliverable("The account was deleted before it was sent.")
    return users.get(ctx, delivery.owner_id)


def _account(ctx: Context, delivery: Delivery) -> User:
    """The user whom the message is about, while its link is valid. A notice has no link."""
    if store.get(ctx, delivery.id) is None:
        raise Undeliverable("The account was deleted before it was sent.")
    user = users.get(ctx, delivery.owner_id)
    if delivery.kind == "notice":
        return user
    valid_for = reset_link.VALID_FOR if delivery.kind == "reset" else verify_link.VALID_FOR
    if ctx.now >= delivery.created_at + valid_for or user.email_address != delivery.address:
        raise Undeliverable("The link had expired before it was sent.")
    return user
