"""Erasing what is stored of a person outside their account, when they delete it."""

from collections.abc import Callable

from kalends.comments import store as comments
from kalends.context import Context
from kalends.db import columns
from kalends.deliveries.store import mailbox
from kalends.events import store as events
from kalends.events.invitations import erase as invitation_erasure
from kalends.journal import store as journal
from kalends.records.invitation import Invitation
from kalends.records.user import User
from kalends.responses import store as responses
from kalends.responses.erase import erase as erase_response
from kalends.values.text import fold_case

# How many ids of a table are searched in one read, and how many rows are erased in one write.
WINDOW, BATCH = 20_000, 100
# Tables without an index by address, and the condition of the rows to delete.
_BY_ADDRESS = {
    "subscribers": "address_key = :key",
    "series_responses": "email_key = :key",
    "proposals": "email_key = :key",
    "calendar_invitations": "email_key = :key",
    "account_invitations": "email_key = :key",
    "reports": "lower(email_address) = :key",
    "cancellations": "email_key = :key",
    "suppressed_addresses": "address_key IN (:key, :mailbox)",
    "deliveries": "address_key IN (:key, :mailbox)",
}


def erase_written(ctx: Context, user: User) -> None:
    """Erase the comments and responses of the account, and of its address if that is verified, step by step."""
    own = "(user_id = :user_id OR email_key = :key)" if user.verified_at else "user_id = :user_id"
    _each(ctx, user, "responses", own, lambda ids: _erase_responses(ctx, ids))
    _each(ctx, user, "comments", own, lambda ids: _erase_comments(ctx, ids))


def erase_address(ctx: Context, user: User, *, with_deleted_events: bool) -> None:
    """Erase the verified address of an account that is deleted, but for comments and responses, step by step. Anyone can type an
    address that is not verified, so nothing of that is touched."""
    if user.verified_at is None:
        return
    _each(ctx, user, "invitations", "email_key = :key", lambda ids: _erase_invitations(ctx, ids))
    for table, condition in _BY_ADDRESS.items():
        _each(ctx, user, table, condition, lambda ids, table=table: _delete(ctx, table, ids))  # type: ignore[misc]
    _erase_history(ctx, fold_case(user.email_address), with_deleted_events=with_deleted_events)


def _each(ctx: Context, user: User, table: str, condition: str, write: Callable[[list[int]], None]) -> None:
    """Find the rows without a lock, and write them in batches, each in a transaction."""
    params = {"user_id": user.id, "key": fold_case(user.email_address), "mailbox": mailbox(user.email_address)}
    named = {name: value for name, value in params.items() if f":{name}" in condition}
    after, last = 0, 1
    while after < last:
        with ctx.read():
            sql = f"SELECT id FROM {table} WHERE id > :after AND id <= :end AND {condition}"
            ids = [row_id for (row_id,) in ctx.tx.rows(sql, after=after, end=after + WINDOW, **named)]
            last = int(ctx.tx.value(f"SELECT coalesce(max(id), 0) FROM {table}"))
        for start in range(0, len(ids), BATCH):
            with ctx.write():
                write(ids[start : start + BATCH])
        after += WINDOW


def _erase_responses(ctx: Context, ids: list[int]) -> None:
    for response in responses.find_by_ids(ctx, ids):
        event = events.get(ctx, response.event_id)
        erase_response(ctx, response, event, is_over=event.is_over(ctx.now), with_comments=True)


def _erase_comments(ctx: Context, ids: list[int]) -> None:
    for comment in comments.find_by_ids(ctx, ids):
        comments.erase(ctx, comment.id, comment.event_id)


def _erase_invitations(ctx: Context, ids: list[int]) -> None:
    sql = f"SELECT {columns(Invitation)} FROM invitations WHERE id {ctx.db.in_list('ids')}"
    for invitation in ctx.tx.all(Invitation, sql, ids=ids):
        owner_id = int(ctx.tx.value("SELECT owner_id FROM invitations WHERE id = :id", id=invitation.id))
        invitation_erasure.erase(ctx, invitation, owner_id)


def _delete(ctx: Context, table: str, ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM {table} WHERE id {ctx.db.in_list('ids')}", ids=ids)


def _erase_history(ctx: Context, address: str, *, with_deleted_events: bool) -> None:
    """Delete the changes whose content has the address; without with_deleted_events, not what comes back with an event in the trash."""
    after: int | None = 0
    while after is not None:
        with ctx.read():
            ids, after = journal.find_with_text(ctx, address, after, with_deleted_events=with_deleted_events)
        for start in range(0, len(ids), BATCH):
            with ctx.write():
                journal.delete_changes(ctx, ids[start : start + BATCH])
