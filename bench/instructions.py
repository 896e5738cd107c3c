"""The number of instructions of a request, which is the same on a busy machine: `python -m bench.instructions` (needs valgrind)."""

import ctypes
import gc
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from falcon.testing import create_environ

from bench import load
from bench.user import User
from bench.wrk import Request
from kalends import settings, tokens
from kalends.app import wsgi
from kalends.db import open_database

WARM_UP, COUNTED = 20, 60
# The function by which ctypes calls others: callgrind counts the instructions inside it, and writes a profile whenever it returns.
VALGRIND = ["valgrind", "--tool=callgrind", "--toggle-collect=ffi_call", "--dump-after=ffi_call"]


class LocalUser(User):
    """A user who calls the WSGI application directly."""

    def __init__(self, application: Callable[..., Any]):
        self._application = application
        super().__init__(port=0)

    def ask(self, request: Request, *, method: str = "", guest: bool = False) -> bytes:
        return self.ask_often(request, 1, guest=guest)

    def ask_often(self, request: Request, times: int, *, guest: bool = False) -> bytes:
        """The last reply's body."""
        body = json.dumps(request.fields).encode() if request.fields else b""
        headers = {"Content-Type": "application/json"} | ({} if guest else {"Authorization": f"Bearer {self.token}"})
        path, _, query = request.path.partition("?")
        environ = create_environ(path, query, method="POST" if body else "GET", headers=headers, body=body)
        content = b""
        for _ in range(times):
            environ["wsgi.input"] = io.BytesIO(body)
            content = b"".join(self._application(environ.copy(), _check_status))
        return content


def _check_status(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
    assert status.startswith("2"), status


@click.command()
@click.option("--events", default=10_000)
@click.option("--profiles", type=Path, help="Keep the profiles here, for callgrind_annotate.")
@click.option("--data", hidden=True, help="Send the requests; valgrind runs this.")
def main(events: int, profiles: Path | None, data: str | None) -> None:
    """Print the thousands of instructions of each request, on SQLite."""
    if data:
        _send_requests(data)
        return
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is missing. On Debian and Ubuntu it is installed with: apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        load.fill(settings.load({"data": folder, "database": ""}), events)
        profiles = profiles or Path(folder)
        profiles.mkdir(parents=True, exist_ok=True)
        command = [*VALGRIND, f"--callgrind-out-file={profiles / 'profile'}", sys.executable, "-m", "bench.instructions", "--data", folder]
        result = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True)
        names = result.stdout.split()
        # Libraries may have called functions by ctypes before.
        reports = sorted(profiles.glob("profile.*"), key=lambda path: int(path.suffix[1:]))[-len(names) :]
        for name, path in zip(names, reports, strict=True):
            total = int(re.findall(r"^totals: (\d+)", path.read_text(), re.MULTILINE)[0])
            click.echo(f"{name:8}{total / COUNTED / 1000:8,.0f}")
            path.rename(profiles / name)


def _send_requests(data: str) -> None:
    loaded = settings.load({"data": data, "database": "", "access_log": "off", "rate_limits": "off"})
    tokens.ensure_secret(loaded)
    user = LocalUser(wsgi(open_database(loaded), loaded))
    gc.freeze()
    call = ctypes.pythonapi.PyObject_CallNoArgs
    call.argtypes, call.restype = [ctypes.py_object], ctypes.py_object
    for name, request in user.requests.items():
        user.ask_often(request, WARM_UP)
        call(partial(user.ask_often, request, COUNTED))
        click.echo(name)


if __name__ == "__main__":
    main()
