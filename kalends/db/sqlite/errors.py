"""The errors of apsw, translated into those that both databases raise."""

from time import monotonic
from typing import NoReturn

import apsw

from kalends.core.errors import Unavailable
from kalends.db.database import INTERRUPTED, TIMED_OUT, UNAVAILABLE_DETAIL, Retry, UniqueViolation
from kalends.db.sqlite.connection import Connection

UNAVAILABLE = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
    apsw.InterruptError,
    apsw.ProtocolError,
)
UNIQUE = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY)


def raise_translated(error: apsw.Error, connection: Connection | None = None) -> NoReturn:
    """Raise the error as both databases do."""
    if isinstance(error, apsw.InterruptError) and connection:
        _raise_interrupted(error, connection)
    if isinstance(error, UNAVAILABLE):
        raise Unavailable(UNAVAILABLE_DETAIL) from error
    constraint: int = getattr(error, "extendedresult", 0)
    if constraint in UNIQUE and connection:
        raise UniqueViolation(_index_name(connection, str(error))) from error
    # The record existed when the action read it, and was deleted since: the next attempt sees that.
    if constraint == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
        raise Retry from error
    raise error


def _raise_interrupted(error: apsw.Error, connection: Connection) -> NoReturn:
    if monotonic() >= connection.expires:
        raise Unavailable(TIMED_OUT) from error
    if connection.is_abandoned:
        raise Unavailable(INTERRUPTED) from error
    # The interrupt was meant for the previous statement, which had ended by then.
    raise Retry from error


def _index_name(connection: Connection, message: str) -> str:
    """The name of the unique index that was violated.

    SQLite's message ends with `: table.column, table.column`. A primary key has no name here, and gets the name that PostgreSQL uses.
    """
    violated = [column.split(".") for column in message.rsplit(": ", 1)[-1].split(", ")]
    table, columns = violated[0][0], ",".join(column[-1] for column in violated)
    row = connection.execute(
        """SELECT l.name FROM pragma_index_list(:table) l WHERE l."unique" AND l.origin = 'c' AND :columns =
           (SELECT group_concat(i.name) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno) i)""",
        {"table": table, "columns": columns},
    ).fetchone()
    return str(row[0]) if row else f"{table}_pkey"
