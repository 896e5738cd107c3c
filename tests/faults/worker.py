"""kill -9 of the worker at every step of a delivery: notices, messages, invitations and reminders reach each guest once."""

from collections.abc import Callable
from pathlib import Path

from tests.deliveries import notified
from tests.deliveries.killed_worker import STEPS
from tests.faults.row import Row, kind
from tests.serve.running import Running

GOAL = "0 forgotten; told twice only if accepted by the mail server and not recorded, with the same Message-ID"


def show(folder: Path, database: str, rounds: int, after: Callable[[], object] = lambda: None) -> Row:
    """Kill a worker at each of the steps, this number of times; `after` is called after each."""
    service = Running(folder, "--no-work", database=database, **notified.SERVICE).ready()
    try:
        tally = notified.notify_and_kill(folder, service, database, rounds, after)
    finally:
        service.stop()
    kinds = ", ".join(f"{number:,} of the kind {name}" for name, number in sorted(tally.messages.items()))
    figures = (
        f"{tally.kills.total():,} workers killed, {rounds} at each of {len(STEPS)} steps ({', '.join(STEPS)}); "
        f"{tally.messages.total():,} messages ({kinds}): {tally.forgotten} forgotten, {tally.repeated} times sent again because the mail "
        f"server had accepted a message and the worker died before the record, {tally.unexpected} times for another reason, "
        f"{tally.renamed} under another Message-ID"
    )
    return Row("the worker killed at every step", kind(database), figures, GOAL, tally.is_sound)
