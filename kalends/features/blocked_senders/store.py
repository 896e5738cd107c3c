"""The SQL of blocked senders: who is blocked, and that what they send leaves nothing behind."""

from collections.abc import Iterator
from contextlib import contextmanager

from kalends.core import errors
from kalends.core.records.administration import BlockedSender
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Context
from kalends.http.paging import Paging

_SENDER = columns(BlockedSender)


def index(ctx: Context, paging: Paging) -> list[BlockedSender]:
    """The blocked senders, newest first."""
    sql = f"SELECT {_SENDER} FROM blocked_senders ORDER BY id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(BlockedSender, sql, limit=paging.fetch, offset=paging.offset)


def count(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM blocked_senders"))


def is_blocked(ctx: Context, email_address: str) -> bool:
    """Whether the address, its domain, or a domain above that is blocked."""
    address = fold_case(email_address)
    domain = address.rpartition("@")[2].split(".")
    senders = [address, *(".".join(domain[start:]) for start in range(len(domain)))]
    params = {f"sender{number}": sender for number, sender in enumerate(senders)}
    in_senders = ", ".join(f":{name}" for name in params)
    return bool(ctx.tx.rows(f"SELECT 1 FROM blocked_senders WHERE sender IN ({in_senders}) LIMIT 1", **params))


def insert(ctx: Context, sender: str, note: str | None) -> BlockedSender:
    """Block the sender. One that is blocked already gets the new note."""
    row = ctx.tx.one(
        BlockedSender,
        f"""INSERT INTO blocked_senders (sender, note, created_at) VALUES (:sender, :note, :now)
            ON CONFLICT (sender) DO UPDATE SET note = excluded.note RETURNING {_SENDER}""",
        sender=fold_case(sender),
        note=note,
        now=ctx.now,
    )
    assert row is not None
    return row


def delete(ctx: Context, sender_id: int) -> None:
    if not ctx.tx.run("DELETE FROM blocked_senders WHERE id = :id", id=sender_id):
        raise errors.NotFound


@contextmanager
def discard_if_blocked(ctx: Context, email_address: str | None) -> Iterator[None]:
    """Run the block that stores what someone sent, and undo it if they are a guest whose address is blocked."""
    is_exempt = ctx.actor is not None or email_address is None or ctx.is_dry_run
    if is_exempt or not is_blocked(ctx, str(email_address)):
        yield
        return
    ctx.tx.run("SAVEPOINT blocked_sender")
    yield
    ctx.tx.roll_back_to("blocked_sender")
    ctx.tx.run("RELEASE SAVEPOINT blocked_sender")
