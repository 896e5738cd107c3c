"""Three times the load that the service can carry."""

import json
import os
from pathlib import Path

from bench import load as events
from bench.user import User
from kalends import settings
from tests.faults.load import Heard, offer, written
from tests.faults.row import Row
from tests.serve.running import Running

EVENTS = 10_000
# More than the service's threads and its queue hold together.
CONNECTIONS = 2_000
# Fewer than that; how many are best depends on the request.
FEW = (16, 64, 200)
TIMES = 3
GOAL = "at least 90 % of its peak, the rest refused with 503 or 429"
REQUESTS = ("index", "create")


def show(folder: Path, seconds: float, number: int = EVENTS) -> list[Row]:
    """Find the peak and offer three times as much, for so long each, with so many events."""
    events.fill(settings.load({"data": str(folder / "data"), "database": ""}), number)
    cores = os.sched_getaffinity(0)
    first = min(cores)
    # The service inherits where this process may run.
    os.sched_setaffinity(0, {first})
    service = Running(folder, "--no-work", rate_limits="off", access_log="off").ready()
    os.sched_setaffinity(0, cores - {first} or cores)
    try:
        user = User(service.port)
        return [_row(service.port, user, name, seconds) for name in REQUESTS]
    finally:
        service.stop()
        os.sched_setaffinity(0, cores)


def _row(port: int, user: User, name: str, seconds: float) -> Row:
    asked = user.requests[name]
    fields = json.dumps(asked.fields) if asked.fields else ""
    request = written("POST" if fields else "GET", asked.path, user.token, fields)
    well = 201 if fields else 200
    # The first are slower.
    offer(port, request, 1, FEW[0])
    peak = max((offer(port, request, seconds, number) for number in FEW), key=lambda heard: heard.rate(well))
    beyond = offer(port, request, seconds, CONNECTIONS, TIMES * peak.rate(well))
    others = sum(len(taken) for status, taken in beyond.answers.items() if status not in (well, 503, 429)) + beyond.broken
    share = beyond.rate(well) / peak.rate(well)
    figures = _words(peak, beyond, well, share, others)
    return Row(f"three times the load it can carry ({name})", "SQLite", figures, GOAL, others == 0 and beyond.rate(503) > 0, share >= 0.9)


def _words(peak: Heard, beyond: Heard, well: int, share: float, others: int) -> str:
    return (
        f"peak {peak.rate(well):,.0f} a second; asked {beyond.rate():,.0f} a second ({beyond.rate() / peak.rate(well):.1f} times), of "
        f"which {beyond.rate(well):,.0f} were answered ({share:.0%} of the peak) and {beyond.rate(503):,.0f} refused with 503, half within "
        f"{beyond.milliseconds(503, 0.5):.0f} ms and 99 % within {beyond.milliseconds(503, 0.99):.0f} ms; {others} other answers"
    )
