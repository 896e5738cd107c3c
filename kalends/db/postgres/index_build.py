"""Building indexes while others write: outside of a transaction, on a connection of its own."""

import re
from collections.abc import Sequence

from kalends.db.postgres.connection import Connection

_CREATE = re.compile(r"(CREATE(?: UNIQUE)? INDEX) (\w+) (.*)", re.DOTALL)
_DROP = re.compile(r"DROP INDEX (\w+)")
_IS_INVALID = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%s) AND NOT indisvalid"


def build_indexes(connection: Connection, statements: Sequence[str]) -> None:
    """Run the statements, each of which creates or drops an index. What an earlier attempt has done is not repeated."""
    for setting in ("statement_timeout", "lock_timeout"):
        connection.execute(f"SET {setting} = 0".encode())
    for statement in statements:
        if create := _CREATE.fullmatch(statement):
            _create(connection, *create.groups())
        elif drop := _DROP.fullmatch(statement):
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {drop[1]}".encode())
        else:
            raise ValueError(f"This does not build an index: {statement}")


def _create(connection: Connection, command: str, name: str, definition: str) -> None:
    # An attempt that was interrupted leaves an index that writers maintain and nobody reads.
    if connection.execute(_IS_INVALID, [name]).fetchone():
        connection.execute(f"DROP INDEX CONCURRENTLY {name}".encode())
    connection.execute(f"{command} CONCURRENTLY IF NOT EXISTS {name} {definition}".encode())
