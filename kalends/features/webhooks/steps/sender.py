"""Send the deliveries of webhooks: those of one webhook in order, those of others at the same time."""

import threading
import time

from kalends.core.log import get_logger
from kalends.core.net.post import AddressRefused, PostFailed, post
from kalends.core.records.change import Webhook, WebhookDelivery, WebhookState
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.changes import journal_store as journal
from kalends.features.changes.rules.cursor import Position
from kalends.features.deliveries import store as mail
from kalends.features.deliveries.steps import dispatcher
from kalends.features.deliveries.steps.dispatcher import Backoff, Dispatcher
from kalends.features.users import store as users
from kalends.features.webhooks import store
from kalends.features.webhooks.rules import signature
from kalends.features.webhooks.steps import queue as webhook_queue
from kalends.features.webhooks.steps.queue import Message
from kalends.features.webhooks.store import Outcome
from kalends.http.context import Context

log = get_logger(__name__)

# Webhooks to which one worker sends at the same time. Each has at most one request under way.
SENDERS = 24
# Deliveries to one webhook before others have their turn.
BURST = 20
TIMEOUT: float = 5
BACKOFF = Backoff(first=5, longest=6 * 3600)
DISABLED_AFTER = 5 * 86_400
# A webhook without changes is moved on this often, lest its position becomes older than the history.
ADVANCED_EACH = 3600


class WebhookSender:
    """The queue of webhooks that have something to send."""

    def __init__(self, db: Database, settings: Settings):
        self._db = db
        self._settings = settings
        self._lock = threading.Lock()
        self._busy: set[int] = set()
        # The end of the journal when a webhook had nothing to send.
        self._idle_at: dict[int, Position] = {}

    def run(self, stopping: threading.Event) -> None:
        """Send until `stopping` is set."""
        if self._settings.webhooks != "off":
            Dispatcher("webhooks", SENDERS, self._claim, self._send).run(stopping)

    def _claim(self, idle: int) -> list[tuple[int, Position]]:
        """All webhooks that may have something to send, whatever the number of idle threads is: so each has its turn."""
        end, due = find_due(Context(self._db, self._settings, timestamps.now()))
        with self._lock:
            webhook_ids = [
                webhook_id
                for webhook_id, has_queued in due
                if webhook_id not in self._busy and (has_queued or self._idle_at.get(webhook_id) != end)
            ]
            self._busy.update(webhook_ids)
        return [(webhook_id, end) for webhook_id in webhook_ids]

    def _send(self, job: tuple[int, Position]) -> None:
        webhook_id, end = job
        is_idle = False
        try:
            is_idle = not send_burst(self._db, self._settings, webhook_id)
        finally:
            with self._lock:
                self._busy.discard(webhook_id)
                self._idle_at.pop(webhook_id, None)
                if is_idle:
                    self._idle_at[webhook_id] = end


def find_due(ctx: Context) -> tuple[Position, list[tuple[int, bool]]]:
    """The end of the journal, and the webhooks that may have something to send (see `store.find_due`)."""
    with ctx.read():
        end = journal.find_journal(ctx).end
        return end, store.find_due(ctx, end)


def send_burst(db: Database, settings: Settings, webhook_id: int) -> bool:
    """Send some deliveries of the webhook; False if there was none."""
    for number in range(BURST):
        if not send_next(db, settings, webhook_id):
            return number > 0
    return True


def send_next(db: Database, settings: Settings, webhook_id: int) -> bool:
    """Send the next delivery of the webhook, and record the outcome; False if there is none, or it is not due."""
    ctx = Context(db, settings, timestamps.now())
    claimed = _claim(ctx, webhook_id)
    if claimed is None:
        return False
    webhook, delivery = claimed
    with ctx.read():
        webhook_queue.act_as_owner(ctx, webhook)
        message = webhook_queue.message(ctx, webhook, delivery)
    if message is None:
        outcome = Outcome("superseded")
    else:
        # No transaction is open while sending.
        outcome = _attempt(settings, webhook, delivery, message)
        log.info("webhook_delivery", webhook=webhook.id, delivery=delivery.id, state=outcome.state, status=outcome.status)
    ctx = Context(db, settings, timestamps.now())
    with ctx.write():
        _record(ctx, webhook, delivery, outcome)
        if message and message.is_last and outcome.state == "sent":
            store.disable(ctx, webhook.id, "calendar")
    return True


def _claim(ctx: Context, webhook_id: int) -> tuple[Webhook, WebhookDelivery] | None:
    """Claim the webhook with its next delivery; queue its next changes if there is none."""
    batch = None
    with ctx.read():
        webhook = store.get(ctx, webhook_id)
        if webhook is None:
            return None
        if store.next_delivery(ctx, webhook_id) is None:
            webhook_queue.act_as_owner(ctx, webhook)
            batch = webhook_queue.next_batch(ctx, webhook)
            ctx.actor = None
            if not batch.deliveries and ctx.now < webhook.advanced_at + ADVANCED_EACH:
                return None
    with ctx.write():
        if not store.claim(ctx, webhook, dispatcher.LEASE):
            return None
        if batch:
            store.insert_deliveries(ctx, webhook.id, batch.deliveries)
            store.advance(ctx, webhook, batch.epoch, batch.position)
        delivery = store.next_delivery(ctx, webhook_id)
        webhook = store.get(ctx, webhook_id)
        if delivery is None or webhook is None:
            store.release(ctx, webhook_id, ctx.now)
            return None
        return webhook, delivery


def _attempt(settings: Settings, webhook: Webhook, delivery: WebhookDelivery, message: Message) -> Outcome:
    headers = signature.headers(settings, webhook, delivery.message_id, timestamps.now(), message.body)
    headers |= {"Content-Type": "application/json", "User-Agent": "Kalends"}
    started = time.monotonic()
    status, error = None, None
    try:
        status = post(webhook.url, message.body, headers, seconds=TIMEOUT, any_network=settings.webhooks == "any")
    except AddressRefused as refusal:
        error = f"The address {refusal}."
    except PostFailed as failure:
        error = str(failure)
    is_sent = status is not None and 200 <= status < 300
    if not is_sent and status is not None:
        error = f"The receiver replied with status {status}."
    # Without a response there is no duration: how fast a connection fails tells about the host.
    duration_ms = None if status is None else round((time.monotonic() - started) * 1000)
    return Outcome("sent" if is_sent else "failed", status, duration_ms, error)


def _record(ctx: Context, webhook: Webhook, delivery: WebhookDelivery, outcome: Outcome) -> None:
    if outcome.state != "failed":
        store.finish(ctx, delivery, outcome)
        store.succeed(ctx, webhook.id)
        return
    is_over = outcome.status == 410
    is_ping = delivery.kind == "ping"
    state: WebhookState = "failed" if is_ping else "queued"
    store.finish(ctx, delivery, Outcome(state, outcome.status, outcome.duration_ms, outcome.error))
    if is_over:
        store.disable(ctx, webhook.id, "gone")
    elif is_ping:
        store.release(ctx, webhook.id, ctx.now + (BACKOFF.pause(webhook.failures) if webhook.failures else 0))
    elif ctx.now - (webhook.failing_since or ctx.now) >= DISABLED_AFTER:
        store.disable(ctx, webhook.id, "failing")
        mail.insert_account_mail(ctx, users.get(ctx, webhook.user_id), "notice", "webhook_disabled")
    else:
        store.fail(ctx, webhook, webhook.failures + 1, ctx.now + BACKOFF.pause(webhook.failures + 1))
