"""The history of an event."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.features.changes import history_store as history
from kalends.features.changes import present
from kalends.features.changes.history_store import EventChangeRow
from kalends.features.changes.model import EventChangeIndex
from kalends.features.changes.rules.tables import BY_KIND
from kalends.http.context import Context
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
    return EventChangeIndex(items, limit=params.size, offset=params.offset, next=next_page, total=total)


def _current(ctx: Context, row: EventChangeRow) -> dict[str, Any] | None:
    """The record as it is now, if this is its last change."""
    if row.op == "delete" or row.next_before:
        return None
    return history.find_row(ctx, BY_KIND[row.kind], row.record_id)
