"""The steps of an undo that concerns many records: each is one transaction, so that others can write in between."""

from collections import defaultdict
from enum import IntEnum

from kalends.core.records.change import ChangeRow
from kalends.features.changes.rules.record import Record, Records

# The size of a step, for which all other writes wait.
STEP_RECORDS = 1_000
STEP_TEXT = 300_000

Unit = tuple[str, int]


class Turn(IntEnum):
    """When records are put back: events that were created are deleted first, and what events refer to is there before them."""

    CREATED_EVENTS = 0
    REFERRED_TO = 1
    CHANGED = 2
    DELETED = 3
    CREATED = 4


def split(records: Records) -> list[Records]:
    """The records in steps, in the order in which they must be put back. What must change together is in one step: an event with all that
    belongs to it, and a series that stays with its dates, whose slots may change places."""
    units: dict[tuple[Turn, Unit], list[Record]] = defaultdict(list)
    for record in records.all:
        units[_place(record, records)].append(record)
    steps: list[list[Record]] = [[]]
    count = text = 0
    for place in sorted(units, key=lambda place: place[0]):
        unit = units[place]
        size = sum(len(record.first.before or "") for record in unit)
        count, text = count + len(unit), text + size
        if steps[-1] and (count > STEP_RECORDS or text > STEP_TEXT):
            steps.append([])
            count, text = len(unit), size
        steps[-1] += unit
    return [Records(step) for step in steps]


def unit_of(record: Record) -> Unit:
    """What the record belongs to: an event, or itself."""
    return unit_of_change(record.first)


def unit_of_change(row: ChangeRow) -> Unit:
    """What a change belongs to: an event, or its own record."""
    return ("event", row.event_id) if row.event_id is not None else (row.kind, row.record_id)


def _place(record: Record, records: Records) -> tuple[Turn, Unit]:
    """When the record is put back, and with what it must be."""
    if record.first.event_id is not None:
        return _place_event(record.first.event_id, records)
    if record.kind in ("series", "exception", "event_invitation"):
        return _place_series(record.before["series_id"] if record.before and record.kind == "event_invitation" else record.key[0], records)
    if record.kind == "contact":
        return Turn.CHANGED, ("contact", record.key[0])
    calendar = "calendar", record.first.calendar_id or record.first.record_id
    return (Turn.CREATED if calendar in records.created else Turn.REFERRED_TO), calendar


def _place_event(event_id: int, records: Records) -> tuple[Turn, Unit]:
    event = "event", event_id
    if event in records.created:
        return Turn.CREATED_EVENTS, event
    if event in records.deleted:
        return Turn.DELETED, event
    series = "series", records.series_before.get(event_id) or 0
    is_whole = series[1] and series not in records.created and series not in records.deleted
    return Turn.CHANGED, series if is_whole else event


def _place_series(series_id: int, records: Records) -> tuple[Turn, Unit]:
    series = "series", series_id
    turn = Turn.CREATED if series in records.created else Turn.REFERRED_TO if series in records.deleted else Turn.CHANGED
    return turn, series
