"""Leaving the list without an account: from a link, or by a mail program's one click (RFC 8058)."""

from kalends import errors
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.subscribers import store
from kalends.subscribers.link import subscriber_of
from kalends.web.render import render


@endpoint("GET", "/unsubscribe/{token}", guests=True, credentials=False, format="html")
@endpoint("GET", "/u/{token}", guests=True, credentials=False, format="html")
def ask(ctx: Context, token: str) -> Document:
    """Ask before leaving the list: programs that look links up must not unsubscribe anybody."""
    _subscriber(ctx, token)
    return render("subscribers/ask.html", ctx, title="Unsubscribe")


@endpoint("POST", "/unsubscribe/{token}", guests=True, credentials=False, format="html")
@endpoint("POST", "/u/{token}", guests=True, credentials=False, format="html")
def leave(ctx: Context, token: str) -> Document:
    """Leave the list; doing so twice changes nothing."""
    store.delete(ctx, _subscriber(ctx, token))
    return render("subscribers/left.html", ctx, title="Unsubscribed")


def _subscriber(ctx: Context, token: str) -> int:
    found = subscriber_of(ctx.settings, token)
    if found is None:
        raise errors.NotFound("This link is not complete. Copy it whole from the message.")
    return found
