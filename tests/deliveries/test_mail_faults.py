"""A mail server that fails in every documented way: each message arrives once, or is recorded as failed with its reason."""

from pathlib import Path

import pytest

from tests.deliveries.faulty_server import every_fault
from tests.deliveries.mail_faults import send_through_faults
from tests.serve.conftest import Start, database, start  # noqa: F401


@pytest.mark.on_one_database
@pytest.mark.parametrize("faults", [len(every_fault()), pytest.param(1_000, marks=pytest.mark.soak)])
def test_faults_of_the_mail_server_lose_no_message(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
    faults: int,
) -> None:
    tally = send_through_faults(tmp_path, start(database=database, rate_limits="off"), database, faults)
    assert tally.is_sound, tally
    assert tally.faults["greylisting"] > 0
    assert tally.failed > 0
    assert tally.sent > faults / 2
