"""Changes: follow what you may see, by a cursor."""

from kalends import errors, policy
from kalends.changes import current, cursor, history, store
from kalends.changes.current import Follower
from kalends.changes.cursor import Place
from kalends.changes.model import KINDS, MAX_CHANGES, ChangeIndex, ChangeQuery, Undone, UndoneRecord
from kalends.changes.undo import undo as undo_set
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.policy import Right


@endpoint("GET", "/api/changes", guests=True)
def index(ctx: Context, params: ChangeQuery) -> ChangeIndex:
    """What changed since the cursor, as you may see it now: the calendars that you own or that are shared with you, their events and
    series with comments and responses, your own responses, and your contacts. With `calendar_id`, that calendar alone; a guest must
    send it.

    Without a cursor the reply has no changes, but a cursor: get one, list what you want to have, then follow it. A record that changed
    often is told once. A cursor that is older than the history is 410.
    """
    follower = _follower(ctx, params)
    kinds = [kind for kind in KINDS if params.kinds is None or kind in params.kinds]
    digest = cursor.digest_filter(params.calendar_id, list(kinds))
    journal = store.find_journal(ctx)
    if params.cursor is None:
        return ChangeIndex([], cursor.encode(Place(journal.epoch, journal.end, digest)), more=False)
    place = cursor.decode(params.cursor)
    if place.filter != digest:
        raise errors.invalid("cursor", "was made with other filters; send the same calendar_id and kinds, or no cursor", "conflict")
    store.require_valid(journal, place.epoch, place.position)
    limit = min(params.limit, MAX_CHANGES)
    calendar_ids = [follower.calendar.id] if follower.calendar else [each.id for each in policy.my_calendar_ids(ctx)]
    entries = store.find_entries(ctx, calendar_ids, place.position, journal.end, kinds, limit)
    more = len(entries) == limit
    position = entries[-1].position if more else journal.end
    changes = current.present(ctx, follower, entries)
    return ChangeIndex(changes, cursor.encode(Place(journal.epoch, position, digest)), more)


@endpoint("POST", "/api/changes/{seq}/undo")
def undo(ctx: Context, seq: int) -> Undone:
    """Undo all that was changed by the request that made this change: deleted records come back with their ids, comments and responses,
    changed ones get their old content, new ones are deleted. It needs the rights that the change needed. If somebody changed one of
    the records since: 409, and nothing is changed. An undo is a change itself, and can be undone."""
    policy.user(ctx)
    change = history.find(ctx, seq)
    if change is None:
        raise errors.NotFound
    records = undo_set(ctx, change)
    return Undone([UndoneRecord(each.table.kind, each.first.record_id, "put" if each.before else "gone") for each in records])


def _follower(ctx: Context, params: ChangeQuery) -> Follower:
    if params.calendar_id is None:
        policy.user(ctx)
        return Follower(None)
    return Follower(policy.calendar(ctx, params.calendar_id, to=Right.SEE))
