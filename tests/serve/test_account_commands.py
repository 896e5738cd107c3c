"""`kalends users export` and `import`: the progress bar, which a terminal gets and nothing else."""

import os
import pty
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.cast import PASSWORD
from tests.serve.places import Place
from tests.serve.running import command, environment

BAR, ESCAPE = "━".encode(), b"\x1b["


@pytest.mark.on_one_database
def test_exports_and_imports_show_progress_on_a_terminal_alone(tmp_path: Path, database: str) -> None:
    place, target = Place(tmp_path, database), Place(tmp_path / "elsewhere", "")
    place.done("users", "create", "ana", "ana@example.org", "--password", PASSWORD)
    on_terminal, off_terminal = tmp_path / "a.zip", tmp_path / "b.zip"
    seen = _watched(place, "users", "export", "ana", str(on_terminal))
    assert all(words in seen for words in (b"Exporting", b"100%", BAR, ESCAPE)), seen
    # The bar is gone in the end, and the last line stays.
    assert b"\x1b[2KExported " in seen, seen
    printed = place.done("users", "export", "ana", str(off_terminal))
    assert printed.startswith("Exported ")
    assert printed.count("\n") == 1
    with ZipFile(on_terminal) as one, ZipFile(off_terminal) as other:
        assert one.namelist() == other.namelist()
    target.data.mkdir(parents=True)
    target.done("migrate")
    seen = _watched(target, "users", "import", str(on_terminal), "--password", PASSWORD)
    assert all(words in seen for words in (b"Importing", b"100%", BAR, b"Imported ")), seen


@pytest.mark.on_one_database
def test_the_bar_is_not_in_a_file_to_which_the_output_goes(tmp_path: Path, database: str) -> None:
    """Standard error is a terminal, standard output is not: the bar goes to the one, the result to the other."""
    place = Place(tmp_path, database)
    place.done("users", "create", "ana", "ana@example.org", "--password", PASSWORD)
    output = tmp_path / "output"
    seen = _watched(place, "users", "export", "ana", str(tmp_path / "a.zip"), output=output)
    assert BAR in seen
    assert b"Exported " not in seen
    assert output.read_bytes().startswith(b"Exported ")
    assert ESCAPE not in output.read_bytes()


def _watched(place: Place, *arguments: str, output: Path | None = None) -> bytes:
    """What a terminal gets from a command, whose standard output may be a file."""
    pid, terminal = pty.fork()
    if pid == 0:
        if output:
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 1)
        settings: dict[str, Any] = {"data": place.data, "database": place.database}
        words = command(*arguments)
        os.execve(words[0], words, environment(**settings) | {"TERM": "xterm", "COLUMNS": "120"})  # noqa: S606
    seen = b""
    while piece := _read(terminal):
        seen += piece
    assert os.waitpid(pid, 0)[1] == 0, seen
    return seen


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 10_000)
    except OSError:
        return b""
