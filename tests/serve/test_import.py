"""`kalends import`: a calendar file, by one command."""

import os
import pty
from pathlib import Path
from typing import Any

import pytest

from tests.events.importing import CORPUS, a_file, an_entry
from tests.migrated import put_sqlite
from tests.serve.running import command, environment, run

GOOGLE = str(CORPUS / "google.ics")


@pytest.fixture
def kalends(tmp_path: Path, database: str) -> Any:
    """Run a command on each database: its output and its exit status."""

    def done(*arguments: str) -> tuple[int, str, str]:
        ended = run(*arguments, folder=tmp_path, data=tmp_path / "data", database=database)
        return ended.returncode, ended.stdout, ended.stderr

    code, _, _ = done("users", "create", "ana", "ana@example.org", "--password", "correct-horse")
    assert code == 0
    return done


def test_a_file_is_imported_and_importing_it_again_changes_nothing(kalends: Any) -> None:
    code, output, complaints = kalends("import", GOOGLE, "--user", "ana")
    assert (code, complaints) == (0, "")
    assert output.splitlines() == [
        f"{GOOGLE}:26: file: reminders are not kept; 1 event has some",
        f"{GOOGLE}:46: file: guests are not kept; 1 event has some",
        "3 imported, 0 updated, 0 unchanged, 0 skipped.",
    ]
    _, again, _ = kalends("import", GOOGLE, "--user", "ana@example.org", "--calendar", "1")
    assert again.splitlines()[-1] == "0 imported, 0 updated, 3 unchanged, 0 skipped."


def test_a_failed_import_is_reported_in_one_line(kalends: Any, tmp_path: Path) -> None:
    broken, large = tmp_path / "broken.ics", tmp_path / "large.ics"
    broken.write_text(a_file(an_entry())[:50])
    large.write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    wrong = {
        (str(broken), "--user", "ana"): "is cut off",
        (str(large), "--user", "ana"): "more than 10 MiB",
        (GOOGLE, "--user", "nobody"): "There is no user called nobody.",
        (GOOGLE, "--user", "ana", "--calendar", "99"): "There is no calendar 99 that ana can see.",
        ("nowhere.ics", "--user", "ana"): "does not exist",
        (GOOGLE,): "Missing option '--user'",
    }
    for arguments, words in wrong.items():
        code, output, complaints = kalends("import", *arguments)
        assert (code, output, complaints.count("\n")) == (1, "", 1), complaints
        assert words in complaints


def test_an_import_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    put_sqlite(tmp_path / "data")
    assert run("users", "create", "ana", "ana@example.org", "--password", "correct-horse", folder=tmp_path).returncode == 0
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        arguments = command("import", GOOGLE, "--user", "ana")
        os.execve(arguments[0], arguments, environment() | {"TERM": "xterm"})  # noqa: S606
    output = b""
    while piece := _read(terminal):
        output += piece
    os.waitpid(pid, 0)
    assert b"Reading" in output
    assert b"3 imported" in output


def _read(terminal: int) -> bytes:
    """The next output; nothing once the command has ended."""
    try:
        return os.read(terminal, 10_000)
    except OSError:
        return b""
