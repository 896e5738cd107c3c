"""The trash: deleted events and calendars that can be restored."""

from msgspec import UNSET

from kalends.changes import history, present
from kalends.changes.model import TrashIndex
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, paginate


@endpoint("GET", "/api/trash")
def index(ctx: Context, params: Paging) -> TrashIndex:
    """The deleted events and calendars that you may restore, newest first: undo the change `seq` to restore them. They stay for 90 days,
    unless the server is set otherwise."""
    rows, next_page = paginate(ctx, params, history.deleted_events(ctx, params))
    total = history.count_deleted_events(ctx) if params.count else UNSET
    return TrashIndex([present.deleted(row) for row in rows], params.size, params.offset, next_page, total)
