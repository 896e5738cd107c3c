"""The history of an event."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.changes import history, present
from kalends.changes.history import EventChangeRow
from kalends.changes.model import EventChangeIndex
from kalends.changes.tables import BY_KIND
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, paginate
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/changes")
def changes(ctx: Context, event_id: int, params: Paging) -> EventChangeIndex:
    """The history of the event, newest first, for those who may edit it: who changed what on the event itself, its calendars, comments
    and responses. It goes back 90 days, unless the server is set otherwise."""
    policy.event(ctx, event_id, to=Right.EDIT)
    rows, next_page = paginate(ctx, params, history.of_event(ctx, event_id, params))
    items = [present.change(row, _current(ctx, row)) for row in rows]
    total = history.count_of_event(ctx, event_id) if params.count else UNSET
    return EventChangeIndex(items, params.size, params.offset, next_page, total)


def _current(ctx: Context, row: EventChangeRow) -> dict[str, Any] | None:
    """The record as it is now, if this is its last change."""
    if row.op == "delete" or row.next_before:
        return None
    return history.find_row(ctx, BY_KIND[row.kind], row.record_id)
