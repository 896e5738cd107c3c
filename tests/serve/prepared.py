"""Starts of `kalends serve` that take a fifth of the time: its modules are imported once, in a process that forks for each start."""

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

from argon2 import PasswordHasher
from prometheus_client import values

from kalends.cli import main
from kalends.core.settings import Settings
from kalends.features.pictures.steps import child_process
from kalends.features.users.rules import passwords
from tests import compiled_templates
from tests.migrated import put_sqlite
from tests.serve.running import Running

HASH_SECONDS = 0.2

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload([__name__, "kalends.app.application", "kalends.http.serving.granian"])


class Migrated(Running):
    """A service as `Running`, which finds tables in its database unless that is to be empty."""

    def __init__(self, folder: Path, *options: str, empty: bool = False, **settings: object):
        if not empty and not settings.get("database"):
            put_sqlite(Path(str(settings.get("data", folder / "data"))))
        super().__init__(folder, *options, **settings)


class Prepared(Migrated):
    """A service that hashes passwords with small figures too."""

    def _start(self, arguments: Sequence[str], environment: dict[str, str]) -> "Forked":  # type: ignore[override]
        return Forked(self.prepare, arguments, self.folder, environment)

    @staticmethod
    def prepare() -> None:
        """Change the process before the service starts in it."""
        passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        child_process.TIMEOUT_SECONDS = 600


class SlowHasher(PasswordHasher):
    """Takes as long for a password as the real figures do, without the work."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        time.sleep(HASH_SECONDS)
        return super().verify(hash, password)


class SlowLogins(Prepared):
    """A service that takes its time for logins."""

    @staticmethod
    def prepare() -> None:
        passwords._hasher = SlowHasher()


class Forked:
    """A forked process, with the methods of `Popen`."""

    def __init__(self, prepare: Callable[[], None], arguments: Sequence[str], folder: Path, environment: dict[str, str]):
        output, stderr = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(prepare, arguments, folder, environment, stderr))
        self._process.start()
        stderr.close()
        self.stderr = os.fdopen(os.dup(output.fileno()), "rb")
        assert self._process.pid is not None
        self.pid = self._process.pid

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            # The fork server has waited for it already, and not yet told this process.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired("kalends", timeout)
        return status


def _run(prepare: Callable[[], None], arguments: Sequence[str], folder: Path, environment: dict[str, str], stderr: Connection) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(stderr.fileno(), sys.stderr.fileno())
    stderr.close()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    sys.argv = ["kalends", *arguments]
    compiled_templates.share()
    serve = importlib.import_module("kalends.cli.serve")
    serve._share_metrics = partial(_share_metrics, serve._share_metrics)  # type: ignore[attr-defined]
    prepare()
    main()


def _share_metrics(share: Callable[[Settings], None], settings: Settings) -> None:
    """Choose again where figures are kept, as prometheus_client does when it is imported; there are none yet."""
    share(settings)
    values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]
