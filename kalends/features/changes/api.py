"""Changes: follow what you may see, by a cursor."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.changes import history_store as history
from kalends.features.changes.model import ChangeIndex, ChangeWait, UndoInput, UndoneRecord, UndoResult
from kalends.features.changes.rules.record import Record
from kalends.features.changes.steps import batch
from kalends.features.changes.steps.undo import add_up
from kalends.features.changes.steps.undo import undo as undo_request
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.reply import Wait


@endpoint("GET", "/api/changes", guests=True, is_fresh=True)
def index(ctx: Context, params: ChangeWait) -> ChangeIndex:
    """What changed since the cursor, as you may see it now: the calendars that you own or that are shared with you, their events and
    series with comments and responses, your own responses, and your contacts. With `calendar_id`, that calendar alone; a guest must
    send it.

    Without a cursor the reply has no changes, but a cursor: get one, list what you want to have, then follow it. A record that changed
    several times appears once. A cursor that is older than the history gets status 410.

    With `wait`, the reply comes when something has changed, or without changes when the time is over.
    """
    changed = batch.read(ctx, params)
    if params.wait and params.cursor and not changed.index.changes and not changed.index.more:
        ctx.wait = Wait(changed.topics, changed.end, params.wait)
    return changed.index


@endpoint("POST", "/api/changes/{seq}/undo", transaction=False)
def undo(ctx: Context, seq: int, params: UndoInput) -> UndoResult:
    """Undo all that was changed by the request that made this change: deleted records come back with their ids, comments and responses,
    changed ones get their old content, new ones are deleted. It needs the rights that the change needed. If someone changed one of
    the records since: 409, and nothing is changed. An undo is a change itself, and can be undone.

    Many records are put back in several steps, so that others can write in between: `left` are those that someone changed meanwhile.
    If it is interrupted, it is finished within minutes, or at once when you send the request again.

    Nobody is notified, unless `notify` says so. With `auto`, guests get mail who got mail about the change: of the old time, place or
    status, or that an event takes place of whose deletion they know. Any other `notify` chooses among the guests of restored events,
    and of changed ones among those who know of the change: the others know the event as it is now."""
    policy.user(ctx)
    if params.message is not None and params.notify == "none":
        raise errors.invalid("message", gettext("needs recipients: say in notify who gets it"))
    with ctx.read():
        change = history.find(ctx, seq)
    if change is None:
        raise errors.NotFound
    undone = undo_request(ctx, change, params.notify, params.message)
    return UndoResult(list(map(_record, undone.records)), list(map(_record, undone.left)), add_up(undone.notified))


def _record(record: Record) -> UndoneRecord:
    return UndoneRecord(record.table.kind, record.first.record_id, "put" if record.before else "gone")
