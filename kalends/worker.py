"""The background loop: what must happen without anybody asking."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select

from kalends.contacts import store as contacts
from kalends.context import Context
from kalends.db import Database, Retry, counters
from kalends.deliveries import store as deliveries
from kalends.deliveries.model import CHANNELS
from kalends.deliveries.sender import Outbox
from kalends.errors import Unavailable
from kalends.events.series import store as series
from kalends.idempotency import store as retries
from kalends.log import log
from kalends.sessions import store as sessions
from kalends.settings import Settings
from kalends.subscribers import store as subscribers
from kalends.values import timestamps

PAUSE = 60
PAUSE_BEFORE_RESTART = 1
STDIN = 0


def work(db: Database, settings: Settings, *, attached: bool = False) -> None:
    """Work until SIGTERM or SIGINT; attached to another process, until that one is gone too."""
    ends = [_stop_signals(), *([STDIN] if attached else [])]
    stopping = threading.Event()
    outboxes = [threading.Thread(target=Outbox(db, settings, channel).run, args=(stopping,)) for channel in CHANNELS]
    for outbox in outboxes:
        outbox.start()
    while not stopping.is_set():
        for task in TASKS:
            _attempt(task, Context(db, settings, timestamps.now()))
        if select(ends, [], [], PAUSE)[0]:
            stopping.set()
    for outbox in outboxes:
        outbox.join()


def clean_up(ctx: Context) -> None:
    """Forget what has expired."""
    with ctx.write() as tx:
        sessions.clean_up(tx, ctx.now)
        contacts.clean_up(ctx)
        deliveries.clean_up(ctx)
        retries.clean_up(ctx)
        counters.clean_up(tx, ctx.now)
        subscribers.clean_up(ctx)


def extend_series(ctx: Context) -> None:
    """Keep the series that have no end made well ahead, each in a transaction of its own."""
    with ctx.read():
        due = series.due(ctx)
    for series_id in due:
        with ctx.write():
            series.extend(ctx, series_id)


TASKS: list[Callable[[Context], None]] = [clean_up, extend_series]


def _attempt(task: Callable[[Context], None], ctx: Context) -> None:
    """A task that fails is tried again in the next round, and holds up no other."""
    try:
        task(ctx)
    except (Retry, Unavailable) as away:
        log.warning("a task of the worker waits", task=task.__name__, reason=str(away))
    except Exception:
        log.exception("a task of the worker failed", task=task.__name__)


def _stop_signals() -> int:
    """What can be read from once there was one. The system hands a signal to any thread, and wakes no other."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return told


@contextmanager
def attached_worker() -> Iterator[None]:
    """For as long as the block runs, `kalends work` runs beside it. It is started again when it dies, and ends with this process
    however that ends: the pipe that it reads closes."""
    keeper = _Keeper()
    keeper.start()
    try:
        yield
    finally:
        keeper.stop()


class _Keeper:
    """Keeps the worker's process running."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._starting = threading.Lock()

    def start(self) -> None:
        self._process = _start()
        self._thread = threading.Thread(target=self._keep, name="keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._starting:
            self._stopping.set()
        self._process.terminate()
        self._thread.join()

    def _keep(self) -> None:
        while True:
            status = self._process.wait()
            if self._stopping.is_set():
                return
            log.error("the worker died, and is started again", status=status)
            self._stopping.wait(PAUSE_BEFORE_RESTART)
            with self._starting:
                if self._stopping.is_set():
                    return
                self._process = _start()


def _start() -> "subprocess.Popen[bytes]":
    """In a process group of its own, since the terminal's Ctrl-C is for the parent."""
    command = [sys.executable, "-P", "-m", "kalends", "work", "--attached"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0)
