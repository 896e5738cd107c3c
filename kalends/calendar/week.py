"""A week as columns of hours: what has an hour stands where it is on the clock, and what overlaps stands side by side."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from kalends.calendar import days
from kalends.calendar.days import ONE, Days
from kalends.calendar.entries import Entry, Piece

# The hours that are always there; others appear when something is on.
FROM, UNTIL = 7, 21
QUARTERS = 96
# Half an hour is the least that can be read and hit.
LEAST = 2
# Columns of a day, that events share: as many as can be divided among two, three, four or six.
COLUMNS = 12

_QUARTER = timedelta(minutes=15)


class Block(Struct, frozen=True):
    """An event between two quarters of a day, and the columns that it has there."""

    entry: Entry
    start: int
    end: int
    column: int = 0
    width: int = COLUMNS

    def piece(self, day: date, first_hour: int) -> Piece:
        """As it stands among the hours that are shown."""
        hour, quarter = divmod(self.start, 4)
        hours, quarters = divmod(self.end - self.start, 4)
        place = f"h{hour - first_hour} q{quarter} n{hours} m{quarters} c{self.column} w{self.width}"
        return Piece(self.entry, "" if self.entry.first == day else " goes-on", place)


class Column(Struct, frozen=True):
    """One day: what lasts all day, and what has an hour."""

    day: date
    bars: list[Piece]
    blocks: list[Piece]


class Week(Struct, frozen=True):
    """The days, and the hours between which they are shown."""

    columns: list[Column]
    first_hour: int
    last_hour: int


def week(shown: Days, entries: Sequence[Entry]) -> Week:
    """Seven columns, with the hours that they need."""
    blocks = {day: _blocks(day, entries) for day in days.each(shown.first, shown.last)}
    first_hour = min([FROM, *(block.start // 4 for some in blocks.values() for block in some)])
    last_hour = max([UNTIL, *(-(-block.end // 4) for some in blocks.values() for block in some)])
    columns = [Column(day, _bars(day, entries), [block.piece(day, first_hour) for block in some]) for day, some in blocks.items()]
    return Week(columns, first_hour, last_hour)


def _bars(day: date, entries: Sequence[Entry]) -> list[Piece]:
    return [Piece(entry) for entry in entries if entry.is_bar and entry.first <= day <= entry.last]


def _blocks(day: date, entries: Sequence[Entry]) -> list[Block]:
    found = [block for entry in entries if not entry.is_bar and (block := _block(day, entry))]
    return _side_by_side(sorted(found, key=lambda block: (block.start, -block.end)))


def _block(day: date, entry: Entry) -> Block | None:
    """What the day has of the event, or None. What began the evening before goes on in the next column."""
    if not entry.first <= day <= entry.first + ONE or (start := entry.start) is None:
        return None
    midnight = datetime.combine(day, time(), start.tzinfo)
    end = entry.end or start
    if day != entry.first and end <= midnight:
        return None
    first = min(max(0, (start - midnight) // _QUARTER), QUARTERS - LEAST)
    last = min(QUARTERS, -((midnight - end) // _QUARTER))
    return Block(entry, first, max(last, first + LEAST))


def _side_by_side(blocks: list[Block]) -> list[Block]:
    """Share the columns among those that overlap."""
    placed: list[Block] = []
    lanes: list[list[Block]] = []
    for block in blocks:
        if lanes and block.start >= max(lane[-1].end for lane in lanes):
            placed += _shared(lanes)
            lanes = []
        free = next((lane for lane in lanes if lane[-1].end <= block.start), None)
        if free is None:
            lanes.append([block])
        else:
            free.append(block)
    return placed + _shared(lanes)


def _shared(lanes: list[list[Block]]) -> list[Block]:
    """The blocks of each lane with its columns; when there are too many lanes, the last ones lie upon each other."""
    width = max(1, next((COLUMNS // n for n in (1, 2, 3, 4, 6) if n >= len(lanes)), 1))
    found = [
        Block(block.entry, block.start, block.end, min(i * width, COLUMNS - width), width) for i, lane in enumerate(lanes) for block in lane
    ]
    return sorted(found, key=lambda block: (block.start, block.column))
