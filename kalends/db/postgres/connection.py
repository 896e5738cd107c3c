"""A connection to PostgreSQL that waits for an answer, though not for ever: behind a network that hangs, none comes."""

from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg.abc import RV, PQGen

WAIT_INTERVAL = 0.1


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """Closed when an answer takes longer than its patience, in seconds; None waits for ever."""

    patience: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = WAIT_INTERVAL, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, timeout or self.patience)
        except pg._WaitTimeout:
            # What it would still say belongs to a question that nobody asks any more.
            self.close()
            raise
