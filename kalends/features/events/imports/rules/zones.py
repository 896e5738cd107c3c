"""The time zones of a file's entries: known by name, by a definition in the file, or those of its calendar."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from kalends.core.values import datetimes
from kalends.ical import vtimezone
from kalends.ical.file_time_zone import FileTimeZone, build_time_zone, find_equal_zone
from kalends.ical.parse import Entry
from kalends.ical.rrule import Budget
from kalends.ical.values import DateTimeValue, shorten

Warn = Callable[[int, str, str], None]


class EntryZone(Struct, frozen=True):
    """The time zone of an event. Its times are read by the definition in the file, if it has one.

    is_named: the entry names the zone, so that an existing event takes it over."""

    zone: str
    definition: FileTimeZone | None = None
    is_named: bool = True

    def to_instant(self, local: datetime) -> int:
        return self.definition.to_instant(local) if self.definition else datetimes.to_instant(local, self.zone)

    def to_local(self, instant: int) -> datetime:
        return self.definition.to_local(instant) if self.definition else datetimes.to_local(instant, self.zone).replace(tzinfo=None)


class ZoneReader:
    """Finds the zones of the entries of one file; `zone` is for times without one, and overrides that of the file if it was sent."""

    def __init__(self, zone: str, budget: Budget, warn: Warn, *, is_zone_sent: bool):
        self._default = zone
        self._is_zone_sent = is_zone_sent
        self._budget = budget
        self._warn = warn
        self._zones: dict[tuple[int, str], EntryZone] = {}

    def zone_of(self, entry: Entry, value: DateTimeValue) -> EntryZone:
        """The zone of the value. An event in UTC gets the zone of its calendar in the file, unless it repeats."""
        if value.zone:
            key = id(entry.calendar), value.zone
            if key not in self._zones:
                self._zones[key] = self._find_zone(entry, value)
            return self._zones[key]
        calendar_zone = vtimezone.find_zone(entry.calendar.time_zone) if entry.calendar.time_zone else None
        if value.is_utc and not entry.rule:
            return EntryZone(calendar_zone or "UTC", is_named=False)
        return EntryZone("UTC" if value.is_utc else self._zone_without_name(calendar_zone), is_named=not value.is_date)

    def _zone_without_name(self, calendar_zone: str | None) -> str:
        return self._default if self._is_zone_sent or not calendar_zone else calendar_zone

    def _find_zone(self, entry: Entry, value: DateTimeValue) -> EntryZone:
        name = value.zone
        defined = entry.calendar.zones.get(name.strip())
        zone = vtimezone.find_zone(name) or (vtimezone.find_zone(defined.location) if defined and defined.location else None)
        if zone:
            return EntryZone(zone)
        calendar_zone = vtimezone.find_zone(entry.calendar.time_zone) if entry.calendar.time_zone else None
        default = self._zone_without_name(calendar_zone)
        definition = build_time_zone(defined.observances, self._budget) if defined else None
        if definition and (equal := find_equal_zone(definition, value.local.year, default, self._budget)):
            return EntryZone(equal, definition)
        label = f"the zone “{shorten(defined.name if defined else name)}”"
        read = "known to the file alone; its times were read by it, and are kept" if definition else "not known; its times were read"
        self._warn(entry.line, "time_zone", f"{label} is {read} in {default}")
        return EntryZone(default, definition)
