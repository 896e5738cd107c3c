"""A connection to SQLite, with its limits and settings."""

from math import inf
from pathlib import Path

import apsw
import msgspec

from kalends.db.text_search import MAX_PATTERN_LENGTH

# The write-ahead log grows while a backup reads; afterwards it is truncated to the limit.
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA journal_size_limit = 67108864;
"""

# Each connection serves one thread at a time, so it needs no mutex.
OPEN_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX


class Connection(apsw.Connection):
    """A connection with the limits of its transaction."""

    # The statement timeout of the transaction in seconds, and when that of the current statement expires.
    timeout = inf
    expires = inf
    is_abandoned = False

    def start_limits(self, timeout: float) -> None:
        """Start the limits of a transaction that reads."""
        self.timeout = timeout
        self.is_abandoned = False

    def roll_back(self) -> None:
        # The limits are for statements, not for the rollback. A failing disk may have ended the transaction already.
        self.expires = inf
        if self.in_transaction:
            self.execute("ROLLBACK")

    def run_script(self, sql: str) -> None:
        # apsw stops at the first row of a result; fetching runs the statements that follow.
        self.execute(sql).fetchall()


def connect(path: Path, busy_ms: int) -> Connection:
    connection = Connection(str(path), OPEN_FLAGS, statementcachesize=500)
    connection.set_busy_timeout(busy_ms)
    # Without the query planner stability guarantee, a plan that depends on values is made anew for each execution, which is slower.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.convert_binding = _encode_list
    connection.limit(apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_LENGTH)
    connection.run_script(PRAGMAS)
    return connection


def _encode_list(_: apsw.Cursor, number: int, value: object) -> str:
    """A list as the JSON that `in_list` reads."""
    if type(value) is not list:
        raise TypeError(f"parameter {number} is of a type that SQLite does not have: {type(value).__name__}")
    return msgspec.json.encode(value).decode()
