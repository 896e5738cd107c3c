"""Whether the service is alive and ready, and its figures."""

import hmac
from collections.abc import Iterator
from itertools import product
from typing import get_args

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily

from kalends.core import errors
from kalends.core.version import __version__
from kalends.db import last_runs
from kalends.db.migrate import find_mismatch
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.model import CHANNELS
from kalends.http import metrics as figures
from kalends.http.context import Context
from kalends.http.endpoint import Document, endpoint


class Status(Struct):
    """One word."""

    status: str


class Alive(Struct):
    """The process, and which version of Kalends it runs."""

    status: str
    version: str


@endpoint("GET", "/healthz", guests=True, transaction=False, credentials=False, on_event_loop=True)
def healthz(ctx: Context) -> Alive:
    """The process is alive."""
    return Alive("alive", __version__)


@endpoint("GET", "/readyz", guests=True, transaction=False, credentials=False, while_stopping=False)
def readyz(ctx: Context) -> Status:
    """The database is reachable and migrated, and the server is not stopping."""
    with ctx.read() as tx:
        mismatch = find_mismatch(tx)
    if mismatch:
        raise errors.Unavailable(mismatch)
    return Status("ready")


@endpoint("GET", "/metrics", guests=True, transaction=False, credentials=False, format="txt")
def metrics(ctx: Context) -> Document:
    """Figures for Prometheus, for those who know the setting METRICS_TOKEN."""
    token = ctx.settings.metrics_token
    if not token:
        raise errors.NotFound("There is no such path. Check the URL.")
    if not hmac.compare_digest(ctx.caller.headers.get("authorization", "").encode(), f"Bearer {token}".encode()):
        raise errors.InvalidToken("Send METRICS_TOKEN as 'Authorization: Bearer …'.")
    build = figures.gauge("kalends_build_info", "The version that runs", ["version"], [((__version__,), 1)])
    body, content_type = figures.exposition([build, *_of_database(ctx)])
    return Document(body, content_type)


def _of_database(ctx: Context) -> list[GaugeMetricFamily]:
    """None if the database is unavailable: the metrics of the server are needed most then."""
    try:
        with ctx.read() as tx:
            waiting, done = deliveries.count_queued(ctx), deliveries.count_finished(ctx)
            last_run = {task: last_runs.find(tx, task) for task in get_args(last_runs.Task)}
    except errors.Unavailable:
        return []
    ran_at = [((task,), at) for task, at in last_run.items() if at is not None]
    runs = figures.gauge("kalends_last_run_timestamp_seconds", "When the worker and a backup last ran", ["task"], ran_at)
    return [*_of_deliveries(ctx, waiting, done), runs]


def _of_deliveries(ctx: Context, waiting: list[tuple[str, str, int, int]], done: list[tuple[str, str, int]]) -> Iterator[GaugeMetricFamily]:
    """Every channel and state has a sample, so that an alert can tell 0 from a figure that is missing."""
    by_state = ["channel", "state"]
    on_their_way = dict.fromkeys(product(CHANNELS, ("queued", "sending")), 0)
    counts = on_their_way | {(channel, state): count for channel, state, count, _ in waiting}
    ages = on_their_way | {(channel, state): ctx.now - oldest for channel, state, _, oldest in waiting}
    ends = dict.fromkeys(product(CHANNELS, ("sent", "failed")), 0) | {(channel, state): count for channel, state, count in done}
    yield figures.gauge("kalends_deliveries_waiting", "Deliveries on their way", by_state, counts.items())
    yield figures.gauge("kalends_deliveries_oldest_seconds", "Age of the oldest delivery on its way", by_state, ages.items())
    yield figures.gauge("kalends_deliveries_last_hour", "Deliveries finished in the last hour", by_state, ends.items())
