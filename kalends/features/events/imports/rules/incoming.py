"""The events that a file has under one UID, and the importer that reads them within limits."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta

from msgspec import Struct, field

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import datetimes
from kalends.features.events.imports.rules.entries import Content, EntryReader, as_all_day
from kalends.features.events.imports.rules.zones import EntryZone
from kalends.features.events.rules.span import Span
from kalends.features.events.series.rules.rule import MONTHS_AHEAD, Rule, add_months
from kalends.ical.parse import Entry
from kalends.ical.rrule import BudgetExceeded

# Limits of what one file may create, occurrences included.
MAX_EVENTS = 20_000
MAX_TEXT = 20_000_000


class IncomingEvent(Struct, frozen=True):
    """An event of the file; `edited` if it departs from the rule of its series."""

    content: Content
    span: Span
    is_zone_named: bool
    edited: bool = False


class Split(Struct, frozen=True):
    """The series with this UID was split at the slot; the occurrences from it on are these days later."""

    uid: str
    slot: str
    by: timedelta


class IncomingSeries(Struct):
    """A single event, a series with its rule, or several events without one, by slot; the slot of a single event is ""."""

    line: int
    uid: str
    events: dict[str, IncomingEvent] = field(default_factory=dict)
    exceptions: set[str] = field(default_factory=set)
    rule: Rule | None = None
    clock: int = 0
    made_until: str = ""
    # Occurrences before this slot were too many to import; existing ones stay as they are.
    since: str = ""
    split: Split | None = None

    @property
    def text_size(self) -> int:
        """How many characters it adds to the text index."""
        return sum(len(event.content.columns["search"]) for event in self.events.values())


class Importer:
    """Reads the entries of a file as events, and counts them."""

    def __init__(self, reader: EntryReader, today: date, months_ahead: int = MONTHS_AHEAD):
        self.reader = reader
        self.months_ahead = months_ahead
        self.skipped = 0
        self.today = today
        self._events = 0
        self._text = 0

    def read_event(self, entry: Entry, *, edited: bool = False) -> IncomingEvent:
        entry = as_all_day(entry)
        assert entry.start is not None
        # Our feeds write the second of two equal local times in UTC; then the end alone names the zone.
        zone = self.reader.zone_of(entry, entry.end if entry.start.is_utc and entry.end and entry.end.zone else entry.start)
        content = self.reader.read_content(entry)
        self.count(1, content)
        return IncomingEvent(content, self.reader.read_span(entry, zone), zone.is_named, edited)

    def read_single_occurrence(self, uid: str, entry: Entry, zone: EntryZone) -> IncomingSeries:
        """A changed occurrence as an event of its own, because no rule makes it."""
        assert entry.recurrence_id is not None
        self.reader.warn(entry.line, "repeat", "no rule makes this occurrence; it is kept as an event of its own")
        slot = self.reader.to_date(entry, entry.recurrence_id, zone).isoformat()
        return IncomingSeries(entry.line, f"{uid}/{slot}", {"": self.read_event(entry)})

    def count(self, events: int, content: Content) -> None:
        """Count events of this content, and refuse the file if there are too many."""
        self._events += events
        self._text += events * len(content.columns["search"])
        if self._events > MAX_EVENTS:
            raise errors.invalid(
                "file", gettext("contains more than %(max)s events, counting repeats. Import it in parts", max=MAX_EVENTS), "too_large"
            )
        if self._text > MAX_TEXT:
            raise errors.invalid("file", gettext("repeats too much text to import at once. Import it in parts"), "too_large")

    def horizon(self, start: date) -> date:
        """The last day for which occurrences of an endless rule are created."""
        return add_months(max(start, self.today), self.months_ahead)

    @contextmanager
    def skip_on_error(self, entry: Entry) -> Iterator[None]:
        """Skip the entry with a remark if its times are invalid."""
        try:
            yield
        except BudgetExceeded:
            self.skip(entry, "time_zone", "it was left out: the zones of this file take too long to follow")
        except OverflowError:
            self.skip(entry, "start_time", f"it was left out: {datetimes.YEARS}")
        except ValueError as error:
            self.skip(entry, "start_time", f"it was left out: {error}")

    def skip(self, entry: Entry, field: str, message: str) -> None:
        self.skipped += 1
        self.reader.warn(entry.line, field, message)
