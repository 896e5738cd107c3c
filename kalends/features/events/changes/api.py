"""The history of an event."""

from typing import Any

from kalends import policy
from kalends.features.changes import history_store as history
from kalends.features.changes import present
from kalends.features.changes.history_store import EventChangeRow
from kalends.features.changes.model import EventChangeIndex
from kalends.features.changes.rules.tables import BY_KIND
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, build_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/changes")
def changes(ctx: Context, event_id: int, params: Paging) -> EventChangeIndex:
    """The history of the event, newest first, for those who may edit it: who changed what on the event itself, its calendars, comments
    and responses. It goes back 90 days, unless the server is set otherwise."""
    policy.event(ctx, event_id, to=Right.EDIT)
    rows, page = build_page(ctx, params, history.of_event(ctx, event_id, params), lambda: history.count_of_event(ctx, event_id))
    items = [present.change(row, _current(ctx, row)) for row in rows]
    return EventChangeIndex(items, **page)


def _current(ctx: Context, row: EventChangeRow) -> dict[str, Any] | None:
    """The record as it is now, if this is its last change."""
    if row.op == "delete" or row.next_before:
        return None
    return history.find_row(ctx, BY_KIND[row.kind], row.record_id)
