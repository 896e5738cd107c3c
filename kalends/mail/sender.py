"""Send the messages of the outbox. No transaction is open while sending, and one slow message does not delay others."""

import threading
import time

from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.core.records.delivery import Channel, Delivery
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, Retry
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries import claim_store as claims
from kalends.features.deliveries import store
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.messages import content_message as content
from kalends.features.deliveries.rules.outcome import WRITTEN, AddressRefused, TryAgain, Undeliverable, Unknown
from kalends.features.deliveries.steps import dispatcher, limits
from kalends.features.deliveries.steps.dispatcher import Backoff, Dispatcher
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import addresses
from kalends.features.users import store as users
from kalends.features.users.steps import mailed_links
from kalends.http.context import Context
from kalends.mail import mail, sms
from kalends.mail.smtp_session import SessionPool

log = get_logger(__name__)

# Concurrent sends per channel, in one worker.
SENDERS = 8
BACKOFF = Backoff(first=10, longest=3600)
GIVEN_UP_AFTER = 48 * 3600


class Outbox:
    """The queue of one channel: a mail server that hangs does not delay SMS."""

    def __init__(self, db: Database, settings: Settings, channel: Channel):
        self._db = db
        self._settings = settings
        self._channel = channel
        self._pool = SessionPool()
        # The owner whose messages were claimed last: those of the next one come first.
        self._last_owner_id = 0

    def run(self, stopping: threading.Event) -> None:
        """Send until `stopping` is set."""
        Dispatcher(self._channel, SENDERS, self._claim, self._attempt).run(stopping)
        self._pool.close_idle(0)

    def _claim(self, limit: int) -> list[Delivery]:
        self._pool.close_idle()
        due = _due(Context(self._db, self._settings, timestamps.now()), self._channel, limit, self._last_owner_id)
        self._last_owner_id = due[-1].owner_id if due else 0
        return due

    def _attempt(self, delivery: Delivery) -> None:
        attempt(self._db, self._settings, delivery, self._pool)


def queue_resets(ctx: Context) -> None:
    """Queue a reset link for each requested name that belongs to a user."""
    with ctx.read():
        if not users.has_reset_requests(ctx):
            return
    with ctx.write():
        for name, requested_at in users.take_reset_requests(ctx):
            user = users.find(ctx, name)
            is_valid = ctx.now < requested_at + mailed_links.RESET_SECONDS
            if not (user and is_valid and store.insert_account_mail(ctx, user, "reset")):
                store.skip_id(ctx)


def _due(ctx: Context, channel: Channel, limit: int, after: int = 0) -> list[Delivery]:
    """Claim due messages, in turn those of the owners after this one."""
    if channel == "email":
        queue_resets(ctx)
        batches.queue_all(ctx)
    with ctx.read():
        if not claims.is_due(ctx, channel):
            return []
    with ctx.write():
        if channel == "sms":
            claims.give_up_unknown(ctx)
        claimed = claims.claim(ctx, channel, dispatcher.LEASE, limit, after)
        change_notices.close(ctx, claimed)
        return claimed


def attempt(db: Database, settings: Settings, delivery: Delivery, pool: SessionPool | None = None) -> None:
    """Send it once, and record the outcome at once: a worker that dies in between sends the message again."""
    state, error, due_at = "sent", None if settings.sends(delivery.channel) else WRITTEN, None
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
        if delivery.channel == "sms" and not limits.is_allowed(ctx, delivery.address):
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
    due_at = timestamps.now() + BACKOFF.pause(delivery.attempts)
    if due_at > delivery.created_at + GIVEN_UP_AFTER:
        return "failed", f"Given up after {delivery.attempts} attempts. {trouble}", None
    return "queued", trouble, due_at


def _record_outcome(
    db: Database, settings: Settings, delivery: Delivery, state: str, error: str | None, due_at: int | None, *, is_refused: bool
) -> None:
    """Record the outcome, retrying until the lease ends: an unrecorded message would be sent again.

    is_refused: the mail server takes no mail for the address."""
    until = time.monotonic() + dispatcher.LEASE
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
            time.sleep(dispatcher.PAUSE)
