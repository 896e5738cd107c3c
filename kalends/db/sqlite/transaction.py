"""Transactions on SQLite: read snapshots, and writes that share a commit."""

from collections.abc import Sequence
from math import inf
from random import getrandbits
from time import monotonic
from typing import Any

import apsw
import msgspec

from kalends.db.database import Transaction
from kalends.db.journal import is_journaled
from kalends.db.sqlite.connection import Connection
from kalends.db.sqlite.dialect import ids_containing
from kalends.db.sqlite.errors import raise_translated
from kalends.db.sqlite.group_commit import GroupCommit

# The parameters in the order of the fields of Author, and a number that tells the transaction from others.
_RECORD_AUTHOR = """UPDATE change_author
SET set_id = :set_id, at = :at, actor_id = :actor_id, via = :via, request_id = :request_id, transaction_id = :transaction_id"""
TRANSACTION_ID_BITS = 53


class WriteTransaction:
    """A member of a group commit, as a context manager."""

    __slots__ = ("_alone", "_connection", "_group_commit", "_transaction")

    def __init__(self, group_commit: GroupCommit[Connection], alone: bool):
        self._group_commit = group_commit
        self._alone = alone

    def __enter__(self) -> Transaction:
        try:
            self._connection = self._group_commit.join(alone=self._alone)
        except apsw.Error as error:
            raise_translated(error)
        self._transaction = SqliteTransaction(self._connection, has_begun=True)
        return self._transaction

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # The connection is the next writer's as soon as this one leaves.
        self._transaction.close()
        self._group_commit.leave(self._connection, error, alone=self._alone)


class SqliteTransaction(Transaction):
    """A transaction; as a context manager, a read snapshot, which begins with its first statement."""

    def __init__(self, connection: Connection, *, has_begun: bool):
        self._connection = connection
        self._has_begun = has_begun
        # One cursor is enough: all rows of a statement are fetched before the next statement.
        self._cursor = connection.cursor()

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.roll_back()

    def close(self) -> None:
        self._cursor.close(True)

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        connection = self._connection
        connection.expires = monotonic() + connection.timeout
        try:
            if not self._has_begun:
                self._has_begun = True
                connection.execute("BEGIN")
            if self.author is not None and is_journaled(sql):
                self._record_author()
            return self._cursor.execute(sql, params).fetchall()
        except apsw.Error as error:
            raise_translated(error, connection)

    def run(self, sql: str, /, **params: Any) -> int:
        self.rows(sql, **params)
        return self._connection.changes()

    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        try:
            if self.author is not None and is_journaled(sql):
                self._record_author()
            self._connection.executemany(sql, rows).fetchall()
        except apsw.Error as error:
            raise_translated(error, self._connection)

    def roll_back_to(self, savepoint: str) -> None:
        """SQLite gives the ids again that it has rolled back, unless `sqlite_sequence` says otherwise."""
        sequences = [{"name": name, "seq": seq} for name, seq in self.rows("SELECT name, seq FROM sqlite_sequence")]
        super().roll_back_to(savepoint)
        self.run("DELETE FROM sqlite_sequence")
        self.many("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)", sequences)

    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """Searches the index once and returns the ids as a list."""
        sql, params = ids_containing(table, column, literals)
        ids = [row[0] for row in self.rows(f"{sql} LIMIT {most + 1}", **params)]
        return ("SELECT value AS id FROM json_each(:few)", {"few": ids}) if len(ids) <= most else None

    def script(self, sql: str) -> None:
        try:
            self._connection.run_script(sql)
        except apsw.Error as error:
            raise_translated(error, self._connection)

    def advisory_lock(self, name: str) -> None:
        """A write transaction excludes every other already."""

    def try_advisory_lock(self, name: str) -> bool:
        return True

    def limit_lock_waits(self, seconds: int) -> None:
        """It has the only lock already."""

    def without_statement_timeout(self) -> None:
        self._connection.timeout = inf

    def _record_author(self) -> None:
        assert self.author is not None
        author, self.author = self.author(), None
        self._cursor.execute(_RECORD_AUTHOR, (*msgspec.structs.astuple(author), getrandbits(TRANSACTION_ID_BITS)))

    def has_table(self, name: str) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name", name=name))
