"""Two independent readers of calendar files: recurring-ical-events, and vobject's parser with dateutil's rules."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dateutil.rrule
import dateutil.tz
import icalendar
import recurring_ical_events
import vobject
from msgspec import Struct

FROM, TO = datetime(2026, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)
LAST_YEAR = 2028
# Zones of which a file has no definition, or one that vobject cannot read, by the names in the file.
_ZONES = {name: name for name in ("Europe/Paris", "Europe/Berlin", "Europe/London", "America/Los_Angeles", "Australia/Sydney")} | {
    "tzone://Microsoft/Utc": "UTC",
    "/freeassociation.sourceforge.net/America/Argentina/Buenos_Aires": "America/Argentina/Buenos_Aires",
}
ONE_DAY = timedelta(days=1)

# Title, start, end, and whether it is cancelled. Moments are in UTC, and days are dates.
Occurrence = tuple[str, str, str, bool]


def read_by_first(content: bytes, floating: str = "UTC") -> list[Occurrence]:
    """The occurrences within the window by recurring-ical-events; times without a zone are in `floating`."""
    occurrences: list[Occurrence] = []
    calendar: Any
    for calendar in icalendar.Calendar.from_ical(content, multiple=True):
        zone = str(calendar.get("X-WR-TIMEZONE", floating))
        # The reader would convert times in UTC to the zone of the calendar, too.
        calendar.pop("X-WR-TIMEZONE", None)
        for entry in recurring_ical_events.of(calendar).between(FROM - ONE_DAY, TO + ONE_DAY):
            is_all_day = str(entry.get("X-MICROSOFT-CDO-ALLDAYEVENT", "")) == "TRUE"
            times = _format_times(entry.start, entry.end, zone, is_all_day=is_all_day)
            occurrences.append((_clean(entry["SUMMARY"]), *times, str(entry.get("STATUS", "")) == "CANCELLED"))
    return _within_window(occurrences)


def read_by_second(content: bytes, floating: str = "UTC") -> list[Occurrence]:
    """The same by vobject and dateutil, which know no exceptions by themselves: those are laid over here."""
    # It would go on to use the zones of the file that it read before.
    zones_read = vars(vobject.icalendar)["__tzidMap"]
    for name in set(zones_read) - {"UTC"}:
        del zones_read[name]
    for name, zone in _ZONES.items():
        vobject.icalendar.registerTzid(name, dateutil.tz.gettz(zone))
    occurrences: list[Occurrence] = []
    for calendar in vobject.readComponents(content.decode()):
        zone = calendar.contents["x-wr-timezone"][0].value if "x-wr-timezone" in calendar.contents else floating
        occurrences += _read_calendar(calendar, zone)
    return _within_window(occurrences)


class _Slot(Struct):
    """An occurrence: the local time that its rule gives it, and the entry that describes it."""

    wall: datetime
    start: Any
    entry: Any


def _read_calendar(calendar: Any, zone: str) -> list[Occurrence]:
    slots: dict[tuple[str, datetime], _Slot] = {}
    changed: list[Any] = []
    for entry in getattr(calendar, "vevent_list", []):
        if hasattr(entry, "recurrence_id"):
            changed.append(entry)
            continue
        for start in _expand(entry, entry.dtstart.value):
            slots[entry.uid.value, _key(start, zone)] = _Slot(_wall(start), start, entry)
    following = [entry for entry in changed if "RANGE" in entry.recurrence_id.params]
    for entry in sorted(following, key=lambda each: _key(each.recurrence_id.value, zone)):
        _change_following(slots, entry, zone)
    for entry in changed:
        if entry not in following:
            start = entry.dtstart.value
            slots[entry.uid.value, _key(entry.recurrence_id.value, zone)] = _Slot(_wall(start), start, entry)
    return [_describe(slot, zone) for slot in slots.values()]


def _change_following(slots: dict[tuple[str, datetime], _Slot], entry: Any, zone: str) -> None:
    """Move this occurrence and all later ones by the same local difference."""
    since, start = entry.recurrence_id.value, entry.dtstart.value
    for (uid, key), slot in slots.items():
        if uid == entry.uid.value and key >= _key(since, zone):
            moved = slot.wall + (_wall(start) - _wall(since))
            slot.start = moved.replace(tzinfo=start.tzinfo) if isinstance(start, datetime) else moved.date()
            slot.entry = entry


def _describe(slot: _Slot, zone: str) -> Occurrence:
    entry = slot.entry
    is_all_day = "x-microsoft-cdo-alldayevent" in entry.contents and entry.x_microsoft_cdo_alldayevent.value == "TRUE"
    end = _end(slot)
    status = entry.status.value if hasattr(entry, "status") else ""
    return _clean(entry.summary.value), *_format_times(slot.start, end, zone, is_all_day=is_all_day), status == "CANCELLED"


def _end(slot: _Slot) -> Any:
    """The end of a period, or by the clocks of the first occurrence; by the length if there is one."""
    entry, start = slot.entry, slot.start
    for line in getattr(entry, "rdate_list", []):
        for value in line.value:
            if isinstance(value, tuple) and value[0] == start:
                return value[1] if isinstance(value[1], datetime) else start + value[1]
    if hasattr(entry, "duration"):
        length = entry.duration.value
        return start.astimezone(UTC) + length if isinstance(start, datetime) and start.tzinfo else start + length
    if not hasattr(entry, "dtend"):
        return start
    return start + (_wall(entry.dtend.value) - _wall(entry.dtstart.value))


def _expand(entry: Any, start: Any) -> list[Any]:
    """The starts of the entry without its exceptions."""
    excepted = {value for line in getattr(entry, "exdate_list", []) for value in line.value}
    added = [value[0] if isinstance(value, tuple) else value for line in getattr(entry, "rdate_list", []) for value in line.value]
    if not hasattr(entry, "rrule"):
        return [start, *added]
    rule = dict(part.split("=") for part in entry.rrule.value.split(";"))
    until = rule.pop("UNTIL", None)
    starts = []
    for wall in dateutil.rrule.rrulestr(";".join(f"{name}={value}" for name, value in rule.items()), dtstart=_wall(start)):
        each = wall.replace(tzinfo=start.tzinfo) if isinstance(start, datetime) else wall.date()
        if (until and _is_after(each, until)) or wall.year > LAST_YEAR:
            break
        starts.append(each)
    return [each for each in [*starts, *added] if each not in excepted]


def _is_after(start: Any, until: str) -> bool:
    if len(until) == len("20260101"):
        return bool(start.strftime("%Y%m%d") > until)
    if until.endswith("Z"):
        return bool(start.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ") > until)
    return bool(start.strftime("%Y%m%dT%H%M%S") > until)


def _wall(value: Any) -> datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else datetime.combine(value, time())


def _key(value: Any, zone: str) -> datetime:
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), UTC)
    return (value if value.tzinfo else value.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)


def _format_times(start: Any, end: Any, zone: str, *, is_all_day: bool) -> tuple[str, str]:
    """The start and the end; Outlook has all-day events from midnight to midnight, and a day without an end lasts until the next."""
    if is_all_day and isinstance(start, datetime):
        start, end = start.date(), end.date()
    if not isinstance(start, datetime):
        return start.isoformat(), max(end, start + ONE_DAY).isoformat()
    return _key(start, zone).isoformat(), _key(end, zone).isoformat()


def _within_window(occurrences: list[Occurrence]) -> list[Occurrence]:
    """Those that begin in one of the years of the window, in order."""
    return sorted(each for each in occurrences if FROM.isoformat()[:4] <= each[1][:4] <= str(LAST_YEAR))


def _clean(title: Any) -> str:
    return " ".join(str(title).split())
