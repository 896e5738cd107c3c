"""PostgreSQL stopped immediately and started again in the middle of writes."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.guests import Guests, Outcome, an_event, stored_texts
from tests.faults.postgres import Postgres
from tests.faults.row import Row, spread
from tests.serve.running import Running, eventually

CLIENTS = 8
DOWN_SECONDS = 0.5
GOAL = "0 acknowledged writes lost; only 503 with Retry-After; recovered in 5 s"


def show(folder: Path, postgres: Postgres, restarts: int, after: Callable[[], object] = lambda: None) -> Row:
    """Restart the server this number of times; `after` is called after each."""
    database = postgres.new()
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    outcomes: list[Outcome] = []
    recovery_seconds: list[float] = []
    try:
        event_id = an_event(service, "ana")
        for restart in range(restarts):
            with Guests(service, event_id, str(restart), CLIENTS) as guests:
                eventually(lambda: len(guests.acknowledged) > 50)
                postgres.stop()
                time.sleep(DOWN_SECONDS)
                begun = time.monotonic()
                postgres.start()
                started = time.monotonic()
                eventually(lambda: _has_recovered(guests.outcomes, started))  # noqa: B023 - called within the iteration
            outcomes += guests.outcomes
            recovery_seconds.append(max((each.at for each in guests.outcomes if each.status != 201), default=begun) - begun)
            after()
    finally:
        service.stop()
    acknowledged = {each.address for each in outcomes if each.status == 201}
    rejected = [each for each in outcomes if each.is_unavailable]
    others = len(outcomes) - len(acknowledged) - len(rejected)
    comments, responses = stored_texts(str(folder / "data"), database)
    lost, half = len(acknowledged - comments), len(comments ^ responses)
    figures = (
        f"{restarts:,} restarts, {len(acknowledged):,} writes acknowledged: {lost} lost, {half} half-written; {len(rejected):,} times 503 "
        f"with Retry-After, {others} other replies; recovered after its start was begun: {spread(recovery_seconds)}"
    )
    return Row("PostgreSQL restarted in mid-load", "PostgreSQL", figures, GOAL, not (lost or half or others), max(recovery_seconds) < 5)


def _has_recovered(outcomes: list[Outcome], since: float) -> bool:
    """Whether the last fifty writes were acknowledged after the restart."""
    last = [each for each in outcomes[-50:] if each.at > since]
    return len(last) == 50 and all(each.status == 201 for each in last)
