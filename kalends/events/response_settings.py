"""The SQL of the settings for responses. Only events with settings of their own have a row, so that others cost nothing."""

from typing import Any

from msgspec import structs

from kalends import errors
from kalends.context import Context
from kalends.events.input import EventFields
from kalends.records.event import Event
from kalends.records.response_settings import DEFAULTS, NAMES, ResponseSettings
from kalends.responses import seats
from kalends.values import datetimes

_COLUMNS = ", ".join(NAMES)
_INSERT = f"INSERT INTO response_settings (event_id, {_COLUMNS}) VALUES (:event_id, {', '.join(f':{name}' for name in NAMES)})"
_UPSERT = f"{_INSERT} ON CONFLICT (event_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in NAMES)}"
_OTHERS = [name for name in NAMES if name != "responses_until"]


def read(fields: EventFields, zone: str) -> ResponseSettings:
    """The settings among the fields of an event."""
    until = datetimes.parse(fields.responses_until).to_end(zone) if fields.responses_until else None
    if until is not None and not datetimes.is_in_range(until - 1, zone):
        raise errors.invalid("responses_until", datetimes.YEARS)
    return ResponseSettings(responses_until=until, **{name: getattr(fields, name) for name in _OTHERS})


def editable(event: Event) -> dict[str, Any]:
    """The fields with their current values."""
    return show(event.settings, event.time_zone)


def show(settings: ResponseSettings, zone: str) -> dict[str, Any]:
    """The settings as replies have them."""
    until = settings.responses_until
    return structs.asdict(settings) | {"responses_until": None if until is None else datetimes.format_instant(until, zone)}


def insertion(event_id: int, settings: ResponseSettings) -> list[tuple[str, dict[str, Any]]]:
    """The statement that inserts the settings of a new event; none if they are the defaults."""
    return [] if settings == DEFAULTS else [(_INSERT, structs.asdict(settings) | {"event_id": event_id})]


def save(ctx: Context, event: Event, fields: EventFields) -> None:
    """Store the settings of an event that is locked, and give free seats to those who wait.

    Who has said YES before there was a capacity has a place, even beyond it. Without a capacity, everybody has one.
    """
    apply(ctx, event, read(fields, fields.time_zone or event.time_zone))
    if event.settings_text or fields.capacity:
        seats.settle(ctx, event.id)


def apply(ctx: Context, event: Event, settings: ResponseSettings) -> None:
    """Replace the settings of an event that is locked."""
    old = event.settings
    if settings == old:
        return
    # Without a row, no trigger counts the seats of each response: 50,000 changes of one row in one transaction would take minutes.
    if settings == DEFAULTS:
        ctx.tx.run("DELETE FROM response_settings WHERE event_id = :event_id", event_id=event.id)
    if old.capacity is not None and settings.capacity is None:
        seats.release_all(ctx, event)
    if old.capacity is None and settings.capacity is not None:
        if old != DEFAULTS:
            _upsert(ctx, event.id, structs.replace(settings, capacity=None))
        seats.hold_all(ctx, event.id)
    if settings != DEFAULTS:
        _upsert(ctx, event.id, settings)
    if old.approval != settings.approval:
        (seats.accept_present if settings.approval else seats.accept_all)(ctx, event)


def mark_changed(ctx: Context, event_id: int) -> None:
    """Give the event a new version, as each update of its settings does."""
    ctx.tx.run("UPDATE events SET version = version + 1, updated_at = :now WHERE id = :id", id=event_id, now=ctx.now)


def copy_to_series(ctx: Context, pattern: Event, series_id: int) -> None:
    """Give the new events of the series, which are not placed yet, the settings of the pattern: each date has its own capacity."""
    settings = pattern.settings
    if settings == DEFAULTS:
        return
    ctx.tx.run(
        f"""INSERT INTO response_settings (event_id, {_COLUMNS})
            SELECT e.id, q.responses_open,
                   CASE WHEN q.responses_until IS NULL THEN NULL ELSE q.responses_until + e.start_at - CAST(:start_at AS BIGINT) END,
                   {", ".join(f"q.{name}" for name in NAMES[2:])}
            FROM events e JOIN response_settings q ON q.event_id = :pattern
            WHERE e.series_id = :series_id AND NOT EXISTS (SELECT 1 FROM placements h WHERE h.event_id = e.id)""",
        pattern=pattern.id,
        start_at=pattern.start_at,
        series_id=series_id,
    )


def _upsert(ctx: Context, event_id: int, settings: ResponseSettings) -> None:
    ctx.tx.run(_UPSERT, event_id=event_id, **structs.asdict(settings))
