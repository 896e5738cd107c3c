"""A proxy that hangs between the service and PostgreSQL: it accepts connections, and passes nothing on."""

import time
from pathlib import Path

from tests.faults.guests import Guests, an_event, kept
from tests.faults.postgres import Postgres, Proxy
from tests.faults.row import Row, percentile
from tests.serve.running import Running, eventually

CLIENTS = 16
GOAL = "503 with Retry-After within the timeouts, heals by itself, 0 acknowledged writes lost"
# What a statement may take on the server, and a little more.
MOST_SECONDS = 40


def show(folder: Path, postgres: Postgres, silences: int, seconds: float) -> Row:
    """Fall silent so often, for so long."""
    database = postgres.new()
    proxy = Proxy(database)
    service = Running(folder, "--no-work", database=proxy.database, rate_limits="off", access_log="off").ready()
    healed: list[float] = []
    try:
        event_id = an_event(service, "ana")
        with Guests(service, event_id, "g", CLIENTS) as guests:
            for _ in range(silences):
                eventually(lambda: _is_well(guests))
                proxy.hang()
                time.sleep(seconds)
                proxy.go_on()
                back = time.monotonic()
                eventually(lambda: _is_well(guests, since=back), MOST_SECONDS)  # noqa: B023 - it is asked here and now
                healed.append(max(0, max((told.at for told in guests.told if told.status != 201), default=back) - back))
    finally:
        service.stop()
        proxy.close()
    refused = [told.seconds for told in guests.told if told.asks_for_patience]
    assert refused, "nobody noticed"
    others = len(guests.told) - len(guests.acknowledged) - len(refused)
    comments, responses = kept(str(folder / "data"), database)
    lost, half = len(guests.acknowledged - comments), len(comments ^ responses)
    figures = (
        f"silent {silences} times for {seconds:.0f} s, {len(guests.acknowledged):,} writes acknowledged: {lost} lost, {half} half-written; "
        f"{len(refused)} times 503 with Retry-After after {percentile(refused, 0.5):.1f} s (median) and {max(refused):.1f} s (most), "
        f"{others} other answers; all well {max(healed):.1f} s after it passed bytes again"
    )
    return Row("a proxy hangs before PostgreSQL", "PostgreSQL", figures, GOAL, not (lost or half or others), max(refused) < MOST_SECONDS)


def _is_well(guests: Guests, since: float = 0) -> bool:
    last = [told for told in guests.told[-50:] if told.at > since]
    return len(last) == 50 and all(told.status == 201 for told in last)
