"""Messages to many recipients: the request stores them in batches, and a worker queues one batch in each transaction. So neither makes
other writes wait for long, and nothing is lost if one of them dies."""

from collections.abc import Sequence
from typing import Any

import msgspec

from kalends.http.context import Context

# How many messages are queued in one transaction.
BATCH = 500

# The event and the response may have been deleted since the batch was stored.
_QUEUE = """
INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                        due_at, created_at, updated_at, cause, event_ids)
VALUES (:owner_id, (SELECT id FROM events WHERE id = :event_id), (SELECT id FROM responses WHERE id = :response_id), :kind, :channel,
        :address, :address_key, :public, 'queued', 0, :due_at, :now, :now, :cause, :event_ids)
ON CONFLICT (cause, channel, address) WHERE cause IS NOT NULL DO UPDATE SET
    kind = CASE WHEN excluded.kind = 'cancel' THEN excluded.kind ELSE deliveries.kind END,
    due_at = CASE WHEN excluded.due_at > deliveries.due_at THEN excluded.due_at ELSE deliveries.due_at END,
    event_ids = CASE WHEN ',' || deliveries.event_ids || ',' LIKE '%,' || excluded.event_ids || ',%' THEN deliveries.event_ids
                     ELSE deliveries.event_ids || ',' || excluded.event_ids END
    WHERE deliveries.state = 'queued' AND deliveries.attempts = 0 AND deliveries.event_ids IS NOT NULL
"""


def insert(ctx: Context, owner_id: int, cause: str, messages: Sequence[dict[str, Any]]) -> None:
    """Queue the messages at once if they are few, or else let a worker do it in steps."""
    if len(messages) <= BATCH:
        ctx.tx.many(_QUEUE, messages)
        return
    parts = [messages[start : start + BATCH] for start in range(0, len(messages), BATCH)]
    ctx.tx.many(
        "INSERT INTO delivery_batches (owner_id, cause, size, content) VALUES (:owner_id, :cause, :size, :content)",
        [{"owner_id": owner_id, "cause": cause, "size": len(part), "content": msgspec.json.encode(part).decode()} for part in parts],
    )


def queue_all(ctx: Context) -> None:
    """Queue all batches, each in a transaction. When it returns, a notice of which a message is claimed has no batch left."""
    last_id = 0
    while batch_id := _find_next(ctx, last_id):
        with ctx.write():
            _queue(ctx, "id = :id", id=batch_id)
        ctx.db.yield_to_other_writers()
        last_id = batch_id


def _find_next(ctx: Context, last_id: int) -> int | None:
    with ctx.read():
        rows = ctx.tx.rows("SELECT id FROM delivery_batches WHERE id > :last_id ORDER BY id LIMIT 1", last_id=last_id)
    return rows[0][0] if rows else None


def queue_of_owner(ctx: Context, owner_id: int) -> None:
    """Queue the batches of the owner in the open transaction, for a change of all their messages."""
    _queue(ctx, "owner_id = :owner_id", owner_id=owner_id)


def queue_of_cause(ctx: Context, cause: str) -> None:
    """Queue the batches of the cause in the open transaction, for a change of some of its messages."""
    _queue(ctx, "cause = :cause", cause=cause)


def _queue(ctx: Context, condition: str, **params: int | str) -> None:
    """Another worker that queues one of them at the same time is waited for."""
    rows = ctx.tx.rows(f"DELETE FROM delivery_batches WHERE {condition} RETURNING id, content", **params)
    for _, content in sorted(rows):
        ctx.tx.many(_QUEUE, msgspec.json.decode(content))


def delay(ctx: Context, cause: str, due_at: int) -> None:
    """Send the messages for the cause that are queued and were not tried yet not before this time."""
    ctx.tx.run("UPDATE deliveries SET due_at = :due_at WHERE cause = :cause AND attempts = 0", cause=cause, due_at=due_at)


def find_recipients(ctx: Context, cause: str) -> set[tuple[str | None, str, str]]:
    """The events (their ids, separated by commas), the channel and the address of each message for the cause, queued or in a batch."""
    queued = ctx.tx.rows("SELECT event_ids, channel, address FROM deliveries WHERE cause = :cause", cause=cause)
    stored = ctx.tx.rows("SELECT content FROM delivery_batches WHERE cause = :cause", cause=cause)
    rows = (row for (content,) in stored for row in msgspec.json.decode(content))
    return set(queued) | {(row["event_ids"], row["channel"], row["address"]) for row in rows}
