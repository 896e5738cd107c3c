"""The page behind Me in the bar at the foot of phones: what the menu of the header has elsewhere."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/me")
def show(ctx: Context) -> Document:
    """Your contacts, calendars, settings and what else is yours."""
    policy.user(ctx)
    return render("account/me.html", ctx, title=gettext("Me"))
