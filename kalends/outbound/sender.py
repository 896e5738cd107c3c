"""Send the messages of the outbox. No transaction is open while sending, and one slow message does not delay others."""

import queue
import random
import threading
import time

from kalends import tracing
from kalends.context import Context
from kalends.db import Database, Retry
from kalends.deliveries import claims, sms_countries, store, suppressions
from kalends.errors import Unavailable
from kalends.events import change_notices
from kalends.events.invitations import addresses
from kalends.events.invitations import store as invitations
from kalends.log import get_logger
from kalends.outbound import content, mail, sms
from kalends.outbound.outcome import AddressRefused, TryAgain, Undeliverable, Unknown
from kalends.outbound.smtp_session import SessionPool
from kalends.records.delivery import Channel, Delivery
from kalends.settings import Settings
from kalends.users import reset_link, reset_requests
from kalends.users import store as users
from kalends.values import timestamps

log = get_logger(__name__)

# Concurrent sends per channel, in one worker.
SENDERS = 8
PAUSE = 1.0
# How long is waited for more senders to become idle, since to claim several messages at once takes as long as one.
BATCH_PAUSE = 0.02
# Longer than any attempt. When a lease expires without an outcome, its worker is dead.
LEASE = 120
FIRST_PAUSE, LONGEST_PAUSE = 10, 3600
GIVEN_UP_AFTER = 48 * 3600
# How long a stopping worker waits for sends in progress.
GRACE = 5


class Outbox:
    """Claims due messages of one channel for its sender threads: a mail server that hangs does not delay SMS."""

    def __init__(self, db: Database, settings: Settings, channel: Channel):
        self._db = db
        self._settings = settings
        self._channel = channel
        self._queue: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._busy = 0
        self._pool = SessionPool()
        # The owner whose messages were claimed last: those of the next one come first.
        self._last_owner_id = 0

    def run(self, stopping: threading.Event) -> None:
        """Send until `stopping` is set."""
        for number in range(SENDERS):
            threading.Thread(target=self._run_sender, name=f"{self._channel} {number}", daemon=True).start()
        while not stopping.is_set():
            self._pool.close_idle()
            if not self._dispatch(self._idle_senders()):
                stopping.wait(PAUSE)
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0, timeout=GRACE)
        self._pool.close_idle(0)

    def _idle_senders(self) -> int:
        """The number of idle senders; waits briefly if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy < SENDERS, timeout=PAUSE)
            self._changed.wait_for(lambda: self._busy <= SENDERS // 2, timeout=BATCH_PAUSE)
            return SENDERS - self._busy

    def _dispatch(self, limit: int) -> int:
        """Claim at most this many due messages and queue them; return their number."""
        ctx = Context(self._db, self._settings, timestamps.now())
        try:
            due = _due(ctx, self._channel, limit, self._last_owner_id) if limit else []
        except (Retry, Unavailable) as error:
            log.warning("delivery_claim_failed", reason=str(error))
            return 0
        except Exception:
            log.exception("delivery_claim_failed")
            return 0
        self._last_owner_id = due[-1].owner_id if due else 0
        with self._changed:
            self._busy += len(due)
        for delivery in due:
            self._queue.put(delivery)
        return len(due)

    def _run_sender(self) -> None:
        while True:
            delivery = self._queue.get()
            try:
                with tracing.job(f"send_{self._channel}"):
                    attempt(self._db, self._settings, delivery, self._pool)
            except Exception:
                log.exception("delivery_abandoned", delivery=delivery.id)
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()


def queue_resets(ctx: Context) -> None:
    """Queue a reset link for each requested name that belongs to a user."""
    with ctx.read():
        if not reset_requests.exist(ctx):
            return
    with ctx.write():
        for name, requested_at in reset_requests.take(ctx):
            user = users.find(ctx, name)
            is_valid = ctx.now < requested_at + reset_link.VALID_FOR
            if not (user and is_valid and store.insert_account_mail(ctx, user, "reset")):
                store.skip_id(ctx)


def _due(ctx: Context, channel: Channel, limit: int, after: int = 0) -> list[Delivery]:
    """Claim due messages, in turn those of the owners after this one."""
    if channel == "email":
        queue_resets(ctx)
    with ctx.read():
        if not claims.is_due(ctx, channel):
            return []
    with ctx.write():
        if channel == "sms":
            claims.give_up_unknown(ctx)
        claimed = claims.claim(ctx, channel, LEASE, limit, after)
        change_notices.close(ctx, claimed)
        return claimed


def attempt(db: Database, settings: Settings, delivery: Delivery, pool: SessionPool | None = None) -> None:
    """Send it once, and record the outcome at once: a worker that dies in between sends the message again."""
    state, error, due_at = "sent", None, None
    is_refused = False
    try:
        _send(Context(db, settings, timestamps.now()), delivery, pool)
    except AddressRefused as refusal:
        state, error, is_refused = "failed", str(refusal), True
    except (Undeliverable, Unknown) as final:
        state, error = "failed", str(final)
    except TryAgain as trouble:
        state, error, due_at = _retry_or_fail(delivery, str(trouble))
    except Exception:
        log.exception("delivery_failed", delivery=delivery.id)
        state, error, due_at = _retry_or_fail(delivery, "An internal error occurred; the log has the details.")
    _record_outcome(db, settings, delivery, state, error, due_at, is_refused=is_refused)
    log.info("delivery", delivery=delivery.id, channel=delivery.channel, state=state, attempts=delivery.attempts, error=error)


def _send(ctx: Context, delivery: Delivery, pool: SessionPool | None) -> None:
    with ctx.read():
        if delivery.channel == "sms" and not sms_countries.is_allowed(ctx, delivery.address):
            raise Undeliverable("SMS are sent to mobile phones in the allowed countries alone.")
        message = content.build(ctx, delivery)
    if isinstance(message, str):
        sms.send(ctx.settings, delivery.address, message, delivery.id)
        return
    # Mail servers report to this address that the message could not be delivered.
    has_return_path = delivery.kind in content.GUEST_MESSAGES and addresses.takes_replies(ctx.settings)
    return_path = addresses.bounce_address(ctx.settings, delivery.id) if has_return_path else None
    mail.send(ctx.settings, message, delivery.address, return_path=return_path, pool=pool)


def _retry_or_fail(delivery: Delivery, trouble: str) -> tuple[str, str, int | None]:
    """The next state: a retry with exponential backoff, or failure after 48 hours."""
    now = timestamps.now()
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(delivery.attempts - 1, 20))
    due_at = now + max(1, round(pause * random.uniform(0.8, 1)))  # noqa: S311
    if due_at > delivery.created_at + GIVEN_UP_AFTER:
        return "failed", f"Given up after {delivery.attempts} attempts. {trouble}", None
    return "queued", trouble, due_at


def _record_outcome(
    db: Database, settings: Settings, delivery: Delivery, state: str, error: str | None, due_at: int | None, *, is_refused: bool
) -> None:
    """Record the outcome, retrying until the lease ends: an unrecorded message would be sent again.

    is_refused: the mail server takes no mail for the address."""
    until = time.monotonic() + LEASE
    while True:
        ctx = Context(db, settings, timestamps.now())
        try:
            with ctx.write():
                if is_refused:
                    suppressions.insert_for_delivery(ctx, delivery, "refused", error)
                if delivery.kind == "invitation":
                    invitations.record_outcome(ctx, delivery, state, error)
                elif delivery.event_ids and state == "sent":
                    invitations.record_update(ctx, delivery)
                return claims.finish(ctx, delivery, state, error, due_at)
        except (Retry, Unavailable):
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
