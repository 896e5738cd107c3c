"""Screening: what a blocked sender sends gets the usual reply, and leaves nothing behind."""

from collections.abc import Iterator
from contextlib import contextmanager

from kalends.features.blocked_senders import store
from kalends.http.context import Context


@contextmanager
def discard_if_blocked(ctx: Context, email_address: str | None) -> Iterator[None]:
    """Run the block that stores what someone sent, and undo it if they are a guest whose address is blocked."""
    is_exempt = ctx.actor is not None or email_address is None or ctx.is_dry_run
    if is_exempt or not store.is_blocked(ctx, str(email_address)):
        yield
        return
    ctx.tx.run("SAVEPOINT blocked_sender")
    yield
    ctx.tx.roll_back_to("blocked_sender")
    ctx.tx.run("RELEASE SAVEPOINT blocked_sender")
