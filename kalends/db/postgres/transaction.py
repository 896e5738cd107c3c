"""A transaction on PostgreSQL: BEGIN is sent with its first statement."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any
from zlib import crc32

import psycopg
from msgspec import structs
from psycopg.pq.abc import PGresult

from kalends.db.database import Transaction, batches
from kalends.db.journal import is_journaled
from kalends.db.postgres.commands import Command, command, with_literals
from kalends.db.postgres.connection import Connection, TranslatedErrors
from kalends.db.postgres.dialect import ids_containing

# How many statements of `many` are sent at once.
BATCH = 500
# How long an estimate of the planner is used again, for the next page of a search or the same search. It compares the words with a
# sample of all texts, which takes longer than most searches.
ESTIMATE_SECONDS = 60
MAX_ESTIMATES = 1_000

_COMMIT = Command(b"COMMIT")
_ROLLBACK = Command(b"ROLLBACK")


class PostgresTransaction(Transaction):
    """`replace` takes a connection that the server has ended, and returns another."""

    def __init__(self, connection: Connection, begin: Sequence[Command], replace: Callable[[Connection], Connection], *, is_read: bool):
        self.connection = connection
        # Empty once they are sent.
        self._begin = begin
        self._replace = replace
        self._is_read = is_read
        # Whether the server has a transaction that must be ended.
        self._is_open = False

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        with TranslatedErrors():
            statement = command(sql, params)
            result = self._execute([*self._author_of(sql), statement])[-1]
            return self.connection.load(statement, result)

    def run(self, sql: str, /, **params: Any) -> int:
        with TranslatedErrors():
            result = self._execute([*self._author_of(sql), command(sql, params)])[-1]
            return result.command_tuples or 0

    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        with TranslatedErrors():
            for batch in batches(rows, BATCH):
                self._execute([*self._author_of(sql), *(command(sql, row) for row in batch)])

    def copy(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert the rows with COPY, which is the quickest way."""
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
        with TranslatedErrors(), self._begun().cursor().copy(statement) as copy:
            for row in rows:
                copy.write_row(row)

    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """Uses the planner's estimate: the index itself can count its matches only by finding all of them."""
        sql, params = ids_containing(table, column, literals)
        with TranslatedErrors():
            rows = self._estimate_rows(with_literals(f"EXPLAIN (FORMAT JSON) {sql}", params))
        return (sql, params) if rows <= most else None

    def script(self, sql: str) -> None:
        with TranslatedErrors():
            self._begun().execute(sql.encode())

    def advisory_lock(self, name: str) -> None:
        self.rows("SELECT pg_advisory_xact_lock(:key)", key=_lock_key(name))

    def try_advisory_lock(self, name: str) -> bool:
        return bool(self.value("SELECT pg_try_advisory_xact_lock(:key)", key=_lock_key(name)))

    def limit_lock_waits(self, seconds: int) -> None:
        self.run(f"SET LOCAL lock_timeout = {seconds * 1000}")

    def without_statement_timeout(self) -> None:
        self.run("SET LOCAL statement_timeout = 0")
        self.connection.reply_timeout = None

    def has_table(self, name: str) -> bool:
        return bool(self.value("SELECT to_regclass(:name) IS NOT NULL", name=name))

    def is_utf8(self) -> bool:
        return bool(self.value("SELECT current_setting('server_encoding') = 'UTF8'"))

    def commit(self) -> None:
        if self._is_read:
            self.roll_back()
        elif self._is_open:
            with TranslatedErrors():
                _check_commit(self.connection.execute_together([_COMMIT])[0])
            self._is_open = False

    def roll_back(self) -> None:
        if not self._is_open or self.connection.is_broken:
            return
        try:
            if self._is_read:
                # It holds no lock that others wait for, so the reply is read later.
                self.connection.send(_ROLLBACK)
            else:
                self.connection.execute_together([_ROLLBACK])
        except psycopg.Error:
            self.connection.close()

    def _author_of(self, sql: str) -> list[Command]:
        """What tells the journal the author of the transaction's changes, before the first statement that it records."""
        if self.author is None or not is_journaled(sql):
            return []
        author, self.author = self.author(), None
        text = "|".join("" if value is None else str(value) for value in structs.astuple(author))
        return [command("SELECT set_config('kalends.author', :author, true)", {"author": text})]

    def _estimate_rows(self, explain: Command) -> int:
        estimates = self.connection.estimates
        rows, expires_at = estimates.get(explain.sql, (0, 0.0))
        if monotonic() < expires_at:
            return rows
        [result] = self._execute([explain])
        [(plans,)] = self.connection.load(explain, result)
        rows = int(plans[0]["Plan"]["Plan Rows"])
        estimates[explain.sql] = rows, monotonic() + ESTIMATE_SECONDS
        if len(estimates) > MAX_ESTIMATES:
            del estimates[next(iter(estimates))]
        return rows

    def _begun(self) -> Connection:
        """The connection with the transaction begun, for methods of psycopg."""
        if self._begin:
            self._execute([])
        self.connection.receive_unread()
        return self.connection

    def _execute(self, statements: Sequence[Command]) -> Sequence[PGresult]:
        """Run the statements in one round trip, after BEGIN if they are the first."""
        begin, self._begin = self._begin, ()
        assert begin or self._is_open, "the transaction has ended"
        self._is_open = True
        commands = [*begin, *statements]
        results = self._execute_first(commands) if begin else self.connection.execute_together(commands)
        return results[len(begin) :]

    def _execute_first(self, commands: Sequence[Command]) -> Sequence[PGresult]:
        """Run the first statements. Idle connections break when the server restarts: nothing is committed yet, so the next is tried."""
        while True:
            try:
                return self.connection.execute_together(commands, begins=True)
            except psycopg.OperationalError:
                if self.connection.has_timed_out or not self.connection.is_broken:
                    raise
                self.connection = self._replace(self.connection)


def _lock_key(name: str) -> int:
    return crc32(f"kalends {name}".encode())


def _check_commit(result: PGresult) -> None:
    # After a failed statement whose error was caught, PostgreSQL replies to COMMIT with a rollback and no error.
    if result.command_status != b"COMMIT":
        raise RuntimeError("A statement of this transaction failed, so PostgreSQL rolled it back.")
