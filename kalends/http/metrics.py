"""Figures for /metrics, gathered over all server processes when there are several."""

import os

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest, multiprocess

requests = Counter("kalends_requests", "Requests answered", ["endpoint", "status"])
seconds = Histogram(
    "kalends_request_seconds",
    "Time from the request's arrival at a thread to its answer",
    ["endpoint"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def observe(endpoint: str, status: int, elapsed: float) -> None:
    requests.labels(endpoint, str(status)).inc()
    seconds.labels(endpoint).observe(elapsed)


def exposition() -> tuple[bytes, str]:
    """The figures as Prometheus reads them, and their media type."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_LATEST
