"""The load of a server process for /metrics. It is measured once a second, so requests update nothing but the counts that limit them."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from prometheus_client import Gauge

from kalends.db import Database
from kalends.http import metrics

INTERVAL_SECONDS = 1

# Added up over the processes that are alive.
LIVE_SUM: Final = "livesum"
_in_flight = Gauge("kalends_requests_in_flight", "Requests without a complete response", ["kind"], multiprocess_mode=LIVE_SUM)
_queued = Gauge("kalends_requests_queued", "Requests that wait for a thread", ["pool"], multiprocess_mode=LIVE_SUM)
_busy_threads = Gauge("kalends_threads_busy", "Threads that run a request", ["pool"], multiprocess_mode=LIVE_SUM)
_connections = Gauge("kalends_database_connections", "Open connections", ["server", "state"], multiprocess_mode=LIVE_SUM)
_waiting_writers = Gauge("kalends_database_waiting_writers", "Threads that wait for the write lock", ["server"], multiprocess_mode=LIVE_SUM)


class Pool(Protocol):
    """Threads with a queue in front of them."""

    @property
    def busy_threads(self) -> int: ...

    @property
    def waiting(self) -> int: ...


class LoadMeter:
    """Sets the gauges of requests, thread pools and database connections."""

    def __init__(self, count_active: Callable[[], int], count_followers: Callable[[], int], pools: Mapping[str, Pool], db: Database | None):
        self._count_active = count_active
        self._count_followers = count_followers
        self._pools = pools
        self._db = db
        # From the start: Prometheus computes no rate from the first sample of a counter.
        for resource in (*pools, "body", "response", "follower"):
            metrics.refused.labels(resource)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self.measure()
        loop.call_later(INTERVAL_SECONDS, self.start, loop)

    def measure(self) -> None:
        followers = self._count_followers()
        _in_flight.labels("follower").set(followers)
        _in_flight.labels("request").set(self._count_active() - followers)
        for name, pool in self._pools.items():
            _busy_threads.labels(name).set(pool.busy_threads)
            _queued.labels(name).set(pool.waiting)
        for server, usage in self._db.pool_usage().items() if self._db else ():
            _connections.labels(server, "in_use").set(usage.in_use)
            _connections.labels(server, "idle").set(usage.idle)
            _waiting_writers.labels(server).set(usage.waiting_writers)
