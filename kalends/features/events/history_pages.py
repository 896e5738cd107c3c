"""The history of an event in words, for those who may edit it."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.changes.model import EventChange
from kalends.features.events.changes import api as changes
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/events/{event_id}/history")
def history(ctx: Context, event_id: int, params: Paging) -> Document:
    """Who changed what on the event, newest first, with a button to undo each change."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    index = changes.changes(ctx, event_id, params)
    return render(
        "events/history.html",
        ctx,
        title=gettext("History of %(title)s", title=event.title),
        event=event,
        index=structs.replace(index, changes=_without_parts(index.changes)),
        guests=_guest_names(ctx, index.changes),
    )


def _without_parts(listed: list[EventChange]) -> list[EventChange]:
    """The changes without what was created together with the event: its place on a calendar, and its settings."""
    created = {each.at for each in listed if (each.kind, each.op) == ("event", "create")}
    return [each for each in listed if each.op != "create" or each.kind not in ("placement", "settings") or each.at not in created]


def _guest_names(ctx: Context, listed: list[EventChange]) -> dict[int, str]:
    """The names or addresses of the guests whose responses changed, by the ids of the responses."""
    ids = sorted({each.id for each in listed if each.kind == "response"})
    return {row.id: row.name or row.email_address for row in responses.find_by_ids(ctx, ids)} if ids else {}
