"""The SQL of the opt-in list."""

from collections.abc import Iterable

from kalends import policy
from kalends.core.records.delivery import Subscriber
from kalends.core.records.event import Event
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.deliveries import reaction_store as reactions
from kalends.http.context import Context

_SUBSCRIBER = columns(Subscriber)


DAY = 24 * 3600
CONFIRMATION_LIFETIME = 30 * DAY
CONFIRMED_BY_LINK = "confirmed by the link sent to this address"


def insert(ctx: Context, event: Event, channel: str, address: str, *, source: str, confirmed: bool) -> Subscriber:
    """Put the address on the list of the event's owner; an earlier consent and confirmation stay."""
    consent = f"opt_in given for “{event.title}”"
    if confirmed:
        consent += " by the signed-in owner of the address"
    return _upsert(ctx, event.owner_id, channel, address, event.id, source, consent, ctx.now if confirmed else None)


def confirm(ctx: Context, owner_id: int, channel: str, address: str, event_id: int | None) -> None:
    """Confirm the address, also if it had unsubscribed."""
    lift_suppression(ctx, owner_id, channel, address)
    _upsert(ctx, owner_id, channel, address, event_id, "confirmation", CONFIRMED_BY_LINK, ctx.now)
    reactions.record_answer(ctx, owner_id, address)


def confirm_all(ctx: Context, owner_id: int) -> None:
    """Confirm all opt-ins of the owner's example data, and delete the messages that would ask for it."""
    ctx.tx.run("UPDATE subscribers SET confirmed_at = consented_at WHERE owner_id = :id", id=owner_id)
    ctx.tx.run("DELETE FROM deliveries WHERE owner_id = :id AND kind IN ('confirm', 'response')", id=owner_id)


def _upsert(
    ctx: Context, owner_id: int, channel: str, address: str, event_id: int | None, source: str, consent: str, confirmed_at: int | None
) -> Subscriber:
    subscriber = ctx.tx.one(
        Subscriber,
        f"""INSERT INTO subscribers (owner_id, channel, address, address_key, event_id, source, consent, consented_at, confirmed_at)
            VALUES (:owner_id, :channel, :address, :address_key, :event_id, :source, :consent, :now, :confirmed_at)
            ON CONFLICT (owner_id, channel, address_key) DO UPDATE
            SET consent = CASE WHEN subscribers.confirmed_at IS NULL AND excluded.confirmed_at IS NOT NULL
                               THEN subscribers.consent || ', ' || excluded.consent ELSE subscribers.consent END,
                confirmed_at = coalesce(subscribers.confirmed_at, excluded.confirmed_at)
            RETURNING {_SUBSCRIBER}""",
        owner_id=owner_id,
        channel=channel,
        address=address,
        address_key=fold_case(address),
        event_id=event_id,
        source=source,
        consent=consent,
        confirmed_at=confirmed_at,
        now=ctx.now,
    )
    assert subscriber is not None
    return subscriber


def owner_name(ctx: Context, owner_id: int) -> str:
    """The name of the user whose list it is."""
    return str(ctx.tx.value("SELECT coalesce(name, user_name) FROM users WHERE id = :id", id=owner_id))


def leave(ctx: Context, subscriber_id: int) -> None:
    """Unsubscribe the address, and suppress opt-ins by others."""
    subscriber = ctx.tx.one(Subscriber, f"SELECT {_SUBSCRIBER} FROM subscribers WHERE id = :id", id=subscriber_id)
    if subscriber is None:
        return
    suppress(ctx, subscriber.owner_id, subscriber.channel, subscriber.address)
    delete(ctx, subscriber_id)


def leave_by_address(ctx: Context, owner_id: int, address: str) -> None:
    """Take the e-mail address off the owner's list, if it is there."""
    sql = "SELECT id FROM subscribers WHERE owner_id = :owner_id AND channel = 'email' AND address_key = :key"
    for (subscriber_id,) in ctx.tx.rows(sql, owner_id=owner_id, key=fold_case(address)):
        leave(ctx, subscriber_id)


def suppress(ctx: Context, owner_id: int, channel: str, address: str) -> None:
    """Keep a hash of the address, so that it gets nothing more of this kind from the owner.

    channel: email or sms for the list; invitation for invitations."""
    ctx.tx.run(
        "INSERT INTO suppressions (owner_id, hash, created_at) VALUES (:owner_id, :hash, :now) ON CONFLICT (owner_id, hash) DO NOTHING",
        owner_id=owner_id,
        hash=_hash(ctx, owner_id, channel, address),
        now=ctx.now,
    )


def find_suppressed(ctx: Context, owner_id: int, channel: str, addresses: Iterable[str]) -> set[str]:
    """The given addresses that get nothing more of this kind from the owner."""
    hashes = {address: _hash(ctx, owner_id, channel, address) for address in addresses}
    sql = "SELECT hash FROM suppressions WHERE owner_id = :owner_id"
    suppressed = {bytes(each) for (each,) in ctx.tx.rows(sql, owner_id=owner_id)} if hashes else set()
    return {address for address, each in hashes.items() if each in suppressed}


def is_suppressed(ctx: Context, owner_id: int, channel: str, address: str) -> bool:
    """Whether the address has unsubscribed from the owner's list."""
    return bool(
        ctx.tx.rows(
            "SELECT 1 FROM suppressions WHERE owner_id = :owner_id AND hash = :hash",
            owner_id=owner_id,
            hash=_hash(ctx, owner_id, channel, address),
        )
    )


def lift_suppression(ctx: Context, owner_id: int, channel: str, address: str) -> None:
    ctx.tx.run(
        "DELETE FROM suppressions WHERE owner_id = :owner_id AND hash = :hash",
        owner_id=owner_id,
        hash=_hash(ctx, owner_id, channel, address),
    )


def _hash(ctx: Context, owner_id: int, channel: str, address: str) -> bytes:
    """A hash keyed with the server's secret, so that the database alone does not disclose the address."""
    return derive(ctx.settings, "suppression", f"{owner_id} {channel} {fold_case(address)}").encode()


def clean_up(ctx: Context) -> None:
    """Delete the addresses that were not confirmed in time."""
    ctx.tx.run(
        "DELETE FROM subscribers WHERE confirmed_at IS NULL AND consented_at < :old",
        old=ctx.now - CONFIRMATION_LIFETIME,
    )


def index(ctx: Context, owner_id: int, limit: int, offset: int = 0) -> list[Subscriber]:
    return ctx.tx.all(
        Subscriber,
        f"SELECT {_SUBSCRIBER} FROM subscribers WHERE {_own(ctx)} ORDER BY id LIMIT :limit OFFSET :offset",
        owner_id=owner_id,
        limit=limit,
        offset=offset,
    )


def count(ctx: Context, owner_id: int) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM subscribers WHERE {_own(ctx)}", owner_id=owner_id))


def _own(ctx: Context) -> str:
    return f"owner_id = :owner_id{policy.and_event_opened(ctx, 'subscribers.event_id')}"


def count_unconfirmed(ctx: Context, owner_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) - count(confirmed_at) FROM subscribers WHERE owner_id = :owner_id", owner_id=owner_id))


def delete(ctx: Context, subscriber_id: int) -> None:
    ctx.tx.run("DELETE FROM subscribers WHERE id = :id", id=subscriber_id)
