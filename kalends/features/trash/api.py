"""The trash: deleted events and calendars that can be restored."""

from kalends.features.changes import history_store as history
from kalends.features.changes import present
from kalends.features.changes.model import TrashIndex
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, build_page


@endpoint("GET", "/api/trash")
def index(ctx: Context, params: Paging) -> TrashIndex:
    """The deleted events and calendars that you may restore, newest first: undo the change `seq` to restore them. They stay for 90 days,
    unless the server is set otherwise."""
    rows, page = build_page(ctx, params, history.deleted_events(ctx, params), lambda: history.count_deleted_events(ctx))
    return TrashIndex([present.deleted(row) for row in rows], **page)
