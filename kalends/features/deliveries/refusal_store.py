"""An account whose mail many people refuse is stopped from sending to others, until an admin allows it again."""

from kalends.core.log import get_logger
from kalends.core.records.delivery import Delivery
from kalends.core.records.people import Sending, User
from kalends.db import columns
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries import store
from kalends.http.context import Context

log = get_logger(__name__)

PERIOD = 30 * store.DAY
# An account is stopped when this many people refuse its mail in the period, if they are at least this fraction of all to whom it wrote.
MIN_REFUSALS, FRACTION = 10, 10


def record_for_delivery(ctx: Context, delivery: Delivery) -> None:
    """Record that the recipient refuses the message. A guest who has responded without being asked stops no organiser."""
    if delivery.channel == "email" and (delivery.response_id is None or _is_added(ctx, delivery.response_id)):
        record(ctx, delivery.owner_id, delivery.address)


def _is_added(ctx: Context, response_id: int) -> bool:
    return bool(ctx.tx.rows("SELECT 1 FROM responses WHERE id = :id AND added", id=response_id))


def record(ctx: Context, owner_id: int, address: str) -> None:
    """Record that someone whom the organiser invited or added refuses the mail, or has no such address; stop the organiser if many do."""
    reactions.record_refusal(ctx, owner_id, address)
    refusals = reactions.count_refusals(ctx, owner_id, ctx.now - PERIOD)
    if refusals < MIN_REFUSALS or _count_recipients(ctx, owner_id, refusals * FRACTION + 1) > refusals * FRACTION:
        return
    user = ctx.tx.one(User, f"SELECT {columns(User)} FROM users WHERE id = :id AND role = 'member'", id=owner_id)
    if user and change_sending(ctx, owner_id, "stopped"):
        _notify_admins(ctx, user)
        log.warning("sending_stopped", user=owner_id, refusals=refusals)


def _count_recipients(ctx: Context, owner_id: int, most: int) -> int:
    """To how many people the organiser wrote in the period, up to this number."""
    sql = """SELECT count(*) FROM (
                 SELECT DISTINCT address_key FROM deliveries WHERE owner_id = :id AND created_at > :since
                 AND kind IN ('invitation', 'message', 'change', 'cancel', 'reminder', 'announce') LIMIT :most
             ) AS recipients"""
    return int(ctx.tx.value(sql, id=owner_id, since=ctx.now - PERIOD, most=most))


def change_sending(ctx: Context, user_id: int, sending: Sending) -> bool:
    """Stop the account, and take back what waits; or allow it again, and count its refusals from zero. Returns whether it was not so."""
    sql = "UPDATE users SET sending = :sending, updated_at = :now WHERE id = :id AND sending <> :sending"
    if not ctx.tx.run(sql, sending=sending, id=user_id, now=ctx.now):
        return False
    if sending == "stopped":
        store.take_back(ctx, user_id, "Sending was stopped for the organiser before it was sent.")
    else:
        reactions.forget_refusals(ctx, user_id)
    return True


def _notify_admins(ctx: Context, user: User) -> None:
    rows = ctx.tx.rows("SELECT email_address FROM users WHERE role = 'admin' AND status = 'active' AND id > 0 ORDER BY id")
    for (address,) in rows:
        store.insert_notice(ctx, user, "sending_stopped", address=address)
