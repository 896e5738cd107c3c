"""A proxy that hangs between the service and PostgreSQL: it accepts connections, and passes nothing on."""

import time
from pathlib import Path

from tests.faults.guests import Guests, an_event, stored_texts
from tests.faults.postgres import Postgres, Proxy
from tests.faults.row import Row, percentile
from tests.serve.running import Running, eventually

CLIENTS = 16
GOAL = "503 with Retry-After within the timeouts, recovers without a restart, 0 acknowledged writes lost"
# A little more than a statement may take on the server.
MAX_SECONDS = 40


def show(folder: Path, postgres: Postgres, silences: int, seconds: float) -> Row:
    """Let the proxy hang this number of times, for this long each."""
    database = postgres.new()
    proxy = Proxy(database)
    service = Running(folder, "--no-work", database=proxy.database, rate_limits="off", access_log="off").ready()
    recovery_seconds: list[float] = []
    try:
        event_id = an_event(service, "ana")
        with Guests(service, event_id, "g", CLIENTS) as guests:
            for _ in range(silences):
                eventually(lambda: _has_recovered(guests))
                proxy.hang()
                time.sleep(seconds)
                proxy.resume()
                resumed = time.monotonic()
                eventually(lambda: _has_recovered(guests, since=resumed), MAX_SECONDS)  # noqa: B023 - called within the iteration
                recovery_seconds.append(max(0, max((each.at for each in guests.outcomes if each.status != 201), default=resumed) - resumed))
    finally:
        service.stop()
        proxy.close()
    rejected = [each.seconds for each in guests.outcomes if each.is_unavailable]
    assert rejected, "no request failed"
    others = len(guests.outcomes) - len(guests.acknowledged) - len(rejected)
    comments, responses = stored_texts(str(folder / "data"), database)
    lost, half = len(guests.acknowledged - comments), len(comments ^ responses)
    figures = (
        f"silent {silences} times for {seconds:.0f} s, {len(guests.acknowledged):,} writes acknowledged: {lost} lost, {half} half-written; "
        f"{len(rejected)} times 503 with Retry-After after {percentile(rejected, 0.5):.1f} s (median) and {max(rejected):.1f} s (maximum), "
        f"{others} other replies; recovered {max(recovery_seconds):.1f} s after it passed bytes again"
    )
    return Row("a proxy hangs before PostgreSQL", "PostgreSQL", figures, GOAL, not (lost or half or others), max(rejected) < MAX_SECONDS)


def _has_recovered(guests: Guests, since: float = 0) -> bool:
    last = [each for each in guests.outcomes[-50:] if each.at > since]
    return len(last) == 50 and all(each.status == 201 for each in last)
