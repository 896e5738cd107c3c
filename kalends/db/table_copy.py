"""Copying whole tables out of a database and into one: for backups, which either database restores."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

# How many rows are held in memory at once, and how many of a table with large ones.
BATCH = 500
_BATCHES = {"picture_files": 10}


def batch_size(table: str) -> int:
    return _BATCHES.get(table, BATCH)


class IntegrityError(Exception):
    """The rows break a constraint of the database, or refer to rows that are missing."""


class TableCopy(ABC):
    """The tables of a database, within one transaction."""

    @abstractmethod
    def columns(self, table: str) -> dict[str, bool]:
        """The table's columns, and whether each holds bytes."""

    @abstractmethod
    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        """All rows, in batches."""

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert the rows; a flag may be 0 or 1."""

    @abstractmethod
    def last_id(self, table: str) -> int:
        """The highest id that the table has ever generated; 0 if it generates none."""

    @abstractmethod
    def set_sequence(self, table: str, last_id: int) -> None:
        """Let the table generate higher ids only, so that no id is used twice, even if its row was deleted."""

    @abstractmethod
    def drop(self, tables: Sequence[str]) -> None:
        """Drop the tables with their triggers and indexes; each table is listed after those that it refers to."""

    @abstractmethod
    def triggers_disabled(self, tables: Sequence[str]) -> AbstractContextManager[None]:
        """While the block runs, no trigger fires and no text index is updated; the text indexes are built when it ends."""

    @abstractmethod
    def verify(self, tables: Sequence[str]) -> None:
        """Check the constraints once all rows are in, and update the planner's statistics; raises IntegrityError."""
