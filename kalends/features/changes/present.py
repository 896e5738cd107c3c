"""Representations of the history in API replies: what a change changed, field by field."""

from typing import Any

from msgspec import json, structs

from kalends.core.records.change import ChangeRow
from kalends.core.records.event import Event
from kalends.core.records.people import Person
from kalends.core.values import timestamps
from kalends.features.changes.history_store import DeletedRow, EventChangeRow
from kalends.features.changes.model import EventChange, FieldChange, TrashItem
from kalends.features.changes.rules.tables import BY_KIND, link_number
from kalends.features.events import present as event_present
from kalends.features.events.rules import span

# What an event was before there were these columns.
_DEFAULTS = {"online_for": "going", "place_for": "everyone"}


def change(row: EventChangeRow, current: dict[str, Any] | None) -> EventChange:
    """The change; current: the record as it is now."""
    before = json.decode(row.before) if row.before and row.op != "create" else None
    after = None if row.op == "delete" else json.decode(row.next_before) if row.next_before else current
    return EventChange(
        seq=row.id,
        set_id=row.set_id,
        at=timestamps.format_utc(row.at),
        actor=_actor(row, row.actor_name),
        via=row.via,
        kind=row.kind,
        op=row.op,
        id=row.record_id,
        fields=differences(row.kind, before, after),
    )


def deleted(row: DeletedRow) -> TrashItem:
    content, is_event = row.content, row.kind == "event"
    return TrashItem(
        seq=row.id,
        id=row.record_id,
        title=content["title" if is_event else "name"],
        start_time=span.format_times(_event(content))[0] if is_event else None,
        calendar_id=content["calendar_id" if is_event else "id"],
        events=row.events,
        deleted_at=timestamps.format_utc(row.at),
        actor=_actor(row, row.actor_name),
    )


def _actor(row: ChangeRow, name: str | None) -> Person | None:
    return Person(row.actor_id, name) if row.actor_id is not None and name is not None else None


def _fields(kind: str, content: dict[str, Any] | None) -> dict[str, Any]:
    if content is None:
        return {}
    if kind == "event":
        return structs.asdict(event_present.editable(_event(content).whole))
    table = BY_KIND[kind]
    return {name: bool(content[name]) if name in table.flags else content[name] for name in table.shown_columns}


def _event(content: dict[str, Any]) -> Event:
    """The event of such a row; what other tables say of it is missing."""
    values: dict[str, Any] = (
        dict.fromkeys(Event.__struct_fields__) | _DEFAULTS | content | {name: bool(content.get(name)) for name in BY_KIND["event"].flags}
    )
    values["link_number"] = link_number(content)
    return Event(**{name: values[name] for name in Event.__struct_fields__})


def differences(kind: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[FieldChange]:
    """The fields in which two versions of a record differ; None: there was or is no record."""
    before, after = _fields(kind, old), _fields(kind, new)
    names = [name for name in (after or before) if before.get(name) != after.get(name)]
    return [FieldChange(name, _text(before.get(name)), _text(after.get(name))) for name in names]


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
