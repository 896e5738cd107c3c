"""Confirming an opt-in and leaving the list without an account: from a link, or by a mail program's one click (RFC 8058)."""

from kalends import errors
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.deliveries.model import Delivery
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.subscribers import store
from kalends.subscribers.mail_links import delivery_of, subscriber_of
from kalends.users import store as users
from kalends.web.render import render

INCOMPLETE = "This link is not complete. Copy it whole from the message."


@endpoint("GET", "/unsubscribe/{token}", guests=True, credentials=False, format="html")
@endpoint("GET", "/u/{token}", guests=True, credentials=False, format="html")
def ask(ctx: Context, token: str) -> Document:
    """Ask before leaving the list: programs that look links up must not unsubscribe anybody."""
    _subscriber(ctx, token)
    return render("subscribers/ask.html", ctx, title="Unsubscribe")


@endpoint("POST", "/unsubscribe/{token}", guests=True, credentials=False, format="html")
@endpoint("POST", "/u/{token}", guests=True, credentials=False, format="html")
def leave(ctx: Context, token: str) -> Document:
    """Leave the list, and stay off it until this address itself opts in again; doing so twice changes nothing."""
    store.leave(ctx, _subscriber(ctx, token))
    return render("subscribers/left.html", ctx, title="Unsubscribed")


@endpoint("GET", "/confirm/{confirm_token}", guests=True, credentials=False, format="html")
@endpoint("GET", "/c/{confirm_token}", guests=True, credentials=False, format="html")
def ask_confirmation(ctx: Context, confirm_token: str) -> Document:
    """Ask before the opt-in is confirmed: programs that look links up must not confirm anything."""
    owner = users.get(ctx, _message(ctx, confirm_token).owner_id)
    return render("subscribers/ask_confirmation.html", ctx, title="Confirm", owner=owner.name or owner.user_name)


@endpoint("POST", "/confirm/{confirm_token}", guests=True, credentials=False, format="html")
@endpoint("POST", "/c/{confirm_token}", guests=True, credentials=False, format="html")
def confirm(ctx: Context, confirm_token: str, params: Form) -> Document:
    """Confirm the opt-in; doing so twice changes nothing."""
    message = _message(ctx, confirm_token)
    store.confirm(ctx, message.owner_id, message.channel, message.address, message.event_id)
    return render("subscribers/confirmed.html", ctx, title="Confirmed")


def _message(ctx: Context, token: str) -> Delivery:
    """The message that carried the link."""
    delivery_id = delivery_of(ctx.settings, token)
    if delivery_id is None:
        raise errors.NotFound(INCOMPLETE)
    message = deliveries.get(ctx, delivery_id)
    if message is None or message.kind != "confirm" or ctx.now >= message.created_at + store.UNCONFIRMED_FOR:
        raise errors.NotFound("This link has expired. Opt in again, and you get a new one.")
    return message


def _subscriber(ctx: Context, token: str) -> int:
    found = subscriber_of(ctx.settings, token)
    if found is None:
        raise errors.NotFound(INCOMPLETE)
    return found
