"""`kalends demo --public`: a demonstration for everybody, which reaches nobody and begins again each night."""

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kalends.cli import public_demo
from kalends.cli.demo import PUBLIC_PASSWORD
from kalends.core.settings import PREFIX, Settings
from tests.serve.conftest import Start, start  # noqa: F401
from tests.serve.running import Running, bearer, command, environment, eventually, run, run_process


class Demonstration(Running):
    """A running `kalends demo --public`."""

    def _start(self, arguments: Sequence[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*command("demo"), "--public"], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )


def _token(service: Running) -> str:
    session = service.post("/api/session", {"user_name": "demo", "password": PUBLIC_PASSWORD})
    assert session.status == 201, session
    return str(session.json["token"])


@pytest.mark.on_sqlite
def test_a_public_demonstration_says_so_and_sends_nothing(tmp_path: Path) -> None:
    settings = {"email": "smtp://127.0.0.1:1", "webhooks": "any", "inbound": "pipe", "base_url": "http://demo.example.org"}
    service = Demonstration(tmp_path, **settings).ready()
    try:
        for path in ("/", "/calendar", "/sign-in"):
            assert f"sign in as demo with the password {PUBLIC_PASSWORD}" in service.get(path).text, path
        token = bearer(_token(service))
        assert service.post("/api/webhooks", {"url": "https://example.org/hook"}, headers=token).status >= 400
        event = service.post("/api/events", {"title": "Mine", "start_time": "2030-06-01", "public": True}, headers=token).json["id"]
        sent = service.request("PUT", f"/api/events/{event}/send_to_me", {"email": "gus@example.org"}, headers=token)
        assert sent.status in (200, 202), sent
        eventually(lambda: list((tmp_path / "data" / "outbox").glob("*")))
        assert service.get("/sign-up").status == 200
    finally:
        assert service.stop() == 0


@pytest.mark.on_sqlite
def test_a_public_demonstration_begins_again_when_it_starts_and_at_midnight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is left out: the first night ends at once, and the operator stops it in the second. The commands run in this process."""
    handler = signal.getsignal(signal.SIGTERM)
    folder = tmp_path / "data"
    folder.mkdir()
    for name in (public_demo.MARK, "kalends.sqlite3", "of-a-visitor-before"):
        (folder / name).write_text("no database")
    nights = []

    def serve(environment: dict[str, str], seconds: int) -> bool:
        assert 0 < seconds <= public_demo.DAY
        nights.append(sorted(file.name for file in folder.iterdir()))
        (folder / "of-a-visitor").touch()
        return len(nights) < 2

    def run_here(environment: dict[str, str], *arguments: str, stdin: str = "") -> None:
        ours = {name.removeprefix(PREFIX).lower(): value for name, value in environment.items() if name.startswith(PREFIX)}
        done = run(*arguments, folder=tmp_path, stdin=stdin, **ours)
        assert done.returncode == 0, done

    monkeypatch.setattr(public_demo, "_serve", serve)
    monkeypatch.setattr(public_demo, "_run", run_here)
    try:
        public_demo.serve_until_stopped(Settings(data=str(folder)), PUBLIC_PASSWORD)
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert nights[0] == nights[1]
    assert "of-a-visitor-before" not in nights[0]
    assert {"kalends.sqlite3", public_demo.MARK} <= set(nights[1])


@pytest.mark.on_sqlite
def test_the_server_of_a_demonstration_stops_when_its_time_is_over(tmp_path: Path) -> None:
    assert public_demo._serve(environment(data=tmp_path / "data", port=0), 1)


def test_a_folder_with_other_data_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kalends.sqlite3").write_text("mine")
    done = run_process("demo", "--public", folder=tmp_path, data=tmp_path / "data")
    assert (done.returncode, done.stdout) == (1, "")
    assert "has other files than a public demonstration" in done.stderr
    assert (tmp_path / "data" / "kalends.sqlite3").read_text() == "mine"


def test_a_banner_is_on_every_page(start: Start) -> None:  # noqa: F811
    service = start(banner="We move on <Sunday>.")
    assert "We move on &lt;Sunday&gt;." in service.get("/sign-in").text
