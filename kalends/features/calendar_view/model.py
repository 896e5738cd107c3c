"""The events of a calendar as its views show them."""

from datetime import date, datetime

from msgspec import Struct

from kalends.core.i18n.locale import ENGLISH
from kalends.core.values import datetimes

# An event with a time on one day of a month, of which no more is shown: its start, id, title, status, whether the reader may edit it, and
# the calendar on which it was found, if any.
Timed = tuple[int, int, str, str, int | None, int | None]
# The layer of what the reader goes to and is invited to, which stands among the calendars: its id, which no calendar has, and its colour.
MINE = 0
MINE_COLOR = "#7a3fa0"
# The layer of the birthdays of the reader's contacts. The ids of its entries are those of the contacts, and negative.
BIRTHDAYS = -1
# What the reader has answered, and for how many people.
Answer = tuple[str, int]
NO_ANSWER: Answer = ("", 0)
# The colour of an event whose calendars the reader cannot see.
GREY = "#7a7a7a"


class Entry(Struct, gc=False):
    """An event with its days in the reader's time zone: `search` adds them to what the database has. `mark` adds the clock time of its
    start, and the colour and name of its calendar.

    calendar_id: the calendar on which it was found, if any.
    is_bar: it is shown above the hours, because it takes whole days or more than one."""

    start_at: int
    id: int
    title: str
    end_at: int | None
    all_day: int
    time_zone: str
    location: str | None
    status: str
    can_edit: int | None
    calendar_id: int | None
    zone: str = "UTC"
    first: date = date.min
    last: date = date.min
    is_bar: bool = False
    clock: str = ""
    color: str = GREY
    calendar: str = ""
    answer: Answer = NO_ANSWER

    @property
    def start(self) -> datetime | None:
        """The start in the reader's time zone; None for an all-day event."""
        return None if self.all_day else datetimes.to_local(self.start_at, self.zone)

    @property
    def end(self) -> datetime | None:
        return None if self.all_day or self.end_at is None else datetimes.to_local(self.end_at, self.zone)

    @property
    def own_clock(self) -> str:
        """The clock time of the start in the event's own time zone, if that differs from the reader's."""
        if self.all_day or self.time_zone == self.zone:
            return ""
        own, local = (datetimes.to_local(self.start_at, zone) for zone in (self.time_zone, self.zone))
        return ENGLISH.formats.clock(own) if own.utcoffset() != local.utcoffset() else ""


class Piece(Struct, frozen=True, gc=False):
    """The part of an event in one day: the CSS classes of its shape and of its position among the hours."""

    entry: Entry
    shape: str = ""
    position: str = ""
