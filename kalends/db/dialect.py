"""The SQL in which the two databases differ."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence


class Dialect(ABC):
    """Fragments of SQL, for statements and for migrations."""

    # What the database is called.
    product: str
    # The values of the placeholders in migrations: `$id`, `$int` and so on.
    types: dict[str, str]
    # The end of a SELECT that locks its rows until the transaction ends.
    for_update: str
    # The same, without the rows that others have locked.
    for_update_skip_locked: str
    # The same as for_update, while others may lock the rows in this way, too.
    for_share: str
    # The function that finds a text in another one: its position from 1, or 0.
    position: str
    # A statement that consumes an id of `deliveries`.
    skip_delivery_id: str
    # The condition that an entry `s` of `sync_entries` is after the position (:tx, :id), and not after (:end_tx, :end_id).
    is_between_positions: str

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
    def trigger(self, change: str, table: str, statement: str) -> str:
        """Create a trigger that runs the statement after each changed row, which it knows as NEW or OLD.

        A dollar sign is doubled, since the placeholders of the migration are replaced afterwards.
        """

    @abstractmethod
    def replace_trigger(self, change: str, table: str, statement: str) -> str:
        """Replace the statement of such a trigger; a deferred trigger stays deferred."""

    @abstractmethod
    def named_trigger(self, name: str, moment: str, table: str, condition: str, statement: str) -> str:
        """Create or replace a trigger that runs the statement for each changed row for which the condition holds.

        moment: such as AFTER UPDATE, or BEFORE DELETE.
        """

    @abstractmethod
    def json_object(self, row: str, columns: Sequence[str]) -> str:
        """The columns of a row as the text of a JSON object."""

    @abstractmethod
    def last_sync_entry(self) -> str:
        """A SELECT of the position (tx, id) up to which the table `sync_entries` is final: no entry before it can appear later."""

    @abstractmethod
    def newest_sync_entry(self) -> str:
        """A SELECT of the highest id in `sync_entries`, and of the tx from which on entries that are written later are numbered."""

    @abstractmethod
    def defer(self, change: str, table: str) -> str:
        """Run such a trigger when the transaction commits, so that its locks are held only briefly."""
