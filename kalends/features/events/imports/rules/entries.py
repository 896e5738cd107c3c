"""Read the content and times of a calendar file's entries, with remarks on what cannot be imported."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct, structs

from kalends.core.values import datetimes, text
from kalends.core.values.picture import to_path
from kalends.features.events.imports.rules.zones import EntryZone, ZoneReader
from kalends.features.events.input_model import EventFields
from kalends.features.events.model import MAX_LOCATION
from kalends.features.events.rules.location import complete
from kalends.features.events.rules.span import BACKWARDS, Span, timed_span
from kalends.http.csv_file import Remark
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import readable_tags
from kalends.ical.parse import CalendarFile, Entry
from kalends.ical.rrule import Budget
from kalends.ical.values import DAY_SECONDS, DateTimeValue, Period, shorten

MAX_TITLE = 200
MAX_DESCRIPTION = 20_000
MAX_NOTE = 500
# How many days the rules of a file may examine, which takes a second or two.
MAX_DAYS = 3_000_000
ONE_DAY = timedelta(days=1)

_IMAGE = next(field for field in fields_of(EventFields) if field.name == "image_url")
_BREAK = re.compile(r"\s*\n\s*")


class Content(Struct, frozen=True):
    """The columns of an event except its times, and whether the file marks it as private."""

    columns: dict[str, Any]
    is_private: bool


class EntryReader:
    """Reads the entries of one file, and collects remarks.

    to_columns: makes the columns of an event from its content."""

    def __init__(
        self,
        file: CalendarFile,
        zone: str,
        to_columns: Callable[[EventFields], dict[str, Any]],
        *,
        is_zone_sent: bool,
        url: str,
        max_days: int = MAX_DAYS,
    ):
        self.remarks: list[Remark] = []
        self.budget = Budget(max_days)
        self._file = file
        self.zone_of = ZoneReader(zone, self.budget, self.warn, is_zone_sent=is_zone_sent).zone_of
        self._to_columns = to_columns
        self._url = url

    def warn(self, line: int, field: str, message: str) -> None:
        # The text of a file may be shown on a terminal.
        self.remarks.append(Remark(line, field, text.replace_control_characters(message)))

    def warn_unsupported(self) -> None:
        """Add a remark for each kind of content that is not imported."""
        first: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for entry in self._file.entries:
            kinds = set(entry.unsupported)
            if entry.url and not entry.url.startswith(f"{self._url}/events/"):
                kinds.add("links")
            if entry.status == "TENTATIVE" and not entry.is_postponed:
                kinds.add("tentative statuses")
            for kind in sorted(kinds):
                counts[kind] += 1
                first.setdefault(kind, entry.line)
        for kind, count in counts.items():
            self.warn(first[kind], "file", f"{kind} are not kept; {count:,} {'event has' if count == 1 else 'events have'} some")
        for kind, count in self._file.other_components.items():
            self.warn(1, "file", f"{kind} are not kept; there are {count:,}" if count > 1 else f"{kind} are not kept; there is one")

    def read_content(self, entry: Entry) -> Content:
        title = self._clean(entry, "title", entry.summary, MAX_TITLE)
        if not title:
            self.warn(entry.line, "title", "has no SUMMARY, and is called Untitled")
        place = self._clean(entry, "location", _BREAK.sub(", ", entry.location), MAX_LOCATION) or None
        fields = EventFields(
            title=title or "Untitled",
            start_time="",
            description=self._clean(entry, "description", entry.description, MAX_DESCRIPTION, lines=True) or None,
            location=place,
            latitude=entry.geo[0] if entry.geo else None,
            longitude=entry.geo[1] if entry.geo else None,
            image_url=self._image(entry),
            tag_list=self._tags(entry),
        )
        return Content(self._to_columns(complete(fields, {"location"})) | self._status(entry), bool(entry.is_private))

    def _status(self, entry: Entry) -> dict[str, str | None]:
        """The columns of the status; a COMMENT is the note. Only our own feeds mean by TENTATIVE that the event is postponed."""
        status = "planned"
        if entry.status == "CANCELLED":
            status = "cancelled"
        elif entry.status == "TENTATIVE" and entry.is_postponed:
            status = "postponed"
        note = None if status == "planned" else self._clean(entry, "status_note", entry.comment, MAX_NOTE) or None
        return {"status": status, "status_note": note}

    def _clean(self, entry: Entry, field: str, value: str, max_length: int, *, lines: bool = False) -> str:
        spaced = text.replace_control_characters(value, lines=lines)
        try:
            cleaned = text.clean(spaced, lines=lines)
        except ValueError as error:
            self.warn(entry.line, field, f"“{shorten(spaced)}” was left out: {error}")
            return ""
        if len(cleaned) <= max_length:
            return cleaned
        self.warn(entry.line, field, f"was cut: it has {len(cleaned):,} characters, and at most {max_length:,} are kept")
        return f"{cleaned[: max_length - 1].rstrip()}…"

    def _image(self, entry: Entry) -> str | None:
        try:
            return to_path(str(_IMAGE.read(entry.image_url)), self._url) if entry.image_url else None
        except FieldInvalid as error:
            self.warn(entry.line, "image_url", f"“{shorten(entry.image_url)}” was left out: {error}")
            return None

    def _tags(self, entry: Entry) -> str:
        """The valid tags, with remarks on the others."""
        tags, messages = readable_tags(text.replace_control_characters(tag) for tag in entry.categories)
        for message in messages:
            self.warn(entry.line, "tag_list", message)
        return tags

    def to_instant(self, entry: Entry, value: DateTimeValue) -> int:
        """The instant of the value; of a date, the start of the day."""
        if value.is_utc:
            return datetimes.to_instant(value.local, "UTC")
        return self.zone_of(entry, value).to_instant(value.local)

    def to_date(self, entry: Entry, value: DateTimeValue, zone: EntryZone) -> date:
        """The date of the value in the zone."""
        return self.to_local(entry, value, zone).date()

    def to_local(self, entry: Entry, value: DateTimeValue, zone: EntryZone) -> datetime:
        """The local time of the value in the zone."""
        if value.is_date or (not value.is_utc and self.zone_of(entry, value) == zone):
            return value.local
        return zone.to_local(self.to_instant(entry, value))

    def read_span(self, entry: Entry, zone: EntryZone, later: timedelta = timedelta()) -> Span:
        """The start and end of the entry, or of an occurrence some days later.

        Raises ValueError with a message for people if the start is invalid; an invalid end is left out with a remark."""
        assert entry.start is not None
        try:
            start = entry.start.local + later
            if entry.start.is_date:
                return self._read_days(entry, start.date(), zone.zone, later)
            start_at = self.to_instant(entry, structs.replace(entry.start, local=start))
            if start.year < datetimes.FIRST_YEAR or not datetimes.is_in_range(start_at, zone.zone):
                raise ValueError(datetimes.YEARS)
            end_at = self._read_end(entry, zone, start, start_at, later)
        except OverflowError:
            raise ValueError(datetimes.YEARS) from None
        return Span(start_at, end_at, start_at if end_at is None else end_at, False, zone.zone)

    def _read_end(self, entry: Entry, zone: EntryZone, start: datetime, start_at: int, later: timedelta) -> int | None:
        if entry.duration and entry.start:
            shifted = structs.replace(entry.start, local=start + timedelta(days=entry.duration.days))
            end_at = self.to_instant(entry, shifted) + entry.duration.seconds
        elif entry.end and entry.end.is_date:
            end_at = zone.to_instant(entry.end.local + later)
        elif entry.end:
            end_at = self.to_instant(entry, structs.replace(entry.end, local=entry.end.local + later))
        else:
            return None
        if end_at < start_at or not datetimes.is_in_range(end_at, zone.zone):
            self._warn_end(entry, f"it {BACKWARDS}" if end_at < start_at else datetimes.YEARS)
            return None
        return end_at

    def read_period(self, entry: Entry, period: Period, span: Span) -> Span:
        """The span with the end of the period, if that has one."""
        if period.duration:
            end = structs.replace(period.start, local=period.start.local + timedelta(days=period.duration.days))
            end_at = self.to_instant(entry, end) + period.duration.seconds
        elif period.end:
            end_at = self.to_instant(entry, period.end)
        else:
            return span
        if end_at < span.start_at or not datetimes.is_in_range(end_at, span.time_zone):
            self._warn_end(entry, f"it {BACKWARDS}" if end_at < span.start_at else datetimes.YEARS)
            return span
        return timed_span(span.start_at, end_at, span.time_zone)

    def _read_days(self, entry: Entry, first: date, zone: str, later: timedelta) -> Span:
        """The span of an all-day entry. In a file, the end is the day after the last one."""
        if first.year < datetimes.FIRST_YEAR:
            raise ValueError(datetimes.YEARS)
        last = first
        if entry.duration:
            last = first + timedelta(days=max(1, entry.duration.days + entry.duration.seconds // DAY_SECONDS) - 1)
        elif entry.end:
            end = entry.end.local + later
            last = end.date() - ONE_DAY if end.time() == time() and end.date() > first else end.date()
        if last < first:
            self._warn_end(entry, f"it {BACKWARDS}")
            last = first
        until_at = datetimes.end_of_day(last, zone)
        return Span(datetimes.start_of_day(first, zone), until_at if last > first else None, until_at, True, zone)

    def _warn_end(self, entry: Entry, reason: str) -> None:
        self.warn(entry.line, "end_time", f"the end was left out: {reason}")


def as_all_day(entry: Entry) -> Entry:
    """The entry with dates instead of midnights, if Outlook marks it as all-day."""
    values: Iterable[DateTimeValue | None] = (entry.start, entry.end)
    if not entry.is_all_day or any(value and value.local.time() != time() for value in values):
        return entry
    dated = [structs.replace(value, is_date=True, is_utc=False, zone="") if value else None for value in values]
    return structs.replace(entry, start=dated[0], end=dated[1])
