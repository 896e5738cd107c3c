"""Backups taken while others write, each restored into another place."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.guests import Guests, an_event, stored_texts
from tests.faults.row import Row, kind, spread
from tests.serve.running import Running, eventually, run_process

CLIENTS = 4
GOAL = "every backup is whole and restores: with every write acknowledged before it began"


def show(folder: Path, database: str, backups: int, after: Callable[[], object] = lambda: None) -> Row:
    """Take this number of backups and restore each into SQLite; `after` is called after each."""
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    seconds: list[float] = []
    before: list[set[str]] = []
    try:
        with Guests(service, an_event(service, "ana"), "g", CLIENTS) as guests:
            for number in range(backups):
                eventually(lambda: len(guests.acknowledged) > 50 * (number + 1))  # noqa: B023 - called within the iteration
                before.append(guests.acknowledged)
                began = time.monotonic()
                result = run_process("backup", f"{number}.backup", folder=folder, data=folder / "data", database=database)
                assert result.returncode == 0, result
                seconds.append(time.monotonic() - began)
                after()
    finally:
        service.stop()
    missing = half = 0
    for number, acknowledged in enumerate(before):
        place = folder / f"restored{number}"
        restored = run_process("restore", f"{number}.backup", folder=folder, data=place)
        assert restored.returncode == 0, restored
        comments, responses = stored_texts(str(place), "")
        missing += len(acknowledged - comments)
        half += len(comments ^ responses)
    others = len(guests.outcomes) - len(guests.acknowledged)
    figures = (
        f"{backups} backups, each taken in {spread(seconds)}, while {len(guests.acknowledged):,} writes went on, and each restored: "
        f"{missing} of those acknowledged before it began are missing, {half} are half there; {others} writes rejected"
    )
    return Row("backup while writes go on", kind(database), figures, GOAL, not (missing or half or others))
