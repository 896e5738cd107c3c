"""The SQL of the settings for responses. Only events with settings of their own have a row, so that others cost nothing."""

from typing import Any

from msgspec import structs

from kalends.core import errors
from kalends.core.records.event import Event
from kalends.core.records.response_settings import DEFAULTS, NAMES, ResponseSettings
from kalends.core.values import datetimes
from kalends.features.events.input_model import EventFields
from kalends.http.context import Context

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


def insert(ctx: Context, event_id: int, settings: ResponseSettings) -> None:
    """Insert the settings of a new event, unless they are the defaults."""
    if settings != DEFAULTS:
        ctx.tx.run(_INSERT, event_id=event_id, **structs.asdict(settings))


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


def delete(ctx: Context, event_id: int) -> None:
    ctx.tx.run("DELETE FROM response_settings WHERE event_id = :event_id", event_id=event_id)


def upsert(ctx: Context, event_id: int, settings: ResponseSettings) -> None:
    ctx.tx.run(_UPSERT, event_id=event_id, **structs.asdict(settings))
