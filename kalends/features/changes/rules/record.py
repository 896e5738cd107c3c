"""The records that a request changed, each with what an undo restores it to."""

from typing import Any

from msgspec import Struct

from kalends.core.records.change import ChangeRow
from kalends.features.changes.rules.tables import BY_KIND, Table

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
                Record(BY_KIND[kind], key, row, _before(row, last[kind, key]), last[kind, key].op != "delete")
                for (kind, key), row in first.items()
            ]
        )

    def of(self, table: Table) -> list[Record]:
        return [record for record in self.all if record.table is table]

    def deleted_ids(self, kind: str) -> list[int]:
        return [record_id for each, record_id in self.deleted if each == kind]


def _before(first: ChangeRow, last: ChangeRow) -> Content | None:
    """The row as it was. What was deleted and handed over since belongs to its new owner, who has a primary calendar already."""
    if first.op == "create":
        return None
    if last.op != "delete" or last.kind not in ("event", "calendar"):
        return first.content
    return first.content | {"owner_id": last.owner_id} | ({"is_primary": False} if last.kind == "calendar" else {})


# What a response held is given to others when it is deleted or changed, so an undo does not restore it by itself.
_SEATS: Content = {"held": 0, "offered": 0, "offer_until": None, "queued_at": None, "queued_for": 0}


def is_restored_here(record: Record, records: Records) -> bool:
    """Whether these are settings of an event that stayed: they are replaced with all that follows from them."""
    return record.kind == "settings" and ("event", record.first.event_id) not in records.deleted


def without_seats(record: Record, content: Content, records: Records) -> Content:
    """The row of a response without its seats, unless they are restored together with the event."""
    if record.kind != "response" or ("event", record.first.event_id) in records.deleted:
        return content
    if not record.is_there:
        return content | _SEATS
    return {name: value for name, value in content.items() if name not in _SEATS and name != "accepted_for"}
