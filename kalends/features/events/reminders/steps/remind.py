"""Queue the reminders whose time has come. Each transaction reads the event, the reminder and the responses again."""

from kalends.core.errors import TooMany
from kalends.core.log import get_logger
from kalends.core.records.event import Event
from kalends.features.deliveries.steps import guest_notice, limits
from kalends.features.events import store as events
from kalends.features.events.reminders import queue_store as queue
from kalends.features.events.reminders import recipient_store as recipients
from kalends.features.events.reminders.queue_store import Candidate
from kalends.features.events.reminders.recipient_store import BATCH
from kalends.features.events.reminders.rules.due import Window, find_window
from kalends.features.responses import store as responses
from kalends.http.context import Context

log = get_logger(__name__)

# Why a message was dropped that may be sent after all: the event or the response can change again in time.
DROPPED = "The event was moved, cancelled, postponed or hidden, or the guest did not want to come any more, before it was sent."


def queue_due(ctx: Context) -> None:
    """Queue what is due. A reminder that is too late is recorded, not sent: there is no burst after an outage."""
    with ctx.read():
        candidates = queue.find_candidates(ctx)
    for candidate in candidates:
        window = find_window(candidate, candidate.start_at, candidate.time_zone)
        if window and window.due_at <= ctx.now:
            _remind(ctx, candidate)


def _remind(ctx: Context, candidate: Candidate) -> None:
    """Queue the messages, a batch in each transaction."""
    after: int | None = 0
    try:
        while after is not None:
            with ctx.write():
                after = _queue_batch(ctx, candidate, after)
    except TooMany as error:
        # The rest is tried again until it is too late.
        log.warning("reminder_limited", reminder=candidate.id, event=candidate.of_event, reason=error.detail)


def _queue_batch(ctx: Context, candidate: Candidate, after: int) -> int | None:
    """Queue the messages of a batch; returns the last response, or None if there is none left."""
    if responses.lock_event(ctx, candidate.of_event, exclusive=False) is None:
        return None
    current = queue.find_candidate(ctx, candidate.id, candidate.of_event)
    event = events.get(ctx, candidate.of_event)
    window = find_window(current, event.start_at, event.time_zone) if current else None
    if current is None or window is None or event.status != "planned" or not window.due_at <= ctx.now < event.start_at:
        return None
    if ctx.now >= window.until_at:
        queue.record_run(ctx, current, window, is_late=True)
        log.warning("reminder_dropped", reminder=current.id, event=event.id, late=ctx.now - window.due_at)
        return None
    return _queue_messages(ctx, current, event, window, after)


def _queue_messages(ctx: Context, candidate: Candidate, event: Event, window: Window, after: int) -> int | None:
    if not after:
        queue.requeue_dropped(ctx, candidate, DROPPED)
    guests = recipients.find(ctx, event, candidate, after=after, limit=BATCH, cause=candidate.cause)
    limits.count_reminders(ctx, event.owner_id, candidate.channel, len(guests))
    guest_notice.insert(ctx, event, "reminder", candidate.cause, guests)
    if len(guests) == BATCH:
        return guests[-1].response_id
    queue.record_run(ctx, candidate, window, is_late=False)
    return None
