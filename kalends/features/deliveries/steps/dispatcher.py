"""Run the jobs of a queue in threads: messages of one channel, or webhooks. One slow job does not delay others."""

import queue
import random
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from kalends.core import tracing
from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.db import Retry

log = get_logger(__name__)

Job = TypeVar("Job")

# How long a queue without due jobs is left alone.
PAUSE = 1.0
# How long is waited for more threads to become idle, since to claim several jobs at once takes as long as one.
BATCH_PAUSE = 0.02
# Longer than any attempt. When a lease expires without an outcome, its worker is dead.
LEASE = 120
# How long a stopping worker waits for jobs in progress.
GRACE = 6


class Backoff(Struct, frozen=True):
    """The pauses between attempts, in seconds: each is twice as long as the one before."""

    first: int
    longest: int

    def pause(self, failures: int) -> int:
        """The seconds until the next attempt, with up to a fifth less, so that jobs that failed together do not return together."""
        pause: int = min(self.longest, self.first * 2 ** min(failures - 1, 20))
        return max(1, round(pause * random.uniform(0.8, 1)))  # noqa: S311


class Dispatcher(Generic[Job]):
    """Claims due jobs for its threads.

    claim: takes the number of idle threads, and returns due jobs that no other worker takes until the lease ends. If there are more
        than that, they wait for their turn.
    perform: does one of them, and records the outcome.
    """

    def __init__(self, name: str, threads: int, claim: Callable[[int], Sequence[Job]], perform: Callable[[Job], None]):
        self._name = name
        self._threads = threads
        self._claim = claim
        self._perform = perform
        self._queue: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._changed = threading.Condition()
        # The jobs that wait for a thread or are in progress.
        self._busy = 0

    def run(self, stopping: threading.Event) -> None:
        """Dispatch until `stopping` is set."""
        for number in range(self._threads):
            threading.Thread(target=self._run_thread, name=f"{self._name} {number}", daemon=True).start()
        while not stopping.is_set():
            if not self._dispatch(self._count_idle()):
                stopping.wait(PAUSE)
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0, timeout=GRACE)

    def _count_idle(self) -> int:
        """The number of idle threads; waits briefly if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy < self._threads, timeout=PAUSE)
            self._changed.wait_for(lambda: self._busy <= self._threads // 2, timeout=BATCH_PAUSE)
            return max(self._threads - self._busy, 0)

    def _dispatch(self, idle: int) -> int:
        """Claim due jobs and queue them; return their number."""
        try:
            jobs = self._claim(idle) if idle else []
        except (Retry, Unavailable) as error:
            log.warning("queue_claim_failed", queue=self._name, reason=str(error))
            return 0
        except Exception:
            log.exception("queue_claim_failed", queue=self._name)
            return 0
        with self._changed:
            self._busy += len(jobs)
        for job in jobs:
            self._queue.put(job)
        return len(jobs)

    def _run_thread(self) -> None:
        while True:
            job = self._queue.get()
            try:
                with tracing.job(f"send_{self._name}"):
                    self._perform(job)
            except (Retry, Unavailable) as error:
                log.warning("queue_job_failed", queue=self._name, reason=str(error))
            except Exception:
                log.exception("queue_job_failed", queue=self._name)
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
