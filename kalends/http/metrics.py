"""Figures for /metrics, gathered over all server processes when there are several."""

import os
from collections.abc import Iterable, Sequence

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, Metric, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

requests = Counter("kalends_requests", "Requests served", ["endpoint", "status"])
seconds = Histogram(
    "kalends_request_seconds",
    "Time from the request's arrival at a thread to its reply",
    ["endpoint"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def observe(endpoint: str, status: int, elapsed: float) -> None:
    requests.labels(endpoint, str(status)).inc()
    seconds.labels(endpoint).observe(elapsed)


def gauge(name: str, meaning: str, labels: Sequence[str], rows: Iterable[tuple[Sequence[str], float]]) -> GaugeMetricFamily:
    """A gauge that is read from the database at each scrape: its values by their labels."""
    family = GaugeMetricFamily(name, meaning, labels=labels)
    for values, figure in rows:
        family.add_metric(values, figure)
    return family


def exposition(gauges: Iterable[GaugeMetricFamily] = ()) -> tuple[bytes, str]:
    """The figures as Prometheus reads them, with those that were looked up, and their media type."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    looked_up = CollectorRegistry()
    looked_up.register(_LookedUp(list(gauges)))
    return generate_latest(registry) + generate_latest(looked_up), CONTENT_TYPE_LATEST


class _LookedUp(Collector):
    def __init__(self, gauges: list[GaugeMetricFamily]):
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        return self._gauges
