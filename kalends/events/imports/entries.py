"""What an entry of a calendar file says, in the words of events: its content, and when it is. What cannot be kept is told."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct, structs

from kalends.events import store
from kalends.events.input import EventFields
from kalends.events.model import MAX_LOCATION
from kalends.events.series import change
from kalends.events.span import BACKWARDS, Span
from kalends.http.input.fields import FieldInvalid, fields_of
from kalends.http.input.tags import readable_tags
from kalends.http.remarks import Remark
from kalends.ical import zone_names
from kalends.ical.file_time_zone import Clocks, clocks
from kalends.ical.parse import Entry, File
from kalends.ical.rrule import Budget
from kalends.ical.values import DAY_SECONDS, Moment, short
from kalends.values import datetimes, text

MAX_TITLE = 200
MAX_DESCRIPTION = 20_000
# How many days the rules of a file may look at, which takes a second or two.
MOST_DAYS = 3_000_000
ONE_DAY = timedelta(days=1)

_IMAGE = next(field for field in fields_of(EventFields) if field.name == "image_url")
_BREAK = re.compile(r"\s*\n\s*")


class Content(Struct, frozen=True):
    """What an event says beside its times, as it is stored; and whether its calendar wants it kept from others."""

    columns: dict[str, Any]
    is_private: bool


class Clock(Struct, frozen=True):
    """How times are read, and the zone in which the event is kept. An event that is there keeps its own, unless one was named."""

    zone: str
    own: Clocks | None = None
    is_named: bool = True

    def instant(self, local: datetime) -> int:
        return self.own.instant(local) if self.own else datetimes.to_instant(local, self.zone)

    def day(self, instant: int) -> date:
        return (self.own.local(instant) if self.own else datetimes.to_local(instant, self.zone)).date()


class Reader:
    """Reads the entries of one file, and remembers what to tell."""

    def __init__(self, file: File, zone: str, *, is_zone_given: bool, url: str):
        self.remarks: list[Remark] = []
        self.budget = Budget(MOST_DAYS)
        self._file = file
        self._own_zone = zone_names.known(file.time_zone) if file.time_zone else None
        self._zone = zone if is_zone_given or not self._own_zone else self._own_zone
        self._named: dict[str, Clock] = {}
        self._url = f"{url}/events/"

    def tell(self, line: int, field: str, message: str) -> None:
        # What a file says may be shown on a terminal.
        self.remarks.append(Remark(line, field, text.replace_control_characters(message)))

    def tell_unkept(self) -> None:
        """What the file has and nobody here keeps, each kind once."""
        first: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for entry in self._file.entries:
            foreign = {"links"} if entry.url and not entry.url.startswith(self._url) else set()
            for kind in sorted(entry.unkept | foreign):
                counts[kind] += 1
                first.setdefault(kind, entry.line)
        for kind, count in counts.items():
            self.tell(first[kind], "file", f"{kind} are not kept; {count:,} {'event has' if count == 1 else 'events have'} some")
        for kind, count in self._file.others.items():
            self.tell(1, "file", f"{kind} are not kept; there are {count:,}" if count > 1 else f"{kind} are not kept; there is one")

    def content(self, entry: Entry) -> Content:
        title = self._text(entry, "title", entry.summary, MAX_TITLE)
        if not title:
            self.tell(entry.line, "title", "has no SUMMARY, and is called Untitled")
        place = self._text(entry, "location", _BREAK.sub(", ", entry.location), MAX_LOCATION) or None
        fields = EventFields(
            title=title or "Untitled",
            start_time="",
            description=self._text(entry, "description", entry.description, MAX_DESCRIPTION, lines=True) or None,
            location=place,
            image_url=self._image(entry),
            tag_list=self._tags(entry),
        )
        return Content(store.content(change.located(fields, {"location"})), entry.is_private)

    def _text(self, entry: Entry, field: str, said: str, most: int, *, lines: bool = False) -> str:
        spaced = text.replace_control_characters(said, lines=lines)
        try:
            cleaned = text.clean(spaced, lines=lines)
        except ValueError as error:
            self.tell(entry.line, field, f"“{short(spaced)}” was left out: {error}")
            return ""
        if len(cleaned) <= most:
            return cleaned
        self.tell(entry.line, field, f"was cut: it has {len(cleaned):,} characters, and at most {most:,} are kept")
        return f"{cleaned[: most - 1].rstrip()}…"

    def _image(self, entry: Entry) -> str | None:
        try:
            return str(_IMAGE.read(entry.image_url)) if entry.image_url else None
        except FieldInvalid as bad:
            self.tell(entry.line, "image_url", f"“{short(entry.image_url)}” was left out: {bad}")
            return None

    def _tags(self, entry: Entry) -> str:
        """The tags that can be kept; of those that cannot, the reason is told."""
        kept, words = readable_tags(text.replace_control_characters(tag) for tag in entry.categories)
        for each in words:
            self.tell(entry.line, "tag_list", each)
        return kept

    def clock(self, entry: Entry, moment: Moment) -> Clock:
        """How the moment is read. What is written in UTC is kept in the file's own zone, unless it repeats."""
        if moment.zone and moment.zone not in self._named:
            self._named[moment.zone] = self._found(entry, moment.zone)
        if moment.zone:
            return self._named[moment.zone]
        if moment.is_utc and not entry.rule:
            return Clock(self._own_zone or "UTC", is_named=False)
        return Clock("UTC" if moment.is_utc else self._zone, is_named=not moment.is_date)

    def _found(self, entry: Entry, name: str) -> Clock:
        described = self._file.zones.get(name.strip())
        found = zone_names.known(name) or (zone_names.known(described.location) if described and described.location else None)
        if found:
            return Clock(found)
        own = clocks(described.observances, self.budget) if described else None
        called = f"the zone “{short(described.name if described else name)}”"
        read = "known to the file alone; its times were read by it, and are kept" if own else "not known; its times were read"
        self.tell(entry.line, "time_zone", f"{called} is {read} in {self._zone}")
        return Clock(self._zone, own)

    def instant(self, entry: Entry, moment: Moment) -> int:
        """The moment in Unix seconds; of a date, its first."""
        if moment.is_utc:
            return datetimes.to_instant(moment.local, "UTC")
        return self.clock(entry, moment).instant(moment.local)

    def day(self, entry: Entry, moment: Moment, clock: Clock) -> date:
        """The date that is meant, on this clock."""
        if moment.is_date or (not moment.is_utc and self.clock(entry, moment) == clock):
            return moment.local.date()
        return clock.day(self.instant(entry, moment))

    def span(self, entry: Entry, clock: Clock, later: timedelta = timedelta()) -> Span:
        """When it is, or so many days later; a ValueError with words where it cannot be. An end that cannot be is left out."""
        assert entry.start is not None
        try:
            start = entry.start.local + later
            if entry.start.is_date:
                return self._days(entry, start.date(), clock.zone, later)
            start_at = self.instant(entry, structs.replace(entry.start, local=start))
            if start.year < datetimes.FIRST_YEAR or not datetimes.is_in_range(start_at, clock.zone):
                raise ValueError(datetimes.YEARS)
            end_at = self._end(entry, clock, start, start_at, later)
        except OverflowError:
            raise ValueError(datetimes.YEARS) from None
        return Span(start_at, end_at, start_at if end_at is None else end_at, False, clock.zone)

    def _end(self, entry: Entry, clock: Clock, start: datetime, start_at: int, later: timedelta) -> int | None:
        if entry.length and entry.start:
            shifted = structs.replace(entry.start, local=start + timedelta(days=entry.length.days))
            end_at = self.instant(entry, shifted) + entry.length.seconds
        elif entry.end and entry.end.is_date:
            end_at = clock.instant(entry.end.local + later)
        elif entry.end:
            end_at = self.instant(entry, structs.replace(entry.end, local=entry.end.local + later))
        else:
            return None
        if end_at < start_at or not datetimes.is_in_range(end_at, clock.zone):
            self._tell_end(entry, f"it {BACKWARDS}" if end_at < start_at else datetimes.YEARS)
            return None
        return end_at

    def _days(self, entry: Entry, first: date, zone: str, later: timedelta) -> Span:
        """Whole days: in a file, the end is the day after the last."""
        if first.year < datetimes.FIRST_YEAR:
            raise ValueError(datetimes.YEARS)
        last = first
        if entry.length:
            last = first + timedelta(days=max(1, entry.length.days + entry.length.seconds // DAY_SECONDS) - 1)
        elif entry.end:
            end = entry.end.local + later
            last = end.date() - ONE_DAY if end.time() == time() and end.date() > first else end.date()
        if last < first:
            self._tell_end(entry, f"it {BACKWARDS}")
            last = first
        until_at = datetimes.end_of_day(last, zone)
        return Span(datetimes.start_of_day(first, zone), until_at if last > first else None, until_at, True, zone)

    def _tell_end(self, entry: Entry, reason: str) -> None:
        self.tell(entry.line, "end_time", f"the end was left out: {reason}")


def whole_days(entry: Entry) -> Entry:
    """The entry, as days if Outlook says that it takes whole ones, whatever their midnights are called."""
    moments: Iterable[Moment | None] = (entry.start, entry.end)
    if not entry.is_all_day or any(moment and moment.local.time() != time() for moment in moments):
        return entry
    dated = [structs.replace(moment, is_date=True, is_utc=False, zone="") if moment else None for moment in moments]
    return structs.replace(entry, start=dated[0], end=dated[1])
