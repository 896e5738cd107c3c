"""The week view: columns of hours, with overlapping events side by side."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from kalends.calendar_view import days
from kalends.calendar_view.days import ONE_DAY, Days
from kalends.calendar_view.entries import Entry, Piece

# The hours that are always shown; others only if they have events.
FIRST_HOUR, LAST_HOUR = 7, 21
QUARTERS = 96
# In quarters of an hour: a shorter block could not be read or clicked.
MIN_QUARTERS = 2
# Columns of a day that overlapping events share: divisible by two, three, four and six.
COLUMNS = 12
# With more than these at once, the last lane shows the number of the others.
MAX_LANES = 6

_QUARTER = timedelta(minutes=15)


class Block(Struct, frozen=True):
    """An event between two quarters of a day, and its columns."""

    entry: Entry
    start: int
    end: int
    column: int = 0
    width: int = COLUMNS

    def piece(self, day: date, first_hour: int) -> Piece:
        """The block with its position among the hours that are shown."""
        place = _place(self.start - 4 * first_hour, self.end - self.start, self.column, self.width)
        return Piece(self.entry, "" if self.entry.first == day else " goes-on", place)


class Overflow(Struct, frozen=True):
    """The number of events without a lane between two quarters of a day."""

    count: int
    start: int
    end: int

    def place(self, first_hour: int) -> str:
        return _place(self.start - 4 * first_hour, self.end - self.start, COLUMNS - COLUMNS // MAX_LANES, COLUMNS // MAX_LANES)


class Column(Struct, frozen=True):
    """One day: its bars, its blocks, the counts of events without a lane, and the position of the current time."""

    day: date
    bars: list[Piece]
    blocks: list[Piece]
    more: list[tuple[int, str]]
    now: str = ""


class Week(Struct, frozen=True):
    """The days, and the hours between which they are shown."""

    columns: list[Column]
    first_hour: int
    last_hour: int


def week(period: Days, entries: Sequence[Entry], now: datetime | None = None) -> Week:
    """A column for each day, with the hours that their events need."""
    blocks = {day: _blocks(day, entries) for day in days.date_range(period.first, period.last)}
    first_hour = min([FIRST_HOUR, *(block.start // 4 for some, _ in blocks.values() for block in some)])
    ends = [each.end for some, _ in blocks.values() for each in some] + [each.end for _, more in blocks.values() for each in more]
    last_hour = max([LAST_HOUR, *(-(-end // 4) for end in ends)])
    columns = [
        Column(
            day,
            _bars(day, entries),
            [block.piece(day, first_hour) for block in some],
            [(each.count, each.place(first_hour)) for each in more],
            _now(now, first_hour, last_hour) if now and now.date() == day else "",
        )
        for day, (some, more) in blocks.items()
    ]
    return Week(columns, first_hour, last_hour)


def _now(now: datetime, first_hour: int, last_hour: int) -> str:
    quarter = 4 * now.hour + now.minute // 15
    return _place(quarter - 4 * first_hour, 1, 0, COLUMNS) if first_hour <= now.hour < last_hour else ""


def _place(quarter: int, quarters: int, column: int, width: int) -> str:
    """The CSS classes of a position: hour and quarter, duration, and columns."""
    return f"h{quarter // 4} q{quarter % 4} n{quarters // 4} m{quarters % 4} c{column} w{width}"


def _bars(day: date, entries: Sequence[Entry]) -> list[Piece]:
    return [Piece(entry) for entry in entries if entry.is_bar and entry.first <= day <= entry.last]


def _blocks(day: date, entries: Sequence[Entry]) -> tuple[list[Block], list[Overflow]]:
    blocks = [block for entry in entries if not entry.is_bar and (block := _block(day, entry))]
    return _side_by_side(sorted(blocks, key=lambda block: (block.start, -block.end)))


def _block(day: date, entry: Entry) -> Block | None:
    """The part of the event in this day, or None. An event that began the evening before continues in the next column."""
    if not entry.first <= day <= entry.first + ONE_DAY or (start := entry.start) is None:
        return None
    midnight = datetime.combine(day, time(), start.tzinfo)
    end = entry.end or start
    if day != entry.first and end <= midnight:
        return None
    first = min(max(0, (start - midnight) // _QUARTER), QUARTERS - MIN_QUARTERS)
    last = min(QUARTERS, -((midnight - end) // _QUARTER))
    return Block(entry, first, max(last, first + MIN_QUARTERS))


def _side_by_side(blocks: list[Block]) -> tuple[list[Block], list[Overflow]]:
    """Divide the columns among overlapping blocks, up to MAX_LANES."""
    placed: list[Block] = []
    more: list[Overflow] = []
    for lanes in _clusters(blocks):
        if len(lanes) > MAX_LANES:
            hidden = [block for lane in lanes[MAX_LANES - 1 :] for block in lane]
            more.append(Overflow(len(hidden), min(block.start for block in hidden), max(block.end for block in hidden)))
            lanes = [*lanes[: MAX_LANES - 1], []]
        placed += _with_columns(lanes)
    return placed, more


def _clusters(blocks: list[Block]) -> Iterator[list[list[Block]]]:
    """Groups of overlapping blocks, each in lanes."""
    lanes: list[list[Block]] = []
    for block in blocks:
        if lanes and block.start >= max(lane[-1].end for lane in lanes):
            yield lanes
            lanes = []
        free = next((lane for lane in lanes if lane[-1].end <= block.start), None)
        if free is None:
            lanes.append([block])
        else:
            free.append(block)
    if lanes:
        yield lanes


def _with_columns(lanes: list[list[Block]]) -> list[Block]:
    """The blocks of each lane with the columns of that lane."""
    width = next(COLUMNS // n for n in (1, 2, 3, 4, 6) if n >= len(lanes))
    blocks = [Block(block.entry, block.start, block.end, i * width, width) for i, lane in enumerate(lanes) for block in lane]
    return sorted(blocks, key=lambda block: (block.start, block.column))
