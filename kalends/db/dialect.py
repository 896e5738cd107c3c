"""The SQL in which the two databases differ."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from msgspec import Struct


class Trigger(Struct, frozen=True):
    """A trigger that runs for each changed row."""

    name: str
    # Such as AFTER UPDATE OF title, or BEFORE DELETE.
    moment: str
    table: str
    # Statements that know the row as NEW or OLD, each with a semicolon.
    body: str
    # It runs for the rows for which this holds; empty: for all.
    condition: str = ""
    # Whether it runs at the end of the transaction, so that its locks are held only briefly.
    is_deferred: bool = False
    # Whether a trigger of this name is replaced.
    replaces: bool = False


class Dialect(ABC):
    """Fragments of SQL, for statements and for the schema."""

    # What the database is called.
    product: str
    # The values of the placeholders in the schema and in migrations: `$id`, `$int` and so on.
    types: dict[str, str]
    # The end of a SELECT that locks its rows until the transaction ends.
    for_update: str
    # The end of a SELECT that locks its rows, and skips those that others have locked.
    for_update_skip_locked: str
    # The end of a SELECT that locks its rows against changes, while others may lock them in this way, too.
    for_share: str
    # The function that finds a text in another one: its position from 1, or 0.
    position: str
    # A statement that consumes an id of `deliveries`.
    skip_delivery_id: str
    # The condition that an entry `s` of `sync_entries` is after the position (:tx, :id), and not after (:end_tx, :end_id).
    is_between_positions: str
    # The condition that an entry `n` of `sync_entries` is after the position (tx, entry_id) of a row `s`.
    is_after_row: str

    @abstractmethod
    def in_list(self, name: str) -> str:
        """The condition that a column is in a list of integers, passed as the parameter of this name: `id {db.in_list('ids')}`."""

    @abstractmethod
    def for_each(self, name: str, table: str, ids: str) -> str:
        """To follow FROM: the rows of the table (`placements p`) whose ids a SELECT finds for each member of a list of integers.

        The SELECT calls the member `each.id`, and may have its own ORDER and LIMIT.
        """

    @abstractmethod
    def indexed_by(self, index: str) -> str:
        """To follow a table in FROM: read it by this index. SQLite keeps no statistics, and of several partial indexes that begin with the
        same column it may take the largest one. PostgreSQL knows their sizes."""

    @abstractmethod
    def next_id(self, table: str) -> str:
        """The id of a row to be inserted in the same transaction."""

    @abstractmethod
    def records(self, name: str, columns: Mapping[str, str]) -> str:
        """To follow FROM: a list of records, passed as JSON in the parameter of this name, with columns of these types.

        One statement for all records is much faster than one for each.
        """

    @abstractmethod
    def ids_containing(self, table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
        """A SELECT, with its parameters, of the ids of the rows whose text may contain all literals of three or more characters.

        The index may return rows that do not match, so the caller must check them.
        """

    @abstractmethod
    def substring_index(self, table: str, column: str) -> str:
        """Create the index that `ids_containing` uses."""

    @abstractmethod
    def trigger(self, trigger: Trigger) -> str:
        """Create the trigger. A dollar sign is doubled, since placeholders are replaced afterwards."""

    @staticmethod
    @abstractmethod
    def json_object(row: str, columns: Sequence[str]) -> str:
        """The columns of a row as the text of a JSON object."""

    @abstractmethod
    def last_sync_entry(self) -> str:
        """A SELECT of the position (tx, id) up to which the table `sync_entries` is final: no entry before it can appear later."""

    @abstractmethod
    def newest_sync_entry(self) -> str:
        """A SELECT of the highest id in `sync_entries`, and of the tx from which on entries that are written later are numbered."""
