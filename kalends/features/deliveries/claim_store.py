"""The SQL with which workers take deliveries from the queue, and record what became of them."""

from kalends.core.records.delivery import Channel, Delivery
from kalends.db import columns
from kalends.http.context import Context

# Nobody can sign in who waits for these. The index deliveries_first has the same kinds.
FIRST = "kind IN ('reset', 'verify')"
# Someone has asked for these messages and waits for them. The index deliveries_urgent has the same kinds.
URGENT = "kind IN ('reset', 'verify', 'confirm', 'response', 'proposal', 'link', 'send_to_me')"
# How many owners of waiting messages are looked at for those who are next.
MAX_OWNERS = 100

_DELIVERY = columns(Delivery)


def is_due(ctx: Context, channel: Channel) -> bool:
    """Whether a message of the channel is due."""
    due = ctx.tx.rows(
        "SELECT 1 FROM deliveries WHERE channel = :channel AND state IN ('queued', 'sending') AND due_at <= :now LIMIT 1",
        channel=channel,
        now=ctx.now,
    )
    return bool(due)


def give_up_unknown(ctx: Context) -> None:
    """Mark SMS as failed whose worker died: they may have been sent, and are not sent twice."""
    ctx.tx.run(
        """UPDATE deliveries SET state = 'failed', error = :error, updated_at = :now
           WHERE state = 'sending' AND channel = 'sms' AND due_at <= :now""",
        error="It is not known whether it was sent, so it was not sent again.",
        now=ctx.now,
    )


def claim(ctx: Context, channel: Channel, lease: int, limit: int, after: int = 0) -> list[Delivery]:
    """Claim due deliveries, also those whose worker died; other workers skip them until the lease ends.

    Password resets and verifications come before everything else, then urgent messages. Of these and of the rest, each owner has a share,
    beginning with the one after `after`: the many messages of one delay those of others by a moment only."""
    claimed = _claim(ctx, channel, lease, limit, f"AND {FIRST}")
    for condition in (URGENT, "TRUE"):
        owner_ids = _find_owners(ctx, channel, condition, after, limit - len(claimed))
        for position, owner_id in enumerate(owner_ids):
            share = -(-(limit - len(claimed)) // (len(owner_ids) - position))
            claimed += _claim(ctx, channel, lease, share, f"AND {condition} AND owner_id = :owner_id", owner_id=owner_id)
    # What one owner leaves of a share goes to the oldest.
    return claimed + (_claim(ctx, channel, lease, limit - len(claimed)) if len(claimed) < limit else [])


def _find_owners(ctx: Context, channel: Channel, condition: str, after: int, limit: int) -> list[int]:
    """The next owners who have a due delivery, each once, up to the limit: those after this one, then those from the first on."""
    owner_ids = _find_owners_after(ctx, channel, condition, after, limit) if limit > 0 else []
    if after and len(owner_ids) < limit:
        owner_ids = list(dict.fromkeys(owner_ids + _find_owners_after(ctx, channel, condition, 0, limit)))[:limit]
    return owner_ids


def _find_owners_after(ctx: Context, channel: Channel, condition: str, after: int, limit: int) -> list[int]:
    """From one owner to the next through the index, whatever the number of their deliveries is."""
    waiting = f"channel = :channel AND state IN ('queued', 'sending') AND {condition}"
    rows = ctx.tx.rows(
        f"""WITH RECURSIVE owners (owner_id, step) AS (
                SELECT min(owner_id), 1 FROM deliveries WHERE {waiting} AND owner_id > :after
                UNION ALL SELECT (SELECT min(d.owner_id) FROM deliveries d WHERE {waiting} AND d.owner_id > owners.owner_id), step + 1
                FROM owners WHERE owner_id IS NOT NULL AND step < {MAX_OWNERS}
            )
            SELECT owner_id FROM owners WHERE owner_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM deliveries d WHERE {waiting} AND d.owner_id = owners.owner_id AND d.due_at <= :now)
            ORDER BY owner_id LIMIT :limit""",
        channel=channel,
        after=after,
        now=ctx.now,
        limit=limit,
    )
    return [owner_id for (owner_id,) in rows]


def _claim(ctx: Context, channel: Channel, lease: int, limit: int, condition: str = "", **params: int) -> list[Delivery]:
    return ctx.tx.all(
        Delivery,
        f"""UPDATE deliveries SET state = 'sending', attempts = attempts + 1, due_at = :lease, updated_at = :now
            WHERE id IN (SELECT id FROM deliveries WHERE channel = :channel AND state IN ('queued', 'sending') {condition}
                         AND due_at <= :now ORDER BY due_at, id LIMIT :limit {ctx.db.for_update_skip_locked})
            RETURNING {_DELIVERY}""",
        channel=channel,
        now=ctx.now,
        lease=ctx.now + lease,
        limit=limit,
        **params,
    )


def finish(ctx: Context, delivery: Delivery, state: str, error: str | None = None, due_at: int | None = None) -> None:
    """Record the outcome of an attempt, unless another worker has claimed the delivery since. Of an account that is gone nothing stays."""
    if delivery.notice == "account_deleted" and state != "queued":
        ctx.tx.run("DELETE FROM deliveries WHERE id = :id AND attempts = :attempts", id=delivery.id, attempts=delivery.attempts)
        return
    ctx.tx.run(
        """UPDATE deliveries SET state = :state, error = :error, due_at = :due_at, updated_at = :now
           WHERE id = :id AND state = 'sending' AND attempts = :attempts""",
        id=delivery.id,
        attempts=delivery.attempts,
        state=state,
        error=error,
        due_at=ctx.now if due_at is None else due_at,
        now=ctx.now,
    )
