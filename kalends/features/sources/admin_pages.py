"""Administration: the calendars that people of this site follow."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.sources import item_store, present, store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.paging import Paging, paginate
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/admin/sources")
def index(ctx: Context, params: Paging) -> Document:
    """All followed calendars of the site, and how each is."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index_all(ctx, params))
    sources = [present.item(ctx, row) for row in rows]
    counts = item_store.count_by_source(ctx, [source.id for source in sources])
    title = gettext("Calendars from elsewhere")
    return render("sources/site.html", ctx, title=title, sources=sources, counts=counts, offset=params.offset, next=next_page)
