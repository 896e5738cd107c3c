"""What both databases have in common: transactions that run SQL with :name parameters and load rows into Structs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import starmap
from types import GenericAlias
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from kalends.db.contents import Contents
from kalends.errors import Conflict

T = TypeVar("T", bound=Struct)


class Retry(Exception):
    """The database gave up on a transaction that may succeed when it runs again."""


TIMED_OUT = "This takes too long. Ask for less at once: fewer or longer words, a shorter time, or fewer calendars."
INTERRUPTED = "The client has left."


class TooSlowForEventLoop(Exception):
    """A transaction that had to be brief was not (see `Database.limit_to_fast_reads`)."""


class UniqueViolation(Conflict):
    """A unique index refused a value; `index` is called after its table and columns, as in `users_email_key`."""

    def __init__(self, index: str):
        super().__init__("Another record has this value already.")
        self.index = index


class Transaction(ABC):
    """One transaction. Rows are loaded positionally: select a Struct's fields in its order (see `columns`)."""

    @abstractmethod
    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        """All rows of the statement."""

    @abstractmethod
    def run(self, sql: str, /, **params: Any) -> int:
        """Run the statement and say how many rows it changed."""

    @abstractmethod
    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        """Run the statement once for each row of parameters."""

    @abstractmethod
    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """As `Database.containing`, if it finds about `most` rows or fewer; else None."""

    @abstractmethod
    def script(self, sql: str) -> None:
        """Run several statements without parameters."""

    @abstractmethod
    def advisory_lock(self, name: str) -> None:
        """Hold the named lock until the transaction ends."""

    @abstractmethod
    def without_statement_timeout(self) -> None:
        """Let the statements of this transaction take as long as they need."""

    @abstractmethod
    def has_table(self, name: str) -> bool:
        """Whether there is such a table."""

    @abstractmethod
    def contents(self) -> Contents:
        """All that the database holds."""

    def all(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        """All rows, loaded. A Struct without bool fields is loaded fastest, then one that is `array_like`."""
        rows = self.rows(sql, **params)
        if not _flags(kind):
            return list(starmap(kind, rows))
        if kind.__struct_config__.array_like:
            return cast(list[T], msgspec.convert(rows, _list_of(kind), strict=False))
        return list(map(_loader(kind), rows))

    def one(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        found = self.rows(sql, **params)
        return _loader(kind)(found[0]) if found else None

    def value(self, sql: str, /, **params: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(sql, **params)
        return found[0][0] if found else None


class Database(ABC):
    """Transactions, and the words in which the two kinds of SQL differ."""

    types: dict[str, str]
    # What a SELECT ends with so that nobody else changes its rows until the transaction ends.
    for_update: str

    @abstractmethod
    def for_each(self, name: str, table: str, ids: str) -> str:
        """SQL, to follow FROM, for the rows of the table (`placements p`) whose ids a SELECT finds for each member of a list of
        integers; the SELECT calls the member `each.id`, and may have an ORDER and a LIMIT of its own."""

    @abstractmethod
    def substring_index(self, table: str, column: str) -> str:
        """The SQL that makes an index for `containing`."""

    @abstractmethod
    def trigger(self, change: str, table: str, statement: str) -> str:
        """The SQL that makes a trigger: after each row that is changed so, the statement runs; it knows the row as NEW or OLD.
        A dollar sign is written twice, since the words that differ are put in afterwards."""

    @abstractmethod
    def replace_trigger(self, change: str, table: str, statement: str) -> str:
        """The SQL that gives such a trigger another statement. One that was deferred stays so."""

    @abstractmethod
    def defer(self, change: str, table: str) -> str:
        """The SQL that lets such a trigger run when the transaction commits, where others would wait for what it locks."""

    @abstractmethod
    def ids_containing(self, table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
        """SQL, with its parameters, for the ids of the rows whose text may contain all literals, each of three or more
        characters; the caller looks closer."""

    @abstractmethod
    def in_list(self, name: str) -> str:
        """SQL for the members of a list of integers, given as the parameter of this name: `id IN {db.in_list('ids')}`."""

    @abstractmethod
    def records(self, name: str, columns: Mapping[str, str]) -> str:
        """SQL, to follow FROM, for a list of records, given as JSON in the parameter of this name; their columns have these types.
        One statement for all of them is far quicker than one for each."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Transaction]:
        """A read snapshot."""

    @abstractmethod
    def write(self, *, alone: bool = False) -> AbstractContextManager[Transaction]:
        """A transaction that commits when its block ends, and rolls back when the block raises. Others may be committed along with
        it, and wait for it, unless it must be alone: one that takes long should be."""

    @abstractmethod
    def yield_to_other_writers(self) -> None:
        """To call between the transactions of one who writes in batches: those who wait for a turn must get it."""

    def limit_to_fast_reads(self) -> bool:
        """From now on this thread may only read, and only briefly: anything else raises TooSlowForEventLoop.

        Returns False if the database cannot limit a thread.
        """
        return False

    @abstractmethod
    def interrupt_expired(self) -> None:
        """Stop the statements of reads that have taken longer than the read timeout, unless the database does so itself."""

    @abstractmethod
    def interrupt(self, thread: int) -> None:
        """Stop the statement of a read that this thread runs, if it runs one."""

    @abstractmethod
    def is_in_use(self) -> bool:
        """Whether another process works on the database, as far as can be seen. Closes every connection of this one."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection."""


@cache
def _loader(kind: type[T]) -> Callable[[Sequence[Any]], T]:
    """How to make a Struct of a row; a BOOLEAN may come as 0 or 1."""
    flags = _flags(kind)
    if not flags:
        return lambda row: kind(*row)

    def load(row: Sequence[Any]) -> T:
        values = list(row)
        for i in flags:
            if values[i] is not None:
                values[i] = bool(values[i])
        return kind(*values)

    return load


@cache
def _flags(kind: type[Struct]) -> list[int]:
    """The positions of its bool fields."""
    return [i for i, field in enumerate(msgspec.structs.fields(kind)) if field.type in (bool, bool | None)]


@cache
def _list_of(kind: type[Struct]) -> Any:
    return GenericAlias(list, (kind,))


@cache
def columns(kind: type[Struct], table: str = "") -> str:
    """The Struct's fields as a list of columns, optionally of one table: `c.id, c.name`."""
    prefix = f"{table}." if table else ""
    return ", ".join(prefix + name for name in kind.__struct_fields__)


def batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """The items in runs of at most `size`."""
    return (items[i : i + size] for i in range(0, len(items), size))
