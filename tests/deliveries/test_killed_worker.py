"""A worker that is killed at any step of a delivery: nobody is notified twice, and nobody is forgotten."""

from pathlib import Path

import pytest

from tests.deliveries import notified
from tests.deliveries.killed_worker import STEPS
from tests.serve.conftest import Start, database, start  # noqa: F401


@pytest.mark.on_one_database
@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.soak)])
def test_a_worker_killed_at_every_step_notifies_each_guest_once(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
    rounds: int,
) -> None:
    service = start(database=database, **notified.SERVICE)
    tally = notified.notify_and_kill(tmp_path, service, database, rounds)
    assert set(tally.kills) == set(STEPS)
    assert tally.is_sound, tally
    # Only where the mail server had accepted a message and the worker died before the record: at least at two of the steps.
    assert tally.repeated >= 2 * rounds, tally
