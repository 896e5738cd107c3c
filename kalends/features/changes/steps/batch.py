"""A batch of changes: what a follower has not read yet, as it may see it now."""

from collections.abc import Sequence

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.records.change import Kind
from kalends.features.changes import journal_store as store
from kalends.features.changes.journal_store import Journal
from kalends.features.changes.model import KINDS, MAX_CHANGES, Change, ChangeIndex, ChangeQuery
from kalends.features.changes.rules import cursor
from kalends.features.changes.rules.cursor import CursorFields, Position
from kalends.features.changes.steps import current
from kalends.features.changes.steps.current import Follower
from kalends.http.context import Context
from kalends.policy import Right


class Batch(Struct, frozen=True):
    """The changes, what the follower must wait for to get more, and the position up to which the entries were final."""

    index: ChangeIndex
    topics: tuple[str, ...]
    end: Position


def read(ctx: Context, params: ChangeQuery) -> Batch:
    follower = follow(ctx, params.calendar_id)
    kinds = [kind for kind in KINDS if params.kinds is None or kind in params.kinds]
    digest = cursor.digest_filter(params.calendar_id, kinds)
    journal = store.find_journal(ctx)
    topics = (*(f"calendar {each}" for each in follower.calendar_ids), *([f"user {ctx.actor.id}"] if ctx.actor else []))
    if params.cursor is None:
        start = cursor.encode(CursorFields(journal.epoch, journal.end, digest))
        return Batch(ChangeIndex([], start, more=False), topics, journal.end)
    fields = cursor.decode(params.cursor)
    if fields.filter != digest:
        raise errors.invalid("cursor", "was made with other filters; send the same calendar_id and kinds, or no cursor", "conflict")
    store.require_valid(journal, fields.epoch, fields.position)
    changes, position, more = read_on(ctx, follower, journal, fields.position, kinds, min(params.limit, MAX_CHANGES))
    next_cursor = cursor.encode(CursorFields(journal.epoch, position, digest))
    return Batch(ChangeIndex(changes, next_cursor, more), topics, max(fields.position, journal.end))


def read_on(
    ctx: Context, follower: Follower, journal: Journal, position: Position, kinds: Sequence[str], limit: int
) -> tuple[list[Change], Position, bool]:
    """The changes after the position, the position up to which they go, and whether there may be more already."""
    # While another database of the server is busy, the server may report an older end than before.
    end = max(position, journal.end)
    # Who follows series follows their dates.
    read = [*kinds, *(["event"] if "series" in kinds and "event" not in kinds else [])]
    entries = store.find_entries(ctx, follower.calendar_ids, position, end, read, limit)
    more = len(entries) == limit
    return current.present(ctx, follower, entries, kinds), entries[-1].position if more else end, more


def start(ctx: Context, calendar_id: int | None, kinds: list[Kind]) -> str:
    """A cursor to follow changes of these kinds, in the order of KINDS, from now on. Whether the reader may is asked when they do."""
    journal = store.find_journal(ctx)
    return cursor.encode(CursorFields(journal.epoch, journal.end, cursor.digest_filter(calendar_id, kinds)))


def follow(ctx: Context, calendar_id: int | None) -> Follower:
    """A follower of the calendar, or of all that the user has."""
    if calendar_id is None:
        if ctx.actor is None:
            raise errors.Unauthorized(
                "Send a session token or a key as 'Authorization: Bearer …', or the calendar_id of a public calendar."
            )
        return Follower(None, [each.id for each in policy.member_calendar_ids(ctx)], policy.is_limited(ctx))
    with errors.naming("calendar_id"):
        return Follower(policy.calendar(ctx, calendar_id, to=Right.SEE), [calendar_id], policy.is_limited(ctx))
