"""The history of an event in words, for those who may edit it."""

from msgspec import Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.changes.model import EventChange
from kalends.features.events.changes import api as changes
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.labels import calendar_name
from kalends.web.page import page
from kalends.web.render import render


class Entry(Struct, frozen=True):
    """What one request changed, which is undone together."""

    first: EventChange
    changes: list[EventChange]
    # The names of the calendar that the event left and of the one to which it moved; empty for one that the reader cannot see.
    move: tuple[str, str] | None
    can_undo: bool


@page("GET", "/events/{event_id}/history")
def history(ctx: Context, event_id: int, params: Paging) -> Document:
    """Who changed what on the event, newest first, with a button to undo what was changed together."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    index = changes.changes(ctx, event_id, params)
    calendars = _calendar_names(ctx, index.changes)
    return render(
        "events/history.html",
        ctx,
        title=gettext("History of %(title)s", title=event.title),
        event=event,
        index=index,
        changes=_entries(index.changes, calendars),
        names=calendars | _guest_names(ctx, index.changes),
    )


def _entries(listed: list[EventChange], calendars: dict[int, str]) -> list[Entry]:
    requests: dict[int, list[EventChange]] = {}
    for each in listed:
        requests.setdefault(each.set_id, []).append(each)
    return [_entry(changes, calendars) for changes in requests.values()]


def _entry(listed: list[EventChange], calendars: dict[int, str]) -> Entry:
    """The changes of one request, without those that go without saying: the place and the settings of a new event, and the parts of a
    move."""
    places = {each.op: each for each in listed if each.kind == "placement"}
    move = None
    if places.keys() == {"create", "delete"}:
        move = calendars.get(places["delete"].seq, ""), calendars.get(places["create"].seq, "")
    is_new = any((each.kind, each.op) == ("event", "create") for each in listed)
    shown = [each for each in listed if not (move and _is_part_of_move(each)) and not (is_new and each.kind in ("placement", "settings"))]
    # A response of a guest is theirs.
    can_undo = any(each.actor or each.kind != "response" for each in listed)
    return Entry(listed[0], shown, move, can_undo)


def _is_part_of_move(change: EventChange) -> bool:
    return change.kind == "placement" or (change.kind, change.op, change.fields) == ("event", "update", [])


def _calendar_names(ctx: Context, listed: list[EventChange]) -> dict[int, str]:
    """The names of the calendars to which the event came or that it left, by the number of the change, if the reader can see them."""
    ids = {
        each.seq: int(field.after or field.before or 0)
        for each in listed
        if each.kind == "placement"
        for field in each.fields
        if field.field == "calendar_id"
    }
    calendars = {each.id: calendar_name(ctx, each.name) for each in policy.visible_calendars(ctx, sorted(set(ids.values())))}
    return {seq: calendars[calendar_id] for seq, calendar_id in ids.items() if calendar_id in calendars}


def _guest_names(ctx: Context, listed: list[EventChange]) -> dict[int, str]:
    """The names or addresses of the guests whose responses changed, by the number of the change."""
    ids = sorted({each.id for each in listed if each.kind == "response"})
    rows = {row.id: row.name or row.email_address for row in responses.find_by_ids(ctx, ids)} if ids else {}
    return {each.seq: rows[each.id] for each in listed if each.kind == "response" and each.id in rows}
