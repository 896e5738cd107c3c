"""A connection to PostgreSQL whose wait for a reply is bounded: behind a network that hangs, no reply comes."""

from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg.abc import RV, PQGen

WAIT_INTERVAL = 0.1


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """Closed when a reply takes longer than `reply_timeout` seconds; None waits without limit."""

    reply_timeout: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = WAIT_INTERVAL, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, timeout or self.reply_timeout)
        except pg._WaitTimeout:
            # A late reply would be read as the next statement's; the connection cannot be reused.
            self.close()
            raise
