"""What a calendar file has under one UID, and how entries become that: bounded, and told where something cannot be kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from msgspec import Struct, field

from kalends import errors
from kalends.events.imports.entries import Clock, Content, Reader, whole_days
from kalends.events.series.rule import Rule, months_later
from kalends.events.series.store import AHEAD_MONTHS
from kalends.events.span import Span
from kalends.ical.parse import Entry
from kalends.ical.rrule import TooLong
from kalends.values import datetimes

# All that a file may make, occurrences included, and their text.
MOST_EVENTS = 20_000
MOST_TEXT = 20_000_000


class Wanted(Struct, frozen=True):
    """An event as the file has it; `edited` where it departs from the rule of its series."""

    content: Content
    span: Span
    is_named: bool
    edited: bool = False


class Arrival(Struct):
    """One event, a series, or several events, each with the slot by which it is known again; "" is that of the one event."""

    line: int
    uid: str
    wanted: dict[str, Wanted] = field(default_factory=dict)
    excepted: set[str] = field(default_factory=set)
    rule: Rule | None = None
    clock: int = 0
    made_until: str = ""
    # Occurrences before this slot were too many, and nothing is said about those that are there.
    since: str = ""

    @property
    def text(self) -> int:
        """How many characters it gives to the text index."""
        return sum(len(wanted.content.columns["search"]) for wanted in self.wanted.values())


class Maker:
    """Makes what is wanted of entries, and counts it."""

    def __init__(self, reader: Reader, today: date):
        self.reader = reader
        self.skipped = 0
        self._today = today
        self._events = 0
        self._text = 0

    def wanted(self, entry: Entry, *, edited: bool = False) -> Wanted:
        entry = whole_days(entry)
        assert entry.start is not None
        # A second of two equal times is written in UTC, and its zone then stands at the end alone.
        clock = self.reader.clock(entry, entry.end if entry.start.is_utc and entry.end and entry.end.zone else entry.start)
        content = self.reader.content(entry)
        self.count(1, content)
        return Wanted(content, self.reader.span(entry, clock), clock.is_named, edited)

    def alone(self, uid: str, entry: Entry, clock: Clock) -> Arrival:
        """An occurrence as an event of its own."""
        assert entry.occurrence is not None
        self.reader.tell(entry.line, "repeat", "no rule makes this occurrence; it is kept as an event of its own")
        slot = self.reader.day(entry, entry.occurrence, clock).isoformat()
        return Arrival(entry.line, f"{uid}/{slot}", {"": self.wanted(entry)})

    def count(self, events: int, content: Content) -> None:
        """Refuse what would take too long to write."""
        self._events += events
        self._text += events * len(content.columns["search"])
        if self._events > MOST_EVENTS:
            raise errors.invalid("file", f"makes more than {MOST_EVENTS:,} events, with all that repeats; import it in parts", "too_large")
        if self._text > MOST_TEXT:
            raise errors.invalid("file", "repeats so much text that it cannot be imported at once; import it in parts", "too_large")

    def horizon(self, start: date) -> date:
        """Up to when the occurrences of what goes on are made."""
        return months_later(max(start, self._today), AHEAD_MONTHS)

    @contextmanager
    def skipping(self, entry: Entry) -> Iterator[None]:
        """Leave the entry out, and tell why, if it cannot be followed."""
        try:
            yield
        except TooLong:
            self.skip(entry, "time_zone", "it was left out: the zones of this file take too long to follow")
        except OverflowError:
            self.skip(entry, "start_time", f"it was left out: {datetimes.YEARS}")
        except ValueError as error:
            self.skip(entry, "start_time", f"it was left out: {error}")

    def skip(self, entry: Entry, name: str, message: str) -> None:
        self.skipped += 1
        self.reader.tell(entry.line, name, message)
