"""The records that a request changed, each with what an undo restores it to."""

from typing import Any

from msgspec import Struct

from kalends.changes.history import ChangeRow
from kalends.changes.tables import BY_KIND, Table

Content = dict[str, Any]
Key = tuple[Any, ...]


class Record(Struct, frozen=True):
    """A row that a request changed: as it was before (None: it was not there), and whether the request left it there."""

    table: Table
    key: Key
    first: ChangeRow
    before: Content | None
    is_there: bool

    @property
    def kind(self) -> str:
        return self.table.kind


class Records:
    """Records of a request."""

    def __init__(self, records: list[Record]):
        self.all = records
        # The events and calendars that the request deleted, as they were.
        self.deleted = {(record.kind, record.key[0]): record.before for record in self.all if record.before and not record.is_there}
        self.created = {(record.kind, record.key[0]) for record in self.all if record.before is None}
        # The series in which events were that the request changed.
        self.series_before = {
            record.key[0]: record.before["series_id"] for record in self.all if record.kind == "event" and record.before is not None
        }

    @classmethod
    def of_changes(cls, rows: list[ChangeRow]) -> "Records":
        """The records of these changes, which are in their order."""
        first: dict[tuple[str, Key], ChangeRow] = {}
        last: dict[tuple[str, Key], ChangeRow] = {}
        for row in rows:
            table, content = BY_KIND[row.kind], row.content
            key = tuple(content[name] for name in table.key) if table.key != ("id",) else (row.record_id,)
            first.setdefault((row.kind, key), row)
            last[row.kind, key] = row
        return cls(
            [
                Record(BY_KIND[kind], key, row, None if row.op == "create" else row.content, last[kind, key].op != "delete")
                for (kind, key), row in first.items()
            ]
        )

    def of(self, table: Table) -> list[Record]:
        return [record for record in self.all if record.table is table]

    def deleted_ids(self, kind: str) -> list[int]:
        return [record_id for each, record_id in self.deleted if each == kind]
