"""All that a database holds, read and written table by table: for backups, which either database restores."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

# How many rows are held in memory at once.
RUN = 500


class Unfit(Exception):
    """The database does not take these rows, or they do not hold together."""


class Contents(ABC):
    """The tables, in one transaction."""

    @abstractmethod
    def columns(self, table: str) -> dict[str, bool]:
        """The table's columns, and whether each holds bytes."""

    @abstractmethod
    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        """All rows, some at a time."""

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add the rows; a flag may come as 0 or 1."""

    @abstractmethod
    def last_id(self, table: str) -> int:
        """The highest number that the table has ever given to a row; 0 if it gives none."""

    @abstractmethod
    def go_on_after(self, table: str, last_id: int) -> None:
        """Let the table give higher numbers only, so that none is given twice, even if its row was deleted."""

    @abstractmethod
    def drop(self, tables: Sequence[str]) -> None:
        """Drop the tables and all that belongs to them; each comes after those that it refers to."""

    @abstractmethod
    def at_rest(self, tables: Sequence[str]) -> AbstractContextManager[None]:
        """While the block runs, nothing is marked as changed."""

    @abstractmethod
    def settle(self, tables: Sequence[str]) -> None:
        """Once all rows are in: see that they hold together, and be ready to find them."""
