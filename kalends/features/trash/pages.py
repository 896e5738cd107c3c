"""The trash, as a page."""

from kalends.core.i18n import gettext
from kalends.features.trash import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/trash")
def index(ctx: Context, params: Paging) -> Document:
    """Deleted events, with a button to restore them."""
    return render("trash/index.html", ctx, title=gettext("Trash"), index=api.index(ctx, params), days=ctx.settings.history_days)
