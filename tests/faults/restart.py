"""PostgreSQL stopped at once and started again in the middle of writes."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.guests import Guests, Told, an_event, kept
from tests.faults.postgres import Postgres
from tests.faults.row import Row, spread
from tests.serve.running import Running, eventually

CLIENTS = 8
AWAY_SECONDS = 0.5
GOAL = "0 acknowledged writes lost; only 503 with Retry-After; recovered in 5 s"


def show(folder: Path, postgres: Postgres, restarts: int, after: Callable[[], object] = lambda: None) -> Row:
    """Restart the server so often; `after` is called after each time."""
    database = postgres.new()
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    told: list[Told] = []
    healed: list[float] = []
    try:
        event_id = an_event(service, "ana")
        for restart in range(restarts):
            with Guests(service, event_id, str(restart), CLIENTS) as guests:
                eventually(lambda: len(guests.acknowledged) > 50)
                postgres.stop()
                time.sleep(AWAY_SECONDS)
                begun = time.monotonic()
                postgres.start()
                back = time.monotonic()
                eventually(lambda: _well(guests.told, back))  # noqa: B023 - it is asked here and now
            told += guests.told
            healed.append(max((each.at for each in guests.told if each.status != 201), default=begun) - begun)
            after()
    finally:
        service.stop()
    acknowledged = {each.address for each in told if each.status == 201}
    refused = [each for each in told if each.asks_for_patience]
    others = len(told) - len(acknowledged) - len(refused)
    comments, responses = kept(str(folder / "data"), database)
    lost, half = len(acknowledged - comments), len(comments ^ responses)
    figures = (
        f"{restarts:,} restarts, {len(acknowledged):,} writes acknowledged: {lost} lost, {half} half-written; {len(refused):,} times 503 "
        f"with Retry-After, {others} other answers; all well after its start was begun: {spread(healed)}"
    )
    return Row("PostgreSQL restarted in mid-load", "PostgreSQL", figures, GOAL, not (lost or half or others), max(healed) < 5)


def _well(told: list[Told], since: float) -> bool:
    """Whether the last many writes after the restart were all acknowledged."""
    last = [each for each in told[-50:] if each.at > since]
    return len(last) == 50 and all(each.status == 201 for each in last)
