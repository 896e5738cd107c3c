"""The content of a delivery, built when it is sent, from the records as they are then."""

from collections.abc import Callable
from email.headerregistry import Address
from email.message import EmailMessage

from msgspec import structs

from kalends import policy
from kalends.core.records.delivery import ADMINISTRATION_NOTICES, OWNERSHIP_NOTICES, Delivery, PlaceNotice
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.core.records.response import Response
from kalends.core.transports import sender
from kalends.core.values.text import clean_display_name
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import store
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.messages import (
    account_message,
    administration_message,
    change_message,
    guest_message,
    invitation_message,
    message,
    news_message,
    ownership_message,
    place_message,
    reminder_message,
    response_message,
    share_message,
)
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.events import store as events
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import store as responses
from kalends.features.responses.present import find_places
from kalends.features.users import store as users
from kalends.features.users.steps import mailed_links
from kalends.http.context import Context
from kalends.policy import site as sites

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


# The mails about an event that its organiser causes, or to which guests respond.
TO_GUESTS = ("announce", "response", "change", "cancel", "reminder", "invitation", "link")


def build(ctx: Context, delivery: Delivery) -> EmailMessage | str:
    """The e-mail or, for the channel `sms`, the text, in the recipient's language. Raises Undeliverable if there is nothing to tell
    any more."""
    ctx.set_locale(languages.find_locale(ctx, delivery.address))
    ctx.settings = structs.replace(ctx.settings, site_name=sites.get(ctx).name)
    content = _build(ctx, delivery)
    if isinstance(content, EmailMessage):
        _name_sender(ctx, content)
        _let_reply(ctx, delivery, content)
    return content


def _name_sender(ctx: Context, mail: EmailMessage) -> None:
    """A mail is from the site, by its name, unless a person stands there or the site has no name of its own."""
    address, name = sender(ctx.settings.email_from, ctx.settings.url), clean_display_name(ctx.settings.site_name)
    if name != sites.DEFAULTS.name and mail["From"] == str(address):
        del mail["From"]
        mail["From"] = Address(name, addr_spec=address.addr_spec)


def _let_reply(ctx: Context, delivery: Delivery, mail: EmailMessage) -> None:
    """A guest's reply reaches the organiser, at an address that its owner has verified; but one by which the reply is recorded stays."""
    if delivery.event_id is None or mail["Reply-To"] or not (delivery.kind in TO_GUESTS or delivery.is_about_place):
        return
    organiser = users.get_organiser(ctx, delivery.event_id)
    if organiser.verified_at is not None or not ctx.settings.sends("email"):
        message.set_reply_to(mail, organiser.email_address)


def _build(ctx: Context, delivery: Delivery) -> EmailMessage | str:
    if delivery.kind in GUEST_MESSAGES:
        if suppressions.is_suppressed(ctx, delivery):
            raise Undeliverable("They wanted no more such messages before it was sent, or their address does not work.")
        return GUEST_MESSAGES[delivery.kind](ctx, delivery)
    if delivery.notice == "response_news":
        return _news(ctx, delivery)
    if delivery.notice in ("event_hidden", "event_shown"):
        return administration_message.build_moderation(ctx, *_current(ctx, delivery))
    if delivery.notice == "cohost_added":
        return ownership_message.build_cohost(ctx, *_current(ctx, delivery))
    if delivery.is_about_share:
        return share_message.build(ctx, delivery, _account(ctx, delivery))
    if delivery.notice in OWNERSHIP_NOTICES:
        return ownership_message.build(ctx, delivery, _account(ctx, delivery))
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
        response = _placed_response(ctx, current)
        event = policy.reveal_to_guest(event, response)
        return place_message.place_mail(ctx, current, event, response)
    return (message.mail if current.channel == "email" else message.text)(ctx.settings, current, event, ctx.locale)


def _news(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The news for an organiser, as it is now."""
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
        return response_message.proposal_mail(ctx, current, event, proposal)
    if current.notice == "response_removed":
        return response_message.removal_mail(ctx, current, event)
    if current.kind == "response":
        rows = responses.find_by_ids(ctx, [current.response_id] if current.response_id else [])
    else:
        rows = responses.of_address(ctx, event.id, current.address)
    if not rows:
        raise Undeliverable("There is no response of this address.")
    response = rows[0]
    place = find_places(ctx, [response]).get(response.id)
    event = policy.reveal_to_guest(event, response)
    if place and place.place in ("offered", "lapsed") and current.notice is None:
        notice: PlaceNotice = "place_offered" if place.place == "offered" else "place_lapsed"
        return place_message.place_mail(ctx, structs.replace(current, notice=notice), event, response)
    return response_message.response_mail(ctx, current, event, response, place)


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
    valid_for = mailed_links.RESET_SECONDS if delivery.kind == "reset" else mailed_links.VERIFY_SECONDS
    if ctx.now >= delivery.created_at + valid_for or user.email_address != delivery.address:
        raise Undeliverable("The link had expired before it was sent.")
    return user
