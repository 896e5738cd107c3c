"""A batch of changes: what a follower has not read yet, as it may see it now."""

from msgspec import Struct

from kalends import errors, policy
from kalends.changes import current, cursor, store
from kalends.changes.current import Follower
from kalends.changes.cursor import Place, Position
from kalends.changes.model import KINDS, MAX_CHANGES, ChangeIndex, ChangeQuery, Kind
from kalends.context import Context
from kalends.policy import Right


class Batch(Struct, frozen=True):
    """The changes, what the follower must wait for to get more, and the position up to which the entries were final."""

    index: ChangeIndex
    topics: tuple[str, ...]
    end: Position


def read(ctx: Context, params: ChangeQuery) -> Batch:
    follower = _follower(ctx, params)
    kinds = [kind for kind in KINDS if params.kinds is None or kind in params.kinds]
    digest = cursor.digest_filter(params.calendar_id, list(kinds))
    journal = store.find_journal(ctx)
    calendar_ids = [follower.calendar.id] if follower.calendar else [each.id for each in policy.my_calendar_ids(ctx)]
    topics = (*(f"calendar {calendar_id}" for calendar_id in calendar_ids), *([f"user {ctx.actor.id}"] if ctx.actor else []))
    if params.cursor is None:
        start = cursor.encode(Place(journal.epoch, journal.end, digest))
        return Batch(ChangeIndex([], start, more=False), topics, journal.end)
    place = cursor.decode(params.cursor)
    if place.filter != digest:
        raise errors.invalid("cursor", "was made with other filters; send the same calendar_id and kinds, or no cursor", "conflict")
    store.require_valid(journal, place.epoch, place.position)
    limit = min(params.limit, MAX_CHANGES)
    # While another database of the server is busy, the server may report an older end than before.
    end = max(place.position, journal.end)
    entries = store.find_entries(ctx, calendar_ids, place.position, end, kinds, limit)
    more = len(entries) == limit
    position = entries[-1].position if more else end
    changes = current.present(ctx, follower, entries)
    return Batch(ChangeIndex(changes, cursor.encode(Place(journal.epoch, position, digest)), more), topics, end)


def start(ctx: Context, calendar_id: int | None, kinds: list[Kind]) -> str:
    """A cursor to follow changes of these kinds from now on."""
    return read(ctx, ChangeQuery(calendar_id=calendar_id, kinds=kinds)).index.cursor


def _follower(ctx: Context, params: ChangeQuery) -> Follower:
    if params.calendar_id is None:
        policy.user(ctx)
        return Follower(None)
    return Follower(policy.calendar(ctx, params.calendar_id, to=Right.SEE))
