"""The interface of both databases: transactions that run SQL with :name parameters and load rows into Structs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import starmap
from types import GenericAlias, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from kalends.core.errors import Conflict, Unavailable
from kalends.db.dialect import Dialect

T = TypeVar("T", bound=Struct)

# The details of `Unavailable`.
UNAVAILABLE_DETAIL = "The database is unavailable, busy or full. Try again."
TIMED_OUT = "This takes too long. Ask for less at once: fewer or longer words, a shorter time, or fewer calendars."
INTERRUPTED = "The client has left."


class Retry(Exception):
    """The database rolled back a transaction that may succeed when it runs again."""


class LockTimeout(Unavailable):
    """Another transaction holds a lock for longer than this one may wait."""


class UniqueViolation(Conflict):
    """A unique index rejected a value; `index` is named after its table and columns, as in `users_email_key`."""

    def __init__(self, index: str):
        super().__init__("Another record has this value already.")
        self.index = index


class Author(Struct, frozen=True):
    """Who changes something, by what way and when: what the journal of changes records. The changes of a request have one set_id."""

    set_id: int
    at: int
    actor_id: int | None
    via: str
    request_id: str | None


class PoolUsage(Struct, frozen=True):
    """The open connections of this process to a database server, and the threads that wait for the one connection that writes."""

    in_use: int
    idle: int
    waiting_writers: int = 0


class Transaction(ABC):
    """One transaction. Rows are loaded by position, so select the fields of a Struct with `columns`."""

    # Asked before the first statement that the journal records; the actor may not be known when the transaction begins.
    author: Callable[[], Author] | None = None

    @abstractmethod
    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        """All rows of the statement."""

    @abstractmethod
    def run(self, sql: str, /, **params: Any) -> int:
        """Run the statement and return the number of rows that it changed."""

    @abstractmethod
    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        """Run the statement once for each row of parameters."""

    def roll_back_to(self, savepoint: str) -> None:
        """Undo what was done since the savepoint. Its ids are not given again: others could tell by theirs that it was undone."""
        self.run(f"ROLLBACK TO SAVEPOINT {savepoint}")

    @abstractmethod
    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """Like `Dialect.ids_containing` if that finds about `most` rows or fewer, else None."""

    @abstractmethod
    def script(self, sql: str) -> None:
        """Run several statements without parameters."""

    @abstractmethod
    def advisory_lock(self, name: str) -> None:
        """Hold the named lock until the transaction ends."""

    @abstractmethod
    def try_advisory_lock(self, name: str) -> bool:
        """Hold the named lock until the transaction ends, unless another transaction holds it."""

    @abstractmethod
    def limit_lock_waits(self, seconds: int) -> None:
        """Raise LockTimeout when a statement of this transaction waits longer for a lock of a table or a row."""

    @abstractmethod
    def without_statement_timeout(self) -> None:
        """Let the statements of this transaction take as long as they need."""

    @abstractmethod
    def has_table(self, name: str) -> bool:
        """Whether there is a table of this name."""

    def is_utf8(self) -> bool:
        """Whether the database stores text in UTF-8."""
        return True

    def all(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        """All rows as Structs. A Struct without bool fields loads fastest, then one that is `array_like`."""
        rows = self.rows(sql, **params)
        if not _flags(kind) and not _json_decoders(kind):
            return list(starmap(kind, rows))
        if kind.__struct_config__.array_like:
            return cast(list[T], msgspec.convert(rows, _list_of(kind), strict=False))
        return list(map(_loader(kind), rows))

    def one(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        """The first row as a Struct, or None."""
        rows = self.rows(sql, **params)
        return _loader(kind)(rows[0]) if rows else None

    def value(self, sql: str, /, **params: Any) -> Any:
        """The first column of the first row, or None."""
        rows = self.rows(sql, **params)
        return rows[0][0] if rows else None


class Database(Dialect):
    """Opens transactions, and writes SQL in its dialect."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Transaction]:
        """A read snapshot."""

    def read_replica(self) -> AbstractContextManager[Transaction]:
        """A read snapshot that may be a little older than now. It may raise Retry, and is not meant to be used by the next attempt."""
        return self.read()

    @abstractmethod
    def write(self, *, alone: bool = False) -> AbstractContextManager[Transaction]:
        """A transaction that commits when its block ends, and rolls back when the block raises.

        Other transactions may join its commit and wait for it, unless it runs alone; a long one should.
        """

    @abstractmethod
    def yield_to_other_writers(self) -> None:
        """Call this between the transactions of a batch job, so that waiting writers get the write lock."""

    @abstractmethod
    def merge_text_indexes(self) -> None:
        """Merge what recent writes appended to the text indexes, since every search reads it; in bounded steps, as a batch job."""

    @abstractmethod
    def build_indexes(self, tx: Transaction, statements: Sequence[str]) -> None:
        """Run these statements that create or drop indexes, during a transaction, in a way that blocks no writer if possible."""

    def find_missing_settings(self) -> list[str]:
        """The statements by which an administrator makes the settings that the server lacks and that are not sent to it."""
        return []

    @abstractmethod
    def interrupt_expired(self) -> None:
        """Interrupt reads that have exceeded the read timeout, unless the database does so itself."""

    @abstractmethod
    def interrupt(self, thread: int) -> None:
        """Interrupt the read that this thread runs, if it runs one."""

    @abstractmethod
    def pool_usage(self) -> dict[str, PoolUsage]:
        """The connections at the moment, by server."""

    @abstractmethod
    def is_in_use(self) -> bool:
        """Whether another process is known to use the database. Closes every connection of this one."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection."""


@cache
def _loader(kind: type[T]) -> Callable[[Sequence[Any]], T]:
    """A function that makes a Struct of a row, whose BOOLEAN columns may be 0 or 1, and whose fields of several values are JSON."""
    flags, decoders = _flags(kind), _json_decoders(kind)
    if not flags and not decoders:
        return lambda row: kind(*row)

    def load(row: Sequence[Any]) -> T:
        values = list(row)
        for i in flags:
            if values[i] is not None:
                values[i] = bool(values[i])
        for i, decode in decoders:
            if values[i] is not None:
                values[i] = decode(values[i])
        return kind(*values)

    return load


@cache
def _flags(kind: type[Struct]) -> list[int]:
    """The positions of its bool fields."""
    return [i for i, field in enumerate(msgspec.structs.fields(kind)) if field.type in (bool, bool | None)]


@cache
def _json_decoders(kind: type[Struct]) -> list[tuple[int, Callable[[str], Any]]]:
    """The positions of its fields that are Structs or lists, which a query selects as JSON, with what decodes them."""
    return [(i, msgspec.json.Decoder(field.type).decode) for i, field in enumerate(msgspec.structs.fields(kind)) if _is_json(field.type)]


def _is_json(field_type: Any) -> bool:
    if isinstance(field_type, UnionType):
        return any(map(_is_json, get_args(field_type)))
    return get_origin(field_type) is list or (isinstance(field_type, type) and issubclass(field_type, Struct))


@cache
def _list_of(kind: type[Struct]) -> Any:
    return GenericAlias(list, (kind,))


@cache
def columns(kind: type[Struct], table: str = "", **expressions: str) -> str:
    """The list of columns that loads the Struct: its fields, optionally of one table, or the SQL expression of the same name.

    `columns(Calendar, "c", owner_name="u.name")` is `c.id, c.name, u.name`, in the order of the fields.
    """
    prefix = f"{table}." if table else ""
    unknown = expressions.keys() - set(kind.__struct_fields__)
    assert not unknown, f"{kind.__name__} has no field {', '.join(sorted(unknown))}"
    return ", ".join(expressions.get(name, prefix + name) for name in kind.__struct_fields__)


def batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """The items in batches of at most `size`."""
    return (items[i : i + size] for i in range(0, len(items), size))
