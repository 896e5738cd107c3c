"""Who has answered the mail of an organiser, and who has refused it. People who have not answered get few messages, and their number limits
what the organiser may send."""

import json
from collections.abc import Collection

from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.features.deliveries.store import DAY, mailbox
from kalends.http.context import Context

# Messages and notices about one event that someone gets who has not answered the organiser; cancellations, and notices of places, are
# counted apart.
MAX_UNANSWERED_PER_DAY = 2


def record_answer(ctx: Context, owner_id: int, address: str) -> None:
    """Record that the owner of the address, who has proved it, has responded to the organiser or subscribed."""
    ctx.tx.run(
        """INSERT INTO reactions (owner_id, address_hash, answered_at) VALUES (:owner_id, :hash, :now)
           ON CONFLICT (owner_id, address_hash) DO UPDATE SET answered_at = coalesce(reactions.answered_at, excluded.answered_at)""",
        owner_id=owner_id,
        hash=_hash(ctx.settings, owner_id, address),
        now=ctx.now,
    )


def record_refusal(ctx: Context, owner_id: int, address: str) -> None:
    """Record that the address does not work, or that its owner wants no more mail of the organiser."""
    ctx.tx.run(
        """INSERT INTO reactions (owner_id, address_hash, refused_at) VALUES (:owner_id, :hash, :now)
           ON CONFLICT (owner_id, address_hash) DO UPDATE SET refused_at = excluded.refused_at""",
        owner_id=owner_id,
        hash=_hash(ctx.settings, owner_id, address),
        now=ctx.now,
    )


def count_refusals(ctx: Context, owner_id: int, since: int) -> int:
    """How many people have refused the mail of the organiser since then, and have never answered."""
    sql = "SELECT count(*) FROM reactions WHERE owner_id = :id AND refused_at > :since AND answered_at IS NULL"
    return int(ctx.tx.value(sql, id=owner_id, since=since))


def forget_refusals(ctx: Context, owner_id: int) -> None:
    ctx.tx.run("UPDATE reactions SET refused_at = NULL WHERE owner_id = :id AND refused_at IS NOT NULL", id=owner_id)


def count_answers(ctx: Context, owner_id: int, most: int) -> int:
    """How many people have answered the organiser, up to this number."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM reactions WHERE owner_id = :id AND answered_at IS NOT NULL LIMIT :most) AS answers"
    return int(ctx.tx.value(sql, id=owner_id, most=most))


def find_unanswered(ctx: Context, owner_id: int, addresses: set[str]) -> set[str]:
    """The addresses whose owners have never answered the organiser."""
    hashes = {address: _hash(ctx.settings, owner_id, address) for address in addresses}
    rows = ctx.tx.rows(
        f"""SELECT r.address_hash FROM {ctx.db.records("recipients", {"address_hash": "TEXT"})}
            JOIN reactions r ON r.owner_id = :owner_id AND r.address_hash = recipients.address_hash WHERE r.answered_at IS NOT NULL""",
        recipients=json.dumps([{"address_hash": each} for each in sorted(set(hashes.values()))]),
        owner_id=owner_id,
    )
    answered = {address_hash for (address_hash,) in rows}
    return {address for address, each in hashes.items() if each not in answered}


def find_uncounted(ctx: Context, owner_id: int, addresses: Collection[str]) -> list[str]:
    """The addresses that neither answered nor refused, and were never counted as invited by the organiser, in their order."""
    hashes = {address: _hash(ctx.settings, owner_id, address) for address in addresses}
    rows = ctx.tx.rows(
        f"""SELECT r.address_hash FROM {ctx.db.records("recipients", {"address_hash": "TEXT"})}
            JOIN reactions r ON r.owner_id = :owner_id AND r.address_hash = recipients.address_hash""",
        recipients=json.dumps([{"address_hash": each} for each in sorted(set(hashes.values()))]),
        owner_id=owner_id,
    )
    counted = {address_hash for (address_hash,) in rows}
    return [address for address, each in hashes.items() if each not in counted]


def record_counted(ctx: Context, owner_id: int, addresses: Collection[str]) -> None:
    """Record that the addresses were counted as invited by the organiser."""
    ctx.tx.many(
        "INSERT INTO reactions (owner_id, address_hash) VALUES (:owner_id, :hash) ON CONFLICT (owner_id, address_hash) DO NOTHING",
        [{"owner_id": owner_id, "hash": _hash(ctx.settings, owner_id, address)} for address in sorted(addresses)],
    )


def find_limited(ctx: Context, owner_id: int, event_id: int, kind: str, addresses: set[str]) -> set[str]:
    """The addresses that have got as many messages of this kind about the event today as someone gets who has not answered."""
    if ctx.settings.rate_limits == "off" or not addresses:
        return set()
    keys = {address: mailbox(address) for address in find_unanswered(ctx, owner_id, addresses)}
    kinds = {"cancel": "('cancel')", "notice": "('notice')"}.get(kind, "('change', 'message')")
    # A notice that waits takes further changes, and stays one message.
    rows = ctx.tx.rows(
        f"""SELECT d.address_key FROM {ctx.db.records("recipients", {"address_key": "TEXT"})}
            JOIN deliveries d ON d.address_key = recipients.address_key AND d.created_at > :since
            WHERE d.event_id = :event_id AND d.kind IN {kinds} AND (d.kind IN ('message', 'notice') OR d.state <> 'queued')
            GROUP BY d.address_key HAVING count(*) >= :limit""",
        recipients=json.dumps([{"address_key": key} for key in sorted(set(keys.values()))]),
        since=ctx.now - DAY,
        event_id=event_id,
        limit=MAX_UNANSWERED_PER_DAY,
    )
    limited = {address_key for (address_key,) in rows}
    return {address for address, key in keys.items() if key in limited}


def _hash(settings: Settings, owner_id: int, address: str) -> str:
    return derive(settings, "reaction", f"{owner_id} {mailbox(address)}")
