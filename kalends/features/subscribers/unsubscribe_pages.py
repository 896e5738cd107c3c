"""Leaving a list without an account: from a link, or by a mail program's one click (RFC 8058)."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.deliveries.rules.recipient_links import INCOMPLETE, parse_unsubscribe_token
from kalends.features.subscribers import store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/unsubscribe/{token}", guests=True, credentials=False)
@page("GET", "/u/{token}", guests=True, credentials=False)
def ask(ctx: Context, token: str) -> Document:
    """Ask before someone leaves the list: programs that open links must not unsubscribe anybody."""
    _subscriber(ctx, token)
    return render("subscribers/unsubscribe.html", ctx, title=gettext("Unsubscribe"))


@page("POST", "/unsubscribe/{token}", guests=True, credentials=False)
@page("POST", "/u/{token}", guests=True, credentials=False)
def leave(ctx: Context, token: str) -> Document:
    """Leave the list, and stay off it until this address itself opts in again; doing so twice changes nothing."""
    store.leave(ctx, _subscriber(ctx, token))
    return render("subscribers/unsubscribed.html", ctx, title=gettext("Unsubscribed"))


def _subscriber(ctx: Context, token: str) -> int:
    subscriber_id = parse_unsubscribe_token(ctx.settings, token)
    if subscriber_id is None:
        raise errors.NotFound(INCOMPLETE)
    return subscriber_id
