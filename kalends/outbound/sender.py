"""Send the messages of the outbox. No transaction is open while sending, and one slow message does not delay others."""

import queue
import random
import threading
import time
from collections.abc import Callable
from email.message import EmailMessage

from kalends.context import Context
from kalends.db import Database, Retry
from kalends.deliveries import store, suppressions
from kalends.deliveries.model import Channel
from kalends.errors import Unavailable
from kalends.events import change_notices
from kalends.events import store as events
from kalends.events.invitations import addresses
from kalends.events.invitations import store as invitations
from kalends.log import get_logger
from kalends.outbound import (
    account_message,
    change_message,
    guest_message,
    invitation_message,
    mail,
    message,
    news_message,
    place_message,
    reminder_message,
    response_message,
    sms,
)
from kalends.outbound.outcome import AddressRefused, TryAgain, Undeliverable, Unknown
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.records.user import User
from kalends.responses import places, proposals
from kalends.responses import store as responses
from kalends.settings import Settings
from kalends.users import reset_link, reset_requests, verify_link
from kalends.users import store as users
from kalends.values import timestamps

log = get_logger(__name__)

# Concurrent sends per channel, in one worker.
SENDERS = 8
PAUSE = 1.0
# Longer than any attempt. When a lease expires without an outcome, its worker is dead.
LEASE = 120
FIRST_PAUSE, LONGEST_PAUSE = 10, 3600
GIVEN_UP_AFTER = 48 * 3600
# How long a stopping worker waits for sends in progress.
GRACE = 5
ACCOUNT_MESSAGES = {"reset": account_message.reset, "verify": account_message.verify, "notice": account_message.notice}
# The messages to guests by their kind: an e-mail or, for the channel `sms`, a text. They raise Undeliverable if there is nothing to tell.
GUEST_MESSAGES: dict[str, Callable[[Context, Delivery], EmailMessage | str]] = {
    "change": change_message.build,
    "cancel": change_message.build,
    "reminder": reminder_message.build,
    "invitation": invitation_message.build,
    "message": guest_message.build,
    "confirmation": invitation_message.build_note,
}


class Outbox:
    """Claims due messages of one channel for its sender threads: a mail server that hangs does not delay SMS."""

    def __init__(self, db: Database, settings: Settings, channel: Channel):
        self._db = db
        self._settings = settings
        self._channel = channel
        self._queue: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._busy = 0

    def run(self, stopping: threading.Event) -> None:
        """Send until `stopping` is set."""
        for number in range(SENDERS):
            threading.Thread(target=self._run_sender, name=f"{self._channel} {number}", daemon=True).start()
        while not stopping.is_set():
            if not self._dispatch(self._idle_senders()):
                stopping.wait(PAUSE)
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0, timeout=GRACE)

    def _idle_senders(self) -> int:
        """The number of idle senders; waits briefly if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy < SENDERS, timeout=PAUSE)
            return SENDERS - self._busy

    def _dispatch(self, limit: int) -> int:
        """Claim at most this many due messages and queue them; return their number."""
        ctx = Context(self._db, self._settings, timestamps.now())
        try:
            due = _due(ctx, self._channel, limit) if limit else []
        except (Retry, Unavailable) as error:
            log.warning("delivery_claim_failed", reason=str(error))
            return 0
        except Exception:
            log.exception("delivery_claim_failed")
            return 0
        with self._changed:
            self._busy += len(due)
        for delivery in due:
            self._queue.put(delivery)
        return len(due)

    def _run_sender(self) -> None:
        while True:
            delivery = self._queue.get()
            try:
                attempt(self._db, self._settings, delivery)
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
            if user and ctx.now < requested_at + reset_link.VALID_FOR:
                store.insert_account_mail(ctx, user, "reset")


def _due(ctx: Context, channel: Channel, limit: int) -> list[Delivery]:
    if channel == "email":
        queue_resets(ctx)
    with ctx.read():
        if not store.is_due(ctx, channel):
            return []
    with ctx.write():
        store.give_up_unknown(ctx)
        claimed = store.claim(ctx, channel, LEASE, limit)
        change_notices.close(ctx, claimed)
        return claimed


def attempt(db: Database, settings: Settings, delivery: Delivery) -> None:
    """Send it once, and record the outcome."""
    state, error, due_at = "sent", None, None
    is_refused = False
    try:
        _send(Context(db, settings, timestamps.now()), delivery)
    except AddressRefused as refusal:
        state, error, is_refused = "failed", str(refusal), True
    except (Undeliverable, Unknown) as final:
        state, error = "failed", str(final)
    except TryAgain as trouble:
        state, error, due_at = _retry_or_fail(delivery, str(trouble))
    except Exception:
        log.exception("delivery_failed", delivery=delivery.id)
        state, error, due_at = _retry_or_fail(delivery, "An internal error occurred; the log has the details.")
    log.info("delivery", delivery=delivery.id, channel=delivery.channel, state=state, attempts=delivery.attempts, error=error)
    _record_outcome(db, settings, delivery, state, error, due_at, is_refused=is_refused)


def _send(ctx: Context, delivery: Delivery) -> None:
    if delivery.kind in GUEST_MESSAGES:
        with ctx.read():
            if suppressions.is_suppressed(ctx, delivery):
                raise Undeliverable("They wanted no more such messages before it was sent, or their address does not work.")
            guest_message = GUEST_MESSAGES[delivery.kind](ctx, delivery)
        if isinstance(guest_message, str):
            sms.send(ctx.settings, delivery.address, guest_message, delivery.id)
        else:
            # Mail servers report to this address that the message could not be delivered.
            return_path = addresses.bounce_address(ctx.settings, delivery.id) if addresses.takes_replies(ctx.settings) else None
            mail.send(ctx.settings, guest_message, delivery.address, return_path=return_path)
        return
    if delivery.notice == "response_news":
        with ctx.read():
            content = _news(ctx, delivery)
        mail.send(ctx.settings, content, delivery.address)
        return
    if delivery.kind in ACCOUNT_MESSAGES and not (delivery.is_about_new_date or delivery.is_about_place):
        with ctx.read():
            user = _account(ctx, delivery)
        mail.send(ctx.settings, ACCOUNT_MESSAGES[delivery.kind](ctx.settings, delivery, user), delivery.address)
        return
    if delivery.kind == "confirm":
        with ctx.read():
            owner = _asking(ctx, delivery)
        if delivery.channel == "email":
            mail.send(ctx.settings, message.confirmation(ctx.settings, delivery, owner), delivery.address)
        else:
            sms.send(ctx.settings, delivery.address, message.confirmation_text(ctx.settings, delivery, owner), delivery.id)
        return
    if delivery.kind in ("response", "proposal", "link"):
        with ctx.read():
            content = _about_response(ctx, delivery)
        mail.send(ctx.settings, content, delivery.address)
        return
    with ctx.read():
        current, event = _current(ctx, delivery)
        response = _placed_response(ctx, current) if current.is_about_place else None
    if response:
        mail.send(ctx.settings, place_message.place_mail(ctx.settings, current, event, response), current.address)
        return
    if current.channel == "email":
        mail.send(ctx.settings, message.mail(ctx.settings, current, event), current.address)
    else:
        sms.send(ctx.settings, current.address, message.text(ctx.settings, current, event), current.id)


def _news(ctx: Context, delivery: Delivery) -> EmailMessage:
    """What an organiser is told of, as it is now."""
    owner = _account(ctx, delivery)
    if owner.response_notices == "off" or owner.email_address != delivery.address:
        raise Undeliverable("They did not want it any more, or have another address.")
    content = news_message.build(ctx, delivery, owner)
    if content is None:
        raise Undeliverable("What it was about was removed before it was sent.")
    return content


def _current(ctx: Context, delivery: Delivery) -> tuple[Delivery, Event]:
    """Load the delivery and its event again: they may have changed since it was queued."""
    current = store.get(ctx, delivery.id)
    if current is None or current.event_id is None:
        raise Undeliverable("The event was deleted before it was sent.")
    if current.kind == "announce" and current.subscriber_id is None:
        raise Undeliverable("They left the list before it was sent.")
    event = events.get(ctx, current.event_id)
    if current.public and not event.public:
        raise Undeliverable("The event was made private before it was sent.")
    return current, event


def _placed_response(ctx: Context, delivery: Delivery) -> Response:
    """The response whose place the message is about, if what it says still holds."""
    response = next(iter(responses.find_by_ids(ctx, [delivery.response_id] if delivery.response_id else [])), None)
    if response is None or response.response != "YES":
        raise Undeliverable("The response was withdrawn before it was sent.")
    if delivery.notice == "place_offered" and not (response.offered and response.offer_until and ctx.now < response.offer_until):
        raise Undeliverable("The offer was over before it was sent.")
    return response


def _about_response(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The mail about a response or a proposal, as they are now."""
    current, event = _current(ctx, delivery)
    if current.kind == "proposal":
        proposal = proposals.find(ctx, current.proposal_id) if current.proposal_id else None
        if proposal is None:
            raise Undeliverable("What was to be confirmed had expired before it was sent.")
        return response_message.proposal_mail(ctx.settings, current, event, proposal)
    if current.notice == "response_removed":
        return response_message.removal_mail(ctx.settings, current, event)
    if current.kind == "response":
        rows = responses.find_by_ids(ctx, [current.response_id] if current.response_id else [])
    else:
        rows = responses.of_address(ctx, event.id, current.address)
    if not rows:
        raise Undeliverable("There is no response of this address.")
    response = rows[0]
    return response_message.response_mail(ctx.settings, current, event, response, places.find(ctx, [response]).get(response.id))


def _asking(ctx: Context, delivery: Delivery) -> User:
    """The owner of the list that the address is asked to confirm."""
    if store.get(ctx, delivery.id) is None:
        raise Undeliverable("The account was deleted before it was sent.")
    return users.get(ctx, delivery.owner_id)


def _account(ctx: Context, delivery: Delivery) -> User:
    """The user whom the message is about, while its link is valid. A notice has no link."""
    if store.get(ctx, delivery.id) is None:
        raise Undeliverable("The account was deleted before it was sent.")
    user = users.get(ctx, delivery.owner_id)
    if delivery.kind == "notice":
        return user
    valid_for = reset_link.VALID_FOR if delivery.kind == "reset" else verify_link.VALID_FOR
    if ctx.now >= delivery.created_at + valid_for or user.email_address != delivery.address:
        raise Undeliverable("The link had expired before it was sent.")
    return user


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
                return store.finish(ctx, delivery, state, error, due_at)
        except (Retry, Unavailable):
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
