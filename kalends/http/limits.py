"""Rate limits on guests, in memory: a moving window per process."""

import threading
import time
from collections import deque
from collections.abc import Callable

from kalends.errors import TooMany

WINDOW = 60
MANY_SUBJECTS = 10_000


class RateLimit:
    """At most `most` calls a minute for each subject."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic):
        self.most = most
        self._clock = clock
        self._calls: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def count(self, subject: str) -> None:
        """Count a call, or raise TooMany."""
        now = self._clock()
        with self._lock:
            if len(self._calls) > MANY_SUBJECTS:
                self._forget(now)
            calls = self._calls.setdefault(subject, deque())
            while calls and calls[0] <= now - WINDOW:
                calls.popleft()
            if len(calls) >= self.most:
                wait = int(calls[0] + WINDOW - now) + 1
                raise TooMany(f"At most {self.most} of these a minute. Try again in {wait} seconds.", wait)
            calls.append(now)

    def _forget(self, now: float) -> None:
        for subject in [s for s, calls in self._calls.items() if not calls or calls[-1] <= now - WINDOW]:
            del self._calls[subject]
