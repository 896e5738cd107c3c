"""Fetch a source in a process that is killed within one of its write transactions."""

import os
import signal
from contextlib import closing
from typing import Any

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.events.imports.steps import plan
from kalends.features.sources.steps import apply
from kalends.http import context
from tests.sources.server import read_address


def fetch(settings: Settings, address: str, now: int, kill_in: int) -> None:
    """Read the address; the process is killed within the transaction of this number."""
    # Small steps, so that a small calendar has many.
    plan.BATCH_EVENTS = 2
    apply.REMOVED_AT_ONCE = 1
    writes = 0
    close = context._TransactionScope.close

    def counting_close(self: Any, error: BaseException | None) -> None:
        nonlocal writes
        if isinstance(self, context._WriteScope):
            writes += 1
            if writes == kill_in:
                os.kill(os.getpid(), signal.SIGKILL)
        close(self, error)

    context._TransactionScope.close = counting_close  # type: ignore[method-assign]
    with closing(open_database(settings)) as db:
        read_address(db, settings, address, now)
