"""The page behind the bell: what waits for the reader, and the latest news of their events."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.responses import news_store, present
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.policy import site as sites
from kalends.policy.site import SEEN_COOKIE
from kalends.web.page import page
from kalends.web.render import render

MAX_NEWS = 50
YEAR = 365 * 86_400


@page("GET", "/notifications")
def show(ctx: Context) -> Document:
    """Invitations to answer, comments to approve and reports, and the latest RSVPs and comments. What is shown counts as read."""
    policy.user(ctx)
    news = news_store.find_latest(ctx, MAX_NEWS)
    seen = sites.seen_news(ctx)
    if news and news[0].id > seen:
        ctx.set_cookie(SEEN_COOKIE, str(news[0].id), YEAR)
    rows = responses.find_by_ids(ctx, [each.response_id for each in news if each.response_id])
    return render(
        "notifications/show.html",
        ctx,
        title=gettext("Notifications"),
        news=news,
        places=present.find_places(ctx, rows),
        seen=seen,
        format_utc=timestamps.format_utc,
    )
