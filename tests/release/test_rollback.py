"""The way from version 0.1.0 to this one with data, and back by the backup that 0.1.0 made: with the code of 0.1.0 from the history."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.release.artifacts import unpack_commit
from tests.serve.conftest import another_database, empty_database  # noqa: F401
from tests.serve.running import Running, bearer, environment

ROOT = Path(__file__).parents[2]
# The last commit of 0.1.0, whose newest migration is 0078.
FIRST = "7d4bd39b"
PASSWORD = "correct-horse-battery"

pytestmark = pytest.mark.soak


class FirstVersion(Running):
    """A service of version 0.1.0, with the libraries of this one."""

    def _start(self, arguments: Sequence[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "kalends", *arguments],
            cwd=self.folder,
            env=environment | {"PYTHONPATH": str(self.folder / "first")},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )


def _run_first(folder: Path, *arguments: str, **settings: object) -> None:
    env = environment(**settings) | {"PYTHONPATH": str(folder / "first")}
    command = [sys.executable, "-P", "-m", "kalends", *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _titles(service: Running, token: str) -> list[str]:
    reply = service.get("/api/events?limit=500&start_time=2000-01-01", headers=bearer(token))
    return sorted(event["title"] for event in reply.json["events"])


def _sign_in(service: Running) -> str:
    session = service.post("/api/session", {"user_name": "demo", "password": PASSWORD})
    assert session.status == 201, session
    return str(session.json["token"])


@contextmanager
def _running(service: Running) -> Iterator[Running]:
    try:
        yield service.ready()
    finally:
        assert service.stop() == 0


@pytest.mark.parametrize(("empty_database", "another_database"), [("sqlite", "to_sqlite"), ("postgres", "to_postgres")], indirect=True)
def test_a_service_is_upgraded_from_0_1_0_and_rolled_back(tmp_path: Path, empty_database: str, another_database: str) -> None:  # noqa: F811
    data, backup = tmp_path / "data", str(tmp_path / "before.backup")
    settings = {"data": data, "database": empty_database}
    (tmp_path / "first").mkdir()
    unpack_commit(ROOT, FIRST, tmp_path / "first")
    _run_first(tmp_path, "demo", "--password", PASSWORD, **settings)
    _run_first(tmp_path, "backup", backup, **settings)
    with _running(FirstVersion(tmp_path, **settings)) as service:
        before = _titles(service, _sign_in(service))
    assert len(before) > 30

    with _running(Running(tmp_path, **settings)) as service:
        token = _sign_in(service)
        assert _titles(service, token) == before
        assert service.post("/api/events", {"title": "After the upgrade", "start_time": "2030-01-01"}, headers=bearer(token)).status == 201

    # 0.1.0 does not understand the database any more, so the backup goes into an empty one beside the same secret.
    for file in data.glob("kalends.sqlite3*"):
        file.rename(tmp_path / file.name)
    _run_first(tmp_path, "restore", backup, data=data, database=another_database)
    with _running(FirstVersion(tmp_path, data=data, database=another_database)) as service:
        assert _titles(service, _sign_in(service)) == before
