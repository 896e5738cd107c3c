"""Confirming an opt-in without an account, from a link."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.rules.recipient_links import INCOMPLETE, parse_confirm_token
from kalends.features.subscribers import store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/confirm/{confirm_token}", guests=True, credentials=False)
@page("GET", "/c/{confirm_token}", guests=True, credentials=False)
def ask(ctx: Context, confirm_token: str) -> Document:
    """Ask before the opt-in is confirmed: programs that open links must not confirm anything."""
    owner = store.owner_name(ctx, _message(ctx, confirm_token).owner_id)
    return render("subscribers/confirm.html", ctx, title=gettext("Confirm your subscription"), owner=owner)


@page("POST", "/confirm/{confirm_token}", guests=True, credentials=False)
@page("POST", "/c/{confirm_token}", guests=True, credentials=False)
def confirm(ctx: Context, confirm_token: str, params: Form) -> Document:
    """Confirm the opt-in; doing so twice changes nothing."""
    message = _message(ctx, confirm_token)
    store.confirm(ctx, message.owner_id, message.channel, message.address, message.event_id)
    return render("subscribers/confirmed.html", ctx, title=gettext("Confirmed"))


def _message(ctx: Context, token: str) -> Delivery:
    """The message that carried the link."""
    delivery_id = parse_confirm_token(ctx.settings, token)
    if delivery_id is None:
        raise errors.NotFound(INCOMPLETE)
    message = deliveries.get(ctx, delivery_id)
    if message is None or message.kind != "confirm" or ctx.now >= message.created_at + store.CONFIRMATION_LIFETIME:
        raise errors.NotFound(gettext("This link has expired. Subscribe again to get a new one."))
    return message
