"""Three times the load that the service can carry."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from bench import load as events
from bench.user import User
from bench.wrk import Request
from kalends.core import settings
from tests.faults.load import Results, encode_request, offer
from tests.faults.row import Row
from tests.serve.running import Running

EVENTS = 10_000
# More than the service's threads and its queue hold together. Each client waits for its reply, and 2,000 wait so long for the 503 that they
# cannot send three times what the service can carry.
CLIENTS = (2_000, 8_000)
# Fewer than that; how many are best depends on the request.
FEW = (16, 64, 200)
TIMES = 3
GOAL = "at least 90 % of its peak, the rest rejected with 503 or 429"
REQUESTS = ("index", "create", "page")


def show(folder: Path, seconds: float, number: int = EVENTS, connections: Sequence[int] = FEW) -> list[Row]:
    """Measure the peak over these numbers of connections, and offer three times as much, for this long each, with this number of events."""
    events.fill(settings.load({"data": str(folder / "data"), "database": ""}), number)
    cores = os.sched_getaffinity(0)
    first = min(cores)
    # The service inherits where this process may run.
    os.sched_setaffinity(0, {first})
    service = Running(folder, "--no-work", rate_limits="off", access_log="off", quota_events=0, quota_megabytes=0).ready()
    os.sched_setaffinity(0, cores - {first} or cores)
    try:
        user = User(service.port)
        # The service closes the user's connection in the flood.
        requests = user.requests | {"page": _page(user)}
        return [row for name in REQUESTS for row in _rows(service.port, user.token, name, requests[name], seconds, connections)]
    finally:
        service.stop()
        os.sched_setaffinity(0, cores)


def _rows(port: int, token: str, name: str, sample: Request, seconds: float, connections: Sequence[int]) -> list[Row]:
    fields = json.dumps(sample.fields) if sample.fields else ""
    request = encode_request("POST" if fields else "GET", sample.path, "" if name == "page" else token, fields)
    success = 201 if fields else 200
    # Warm up.
    offer(port, request, min(seconds, 1), FEW[0])
    peak = max((offer(port, request, seconds, number) for number in connections), key=lambda results: results.rate(success))
    rows = []
    for clients in CLIENTS:
        beyond = offer(port, request, seconds, clients, TIMES * peak.rate(success))
        others = sum(len(durations) for status, durations in beyond.durations.items() if status not in (success, 503, 429)) + beyond.broken
        share = beyond.rate(success) / peak.rate(success)
        figures = _figures(peak, beyond, success, share, others)
        what = f"three times the load it can carry ({name}), from {clients:,} clients"
        rows.append(Row(what, "SQLite", figures, GOAL, others == 0 and beyond.rate(503) > 0, share >= 0.9))
    return rows


def _page(user: User) -> Request:
    """The page of an event, which a guest asks for."""
    [event] = user.json(Request("/api/events?scope=public&limit=1"))["events"]
    return Request(f"/events/{event['id']}")


def _figures(peak: Results, beyond: Results, success: int, share: float, others: int) -> str:
    return (
        f"peak {peak.rate(success):,.0f} a second; offered {beyond.rate():,.0f} a second "
        f"({beyond.rate() / peak.rate(success):.1f} times), of which "
        f"{beyond.rate(success):,.0f} succeeded ({share:.0%} of the peak) and {beyond.rate(503):,.0f} rejected with 503, half within "
        f"{beyond.milliseconds(503, 0.5):.0f} ms and 99 % within {beyond.milliseconds(503, 0.99):.0f} ms; {others} other replies"
    )
