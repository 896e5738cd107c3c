"""The background worker: sends deliveries, reads replies, fetches sources, deletes expired records,
extends series and merges text indexes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select

from kalends.core import tracing
from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.dav.books import store as cards
from kalends.dav.push import store as push_subscriptions
from kalends.dav.push.sender import PushSender
from kalends.db import Database, Retry, counters, last_runs
from kalends.db.backup.daily import DailyBackup
from kalends.features.admin.audit import store as audit
from kalends.features.admin.deleted_calendars import store as deleted_calendars
from kalends.features.calendars import ownership_store as ownership
from kalends.features.changes import journal_store as journal
from kalends.features.changes.steps import undo
from kalends.features.contacts import store as contacts
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.model import CHANNELS
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events import deleted_event_store as deleted_events
from kalends.features.events.invitations import store as invitations
from kalends.features.events.messages import store as messages
from kalends.features.events.reminders.steps import remind
from kalends.features.events.series import store as series
from kalends.features.events.series.steps import occurrences
from kalends.features.hidden_events import store as hidden_events
from kalends.features.idempotency import store as retries
from kalends.features.pictures import store as pictures
from kalends.features.questions import answer_store as answers
from kalends.features.reports import store as reports
from kalends.features.responses import news_store as news
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses import seat_store
from kalends.features.responses import store as responses
from kalends.features.responses.steps import erase, seats
from kalends.features.responses.steps import series as series_responses
from kalends.features.sessions import store as sessions
from kalends.features.sources.steps.reader import SourceReader
from kalends.features.subscribers import store as subscribers
from kalends.features.users import invitation_store as account_invitations
from kalends.features.webhooks import store as webhooks
from kalends.features.webhooks.steps.sender import WebhookSender
from kalends.http.context import Context
from kalends.mail.inbound.imap import Poller
from kalends.mail.sender import Outbox

log = get_logger(__name__)

INTERVAL_SECONDS = 60
RESTART_DELAY_SECONDS = 1
# How many batches of old rows are deleted before the other tasks have their turn.
MAX_BATCHES = 200
STDIN = 0


def work(db: Database, settings: Settings, *, attached: bool = False) -> None:
    """Work until SIGTERM or SIGINT; attached to another process, also until that process ends."""
    stop_fds = [_signal_fd(), *([STDIN] if attached else [])]
    tracing.start(settings)
    stopping = threading.Event()
    outboxes = [threading.Thread(target=Outbox(db, settings, channel).run, args=(stopping,)) for channel in CHANNELS]
    outboxes.append(threading.Thread(target=WebhookSender(db, settings).run, args=(stopping,)))
    outboxes.append(threading.Thread(target=PushSender(db, settings).run, args=(stopping,)))
    outboxes.append(threading.Thread(target=SourceReader(db, settings).run, args=(stopping,)))
    outboxes.append(threading.Thread(target=Poller(db, settings).run, args=(stopping,)))
    outboxes.append(threading.Thread(target=DailyBackup(db, settings).run, args=(stopping,)))
    for outbox in outboxes:
        outbox.start()
    while not stopping.is_set():
        for task in TASKS:
            _run_task(task, Context(db, settings, timestamps.now()))
        if select(stop_fds, [], [], INTERVAL_SECONDS)[0]:
            stopping.set()
    for outbox in outboxes:
        outbox.join()
    tracing.stop()


def clean_up(ctx: Context) -> None:
    """Delete expired records."""
    with ctx.write() as tx:
        sessions.clean_up(tx, ctx.now)
        contacts.clean_up(ctx)
        cards.clean_up(ctx)
        push_subscriptions.clean_up(ctx)
        deliveries.clean_up(ctx)
        languages.clean_up(ctx)
        change_notices.clean_up(ctx)
        counters.clean_up(tx, ctx.now)
        subscribers.clean_up(ctx)
        deleted_events.clean_up(ctx)
        proposals.clean_up(ctx)
        webhooks.clean_up(ctx)
        answers.clean_up(ctx)
        invitations.clean_up(ctx)
        messages.clean_up(ctx)
        reports.clean_up(ctx)
        hidden_events.clean_up(ctx)
        pictures.clean_up(ctx)
        account_invitations.clean_up(ctx)
        ownership.clean_up_offers(ctx)
        audit.clean_up(ctx)


def record_run(ctx: Context) -> None:
    """Show admins that the worker is alive."""
    with ctx.write() as tx:
        last_runs.record(tx, "worker", ctx.now)


def extend_series(ctx: Context) -> None:
    """Create the coming events of series without an end, each series in its own transaction."""
    with ctx.read():
        due = series.find_due(ctx)
    for series_id in due:
        with ctx.write():
            occurrences.extend(ctx, series_id)
            series_responses.extend(ctx, series_id)


def lapse_offers(ctx: Context) -> None:
    """Take back the seats that were offered or held for a time that is over, each event in its own transaction."""
    with ctx.read():
        due = seat_store.find_lapsed_events(ctx)
    for event_id in due:
        with ctx.write():
            responses.lock_event(ctx, event_id, exclusive=True)
            seats.assign_free_seats(ctx, event_id)


def remind_guests(ctx: Context) -> None:
    """Queue the reminders of events whose time has come."""
    remind.queue_due(ctx)


def notify_organisers(ctx: Context) -> None:
    """Queue the mail about new responses and comments."""
    news.queue_mail(ctx)


def finish_undos(ctx: Context) -> None:
    """Finish what a server was undoing when it was stopped."""
    undo.finish_interrupted(ctx)


def forget_guests(ctx: Context) -> None:
    """Erase who the guests of past events were, where a calendar says so."""
    erase.forget_due(ctx)


def prune_history(ctx: Context) -> None:
    """Delete what is older than the history."""
    _run_in_batches(ctx, journal.prune)


def empty_trash(ctx: Context) -> None:
    """Delete the calendars of deleted accounts that nobody got in time."""
    _run_in_batches(ctx, deleted_calendars.empty_batch)


def expire_replies(ctx: Context) -> None:
    """Delete the stored replies to requests that nobody sends again."""
    _run_in_batches(ctx, retries.delete_expired)


def _run_in_batches(ctx: Context, delete_batch: Callable[[Context], bool]) -> None:
    """Delete in transactions that let others write in between."""
    for _ in range(MAX_BATCHES):
        with ctx.write():
            more = delete_batch(ctx)
        if not more:
            return
        ctx.db.yield_to_other_writers()


def merge_text_indexes(ctx: Context) -> None:
    """Keep searches fast after many writes."""
    ctx.db.merge_text_indexes()


TASKS: list[Callable[[Context], None]] = [
    record_run,
    lapse_offers,
    remind_guests,
    notify_organisers,
    clean_up,
    finish_undos,
    forget_guests,
    prune_history,
    empty_trash,
    expire_replies,
    extend_series,
    merge_text_indexes,
]


def _run_task(task: Callable[[Context], None], ctx: Context) -> None:
    """A task that fails is retried in the next round; the other tasks run all the same."""
    try:
        with tracing.job(task.__name__):
            task(ctx)
    except (Retry, Unavailable) as error:
        log.warning("worker_task_retry", task=task.__name__, reason=str(error))
    except Exception:
        log.exception("worker_task_failed", task=task.__name__)


def _signal_fd() -> int:
    """A file descriptor that becomes readable with SIGTERM or SIGINT. `select` needs it: a signal may be delivered to another thread."""
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    signal.set_wakeup_fd(write_fd)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return read_fd


@contextmanager
def attached_worker(*, no_migrate: bool = False) -> Iterator[None]:
    """Run `kalends work` as a child process while the block runs, and restart it when it dies.

    The child ends with this process, even if that is killed: the pipe that the child reads closes.
    """
    supervisor = _Supervisor(["--no-migrate"] if no_migrate else [])
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


class _Supervisor:
    """Restarts the worker's process when it dies."""

    def __init__(self, options: list[str]) -> None:
        self._options = options
        self._stopping = threading.Event()
        self._starting = threading.Lock()

    def start(self) -> None:
        self._process = _start_worker(self._options)
        self._thread = threading.Thread(target=self._supervise, name="worker-supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._starting:
            self._stopping.set()
        self._process.terminate()
        self._thread.join()

    def _supervise(self) -> None:
        while True:
            status = self._process.wait()
            if self._stopping.is_set():
                return
            log.error("worker_died", status=status)
            self._stopping.wait(RESTART_DELAY_SECONDS)
            with self._starting:
                if self._stopping.is_set():
                    return
                self._process = _start_worker(self._options)


def _start_worker(options: list[str]) -> "subprocess.Popen[bytes]":
    """Start it in its own process group, so that Ctrl-C in the terminal reaches only the parent."""
    command = [sys.executable, "-P", "-m", "kalends.cli", "work", "--attached", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0)
