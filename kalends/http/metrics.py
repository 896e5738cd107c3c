"""Figures for /metrics, gathered over all server processes when there are several."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    Metric,
    ProcessCollector,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

requests = Counter("kalends_requests", "Requests served", ["endpoint", "status"])
seconds = Histogram(
    "kalends_request_seconds",
    "Time from the request's arrival at a thread to its reply",
    ["endpoint"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
refused = Counter("kalends_requests_refused", "Requests refused because a limit of a server process was reached", ["resource"])


def observe(endpoint: str, status: int, elapsed: float) -> None:
    requests.labels(endpoint, str(status)).inc()
    seconds.labels(endpoint).observe(elapsed)


def gauge(name: str, meaning: str, labels: Sequence[str], rows: Iterable[tuple[Sequence[str], float]]) -> GaugeMetricFamily:
    """A gauge that is read from the database at each scrape: its values by their labels."""
    family = GaugeMetricFamily(name, meaning, labels=labels)
    for values, figure in rows:
        family.add_metric(values, figure)
    return family


def exposition(gauges: Iterable[Metric] = ()) -> tuple[bytes, str]:
    """The figures as Prometheus reads them, with those that were looked up, and their media type."""
    registry = REGISTRY
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        gauges = [*gauges, *_of_processes(_forget_dead_processes(Path(folder)))]
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    looked_up = CollectorRegistry()
    looked_up.register(_LookedUp(list(gauges)))
    return generate_latest(registry) + generate_latest(looked_up), CONTENT_TYPE_LATEST


def _forget_dead_processes(folder: Path) -> list[int]:
    """The server processes that are alive. The gauges of others (`livesum`) count no more, but their counters do."""
    alive = []
    for file in folder.glob("gauge_livesum_*.db"):
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
            alive.append(pid)
        except OSError:
            # Another process may be doing the same.
            with suppress(FileNotFoundError):
                multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]
    return alive


def _of_processes(pids: Iterable[int]) -> Iterable[Metric]:
    """What `ProcessCollector` reads in /proc of one process, of each of them."""
    families: dict[str, Metric] = {}
    for pid in pids:
        for found in ProcessCollector(pid=partial(str, pid), registry=None).collect():
            family = families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
            for sample in found.samples:
                family.add_sample(sample.name, {"pid": str(pid)}, sample.value)
    return families.values()


class _LookedUp(Collector):
    def __init__(self, gauges: list[Metric]):
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        return self._gauges
