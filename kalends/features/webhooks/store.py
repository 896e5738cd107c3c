"""The SQL of webhooks and their deliveries."""

from msgspec import Struct

from kalends.core.records.change import DisabledReason, Webhook, WebhookDelivery, WebhookState
from kalends.core.tokens import public_id
from kalends.db import columns
from kalends.features.changes.journal_store import Journal
from kalends.features.changes.rules.cursor import Position
from kalends.features.webhooks.model import WebhookInput
from kalends.http.context import Context
from kalends.http.paging import Paging

# How long finished deliveries are listed, and can be sent again.
RETENTION = 30 * 86_400

_WEBHOOK = columns(Webhook)
_DELIVERY = columns(WebhookDelivery)


class NewDelivery(Struct, frozen=True):
    """A change to send: its record, the changed dates of a series, and the position up to which all has been sent with it."""

    kind: str
    record_id: int | None
    position: Position
    event_ids: str = ""


class Outcome(Struct, frozen=True):
    """How an attempt ended."""

    state: WebhookState
    status: int | None = None
    duration_ms: int | None = None
    error: str | None = None


def index(ctx: Context, user_id: int, paging: Paging) -> list[Webhook]:
    sql = f"SELECT {_WEBHOOK} FROM webhooks WHERE user_id = :user_id ORDER BY id LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Webhook, sql, user_id=user_id, limit=paging.fetch, offset=paging.offset)


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM webhooks WHERE user_id = :user_id", user_id=user_id))


def get(ctx: Context, webhook_id: int) -> Webhook | None:
    return ctx.tx.one(Webhook, f"SELECT {_WEBHOOK} FROM webhooks WHERE id = :id", id=webhook_id)


def insert(ctx: Context, user_id: int, params: WebhookInput, journal: Journal, key_id: str | None) -> int:
    """A new webhook, for the changes from now on. key_id: by which key it is made."""
    webhook_id: int = ctx.tx.value(
        """INSERT INTO webhooks (user_id, url, calendar_id, kinds, secret_id, epoch, tx, entry_id, advanced_at, enabled, disabled_reason,
                                 failures, next_at, leased_until, created_at, updated_at, key_id)
           VALUES (:user_id, :url, :calendar_id, :kinds, :secret_id, :epoch, :tx, :entry_id, :now, :enabled, :reason, 0, :now, 0,
                   :now, :now, :key_id)
           RETURNING id""",
        user_id=user_id,
        url=params.url,
        calendar_id=params.calendar_id,
        kinds=" ".join(params.kinds or []),
        secret_id=public_id("s"),
        epoch=journal.epoch,
        tx=journal.end[0],
        entry_id=journal.end[1],
        enabled=params.enabled,
        reason=None if params.enabled else "owner",
        now=ctx.now,
        key_id=key_id,
    )
    return webhook_id


def update(ctx: Context, webhook: Webhook, params: WebhookInput, key_id: str | None) -> None:
    """Change it; if it is enabled, it is tried at once."""
    reason = None if params.enabled else webhook.disabled_reason or "owner"
    ctx.tx.run(
        """UPDATE webhooks SET url = :url, calendar_id = :calendar_id, kinds = :kinds, enabled = :enabled, disabled_reason = :reason,
           failures = 0, failing_since = NULL, next_at = :now, updated_at = :now, key_id = :key_id WHERE id = :id""",
        id=webhook.id,
        url=params.url,
        calendar_id=params.calendar_id,
        kinds=" ".join(params.kinds or []),
        enabled=params.enabled,
        reason=reason,
        now=ctx.now,
        key_id=key_id,
    )


def rotate_secret(ctx: Context, webhook_id: int, key_id: str | None) -> None:
    ctx.tx.run(
        """UPDATE webhooks SET previous_secret_id = secret_id, secret_id = :secret_id, rotated_at = :now, updated_at = :now,
           key_id = :key_id WHERE id = :id""",
        key_id=key_id,
        id=webhook_id,
        secret_id=public_id("s"),
        now=ctx.now,
    )


def delete(ctx: Context, webhook_id: int) -> None:
    ctx.tx.run("DELETE FROM webhooks WHERE id = :id", id=webhook_id)


def find_due(ctx: Context, end: Position) -> list[tuple[int, bool]]:
    """The ids of the webhooks that may have something to send, and whether a delivery is queued already."""
    rows = ctx.tx.rows(
        """SELECT w.id, w.has_queued FROM (
               SELECT id, next_at, (tx, entry_id) <> (:tx, :entry_id) AS is_behind,
                      EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id AND d.state = 'queued') AS has_queued
               FROM webhooks WHERE enabled AND next_at <= :now AND leased_until <= :now
           ) w WHERE w.is_behind OR w.has_queued ORDER BY w.next_at""",
        now=ctx.now,
        tx=end[0],
        entry_id=end[1],
    )
    return [(webhook_id, bool(has_queued)) for webhook_id, has_queued in rows]


def claim(ctx: Context, webhook: Webhook, lease: int) -> bool:
    """Reserve the webhook for this worker, unless it was changed since it was read. A lease that expires is a worker that died."""
    sql = """UPDATE webhooks SET leased_until = :until WHERE id = :id AND enabled AND leased_until <= :now AND next_at <= :now
             AND tx = :tx AND entry_id = :entry_id AND updated_at = :updated_at"""
    params = {"id": webhook.id, "tx": webhook.tx, "entry_id": webhook.entry_id, "updated_at": webhook.updated_at}
    return ctx.tx.run(sql, until=ctx.now + lease, now=ctx.now, **params) == 1


def advance(ctx: Context, webhook: Webhook, epoch: int, position: Position) -> None:
    """What is before the position has been queued."""
    ctx.tx.run(
        """UPDATE webhooks SET epoch = :epoch, tx = :tx, entry_id = :entry_id, advanced_at = :now
           WHERE id = :id AND tx = :old_tx AND entry_id = :old_entry_id""",
        id=webhook.id,
        epoch=epoch,
        tx=position[0],
        entry_id=position[1],
        old_tx=webhook.tx,
        old_entry_id=webhook.entry_id,
        now=ctx.now,
    )


def succeed(ctx: Context, webhook_id: int) -> None:
    ctx.tx.run(
        "UPDATE webhooks SET failures = 0, failing_since = NULL, next_at = :now, leased_until = 0 WHERE id = :id",
        id=webhook_id,
        now=ctx.now,
    )


def fail(ctx: Context, webhook: Webhook, failures: int, next_at: int) -> None:
    ctx.tx.run(
        """UPDATE webhooks SET failures = :failures, failing_since = coalesce(failing_since, :now), next_at = :next_at, leased_until = 0
           WHERE id = :id""",
        id=webhook.id,
        failures=failures,
        next_at=next_at,
        now=ctx.now,
    )


def release(ctx: Context, webhook_id: int, next_at: int) -> None:
    ctx.tx.run("UPDATE webhooks SET next_at = :next_at, leased_until = 0 WHERE id = :id", id=webhook_id, next_at=next_at)


def disable(ctx: Context, webhook_id: int, reason: DisabledReason) -> None:
    ctx.tx.run(
        "UPDATE webhooks SET enabled = FALSE, disabled_reason = :reason, leased_until = 0, updated_at = :now WHERE id = :id",
        id=webhook_id,
        reason=reason,
        now=ctx.now,
    )


def disable_all(ctx: Context, user_id: int, reason: DisabledReason = "password") -> None:
    """Switch off the user's webhooks, since someone else may have made them, or the account is suspended."""
    ctx.tx.run(
        """UPDATE webhooks SET enabled = FALSE, disabled_reason = :reason, leased_until = 0, updated_at = :now
           WHERE user_id = :user_id AND enabled""",
        user_id=user_id,
        reason=reason,
        now=ctx.now,
    )


def disable_of_key(ctx: Context, user_id: int, key_id: str) -> None:
    """Switch off what was made or last changed by the key: who had it may have been someone else."""
    ctx.tx.run(
        """UPDATE webhooks SET enabled = FALSE, disabled_reason = 'key', leased_until = 0, updated_at = :now
           WHERE user_id = :user_id AND key_id = :key_id AND enabled""",
        user_id=user_id,
        key_id=key_id,
        now=ctx.now,
    )


def index_deliveries(ctx: Context, webhook_id: int, paging: Paging) -> list[WebhookDelivery]:
    sql = f"SELECT {_DELIVERY} FROM webhook_deliveries WHERE webhook_id = :id ORDER BY id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(WebhookDelivery, sql, id=webhook_id, limit=paging.fetch, offset=paging.offset)


def count_deliveries(ctx: Context, webhook_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM webhook_deliveries WHERE webhook_id = :id", id=webhook_id))


def insert_deliveries(ctx: Context, webhook_id: int, deliveries: list[NewDelivery]) -> None:
    ctx.tx.many(
        """INSERT INTO webhook_deliveries (webhook_id, message_id, kind, record_id, event_ids, tx, entry_id, state, attempts,
                                           created_at, updated_at)
           VALUES (:webhook_id, :message_id, :kind, :record_id, :event_ids, :tx, :entry_id, 'queued', 0, :now, :now)""",
        [
            {
                "webhook_id": webhook_id,
                "message_id": public_id("msg_"),
                "kind": each.kind,
                "record_id": each.record_id,
                "event_ids": each.event_ids,
                "tx": each.position[0],
                "entry_id": each.position[1],
                "now": ctx.now,
            }
            for each in deliveries
        ],
    )


def next_delivery(ctx: Context, webhook_id: int) -> WebhookDelivery | None:
    """The delivery to send next: a ping, or the first."""
    sql = f"SELECT {_DELIVERY} FROM webhook_deliveries WHERE webhook_id = :id AND state = 'queued'"
    ping = ctx.tx.one(WebhookDelivery, f"{sql} AND kind = 'ping' ORDER BY id LIMIT 1", id=webhook_id)
    return ping or ctx.tx.one(WebhookDelivery, f"{sql} ORDER BY id LIMIT 1", id=webhook_id)


def finish(ctx: Context, delivery: WebhookDelivery, outcome: Outcome) -> None:
    ctx.tx.run(
        """UPDATE webhook_deliveries SET state = :state, status = :status, duration_ms = :duration_ms, error = :error,
           attempts = attempts + :attempts, updated_at = :now WHERE id = :id""",
        id=delivery.id,
        state=outcome.state,
        status=outcome.status,
        duration_ms=outcome.duration_ms,
        error=outcome.error,
        attempts=0 if outcome.state == "superseded" else 1,
        now=ctx.now,
    )


def redeliver(ctx: Context, webhook_id: int, delivery_id: int) -> int:
    sql = "UPDATE webhook_deliveries SET state = 'queued', updated_at = :now WHERE id = :id AND webhook_id = :webhook_id"
    return ctx.tx.run(sql, id=delivery_id, webhook_id=webhook_id, now=ctx.now)


def redeliver_since(ctx: Context, webhook_id: int, since: int) -> int:
    """Queue all deliveries since then once more, except pings."""
    sql = """UPDATE webhook_deliveries SET state = 'queued', updated_at = :now
             WHERE webhook_id = :webhook_id AND created_at >= :since AND state <> 'queued' AND kind <> 'ping'"""
    return ctx.tx.run(sql, webhook_id=webhook_id, since=since, now=ctx.now)


def try_now(ctx: Context, webhook_id: int) -> None:
    ctx.tx.run("UPDATE webhooks SET next_at = :now WHERE id = :id", id=webhook_id, now=ctx.now)


def clean_up(ctx: Context) -> None:
    ctx.tx.run("DELETE FROM webhook_deliveries WHERE state <> 'queued' AND updated_at < :old", old=ctx.now - RETENTION)
