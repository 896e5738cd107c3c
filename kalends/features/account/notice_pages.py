"""Stopping the mail about responses and comments without signing in: from a link, or by a mail program's one click (RFC 8058)."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.deliveries.rules.recipient_links import INCOMPLETE, parse_notices_token
from kalends.features.responses import news_store as news
from kalends.features.users import store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/account/notices/{notices_token}", guests=True, credentials=False)
def ask(ctx: Context, notices_token: str) -> Document:
    """Ask before the mail is stopped: programs that open links must not stop it."""
    _user_id(ctx, notices_token)
    return render("account/notices.html", ctx, title=gettext("Stop these messages"), is_off=False)


@page("POST", "/account/notices/{notices_token}", guests=True, credentials=False)
def stop(ctx: Context, notices_token: str) -> Document:
    """Stop the mail; doing so twice changes nothing."""
    user_id = _user_id(ctx, notices_token)
    store.stop_notices(ctx, user_id)
    news.reschedule(ctx, store.get(ctx, user_id))
    return render("account/notices.html", ctx, title=gettext("Stopped"), is_off=True)


def _user_id(ctx: Context, token: str) -> int:
    user_id = parse_notices_token(ctx.settings, token)
    if user_id is None:
        raise errors.NotFound(INCOMPLETE)
    return store.get(ctx, user_id).id
