"""The short form of each fault; of those that other tests make too, with `--soak`. Speed is measured by `make faults`;
docs/reports/reliability.md names the tests of the other faults."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults import flood, full, kills, restart, seats, slow, upserts
from tests.faults.postgres import Postgres
from tests.serve.prepared import Prepared
from tests.serve.running import Running


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """A server that may be stopped, in a folder that its own user can enter."""
    with TemporaryDirectory(prefix="kalends-test-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder) / "postgres")
        yield server
        server.close()


def test_killed_processes_lose_nothing(tmp_path: Path, soak: bool) -> None:
    row = kills.show([(tmp_path, "")], 2 if soak else 1, start=Running if soak else Prepared)
    assert row.is_sound, row


@pytest.mark.soak
def test_killed_processes_give_no_seat_twice(tmp_path: Path) -> None:
    row = seats.show(tmp_path, "", 1)
    assert row.is_sound, row


@pytest.mark.soak
def test_a_server_that_stops_immediately_loses_nothing(tmp_path: Path, postgres: Postgres) -> None:
    row = restart.show(tmp_path, postgres, 1)
    assert row.is_sound, row


@pytest.mark.soak
def test_a_full_disk_can_be_read_and_recovers(tmp_path: Path) -> None:
    try:
        row = full.show(tmp_path, None, 1)
    except full.CannotMount as error:
        pytest.skip(f"only root may mount a small disk: {error}")
    assert row.is_sound, row


@pytest.mark.soak
def test_64_clients_leave_one_response_for_each_address(tmp_path: Path) -> None:
    row = upserts.show(tmp_path, "", 4)
    assert row.is_sound, row


@pytest.mark.soak
def test_three_times_the_load_is_served_or_rejected_with_503(tmp_path: Path) -> None:
    rows = flood.show(tmp_path, 2, 1_000, connections=[64])
    assert all(row.is_sound for row in rows), rows


@pytest.mark.soak
def test_slow_clients_do_not_block_fast_ones(tmp_path: Path) -> None:
    row = slow.show(tmp_path, 90, 1, 0.5, event_count=1_000)
    assert row.is_sound, row
