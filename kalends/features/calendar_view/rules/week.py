"""The week view: columns of hours, with overlapping events side by side."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from kalends.features.calendar_view.model import Entry, Piece
from kalends.features.calendar_view.rules import days
from kalends.features.calendar_view.rules.days import ONE_DAY, Days
from kalends.features.calendar_view.rules.month import Cell, place

QUARTERS = 96
# In quarters of an hour: a shorter block could not be read or clicked.
MIN_QUARTERS = 2
# Columns of a day that overlapping events share: divisible by two, three, four and six.
COLUMNS = 12
# With more than these at once, the last lane shows the number of the others: a narrower block could not be clicked.
WEEK_LANES, DAY_LANES = 4, 12
# How many bars a day has above its hours.
MAX_BARS = 4

_QUARTER = timedelta(minutes=15)


class Block(Struct, frozen=True):
    """An event between two quarters of a day, and its columns."""

    entry: Entry
    start: int
    end: int
    column: int = 0
    width: int = COLUMNS

    def piece(self, day: date) -> Piece:
        """The block with its position. What goes on after midnight says on which day it began."""
        position = _position(self.start, self.end - self.start, self.column, self.width)
        return Piece(self.entry, "" if self.entry.first == day else " goes-on", position)


class Overflow(Struct, frozen=True):
    """The number of events without a lane between two quarters of a day, and the width of that lane in columns."""

    count: int
    start: int
    end: int
    width: int

    @property
    def position(self) -> str:
        return _position(self.start, self.end - self.start, COLUMNS - self.width, self.width)


class Column(Struct, frozen=True):
    """One day: its bars above the hours, its blocks, the counts of events without a lane, and the position of the current time."""

    day: date
    bars: Cell
    blocks: list[Piece]
    overflows: list[Overflow]
    now: str = ""


def columns(period: Days, entries: Sequence[Entry], now: datetime | None = None) -> list[Column]:
    """A column for each day of a week, or for one day."""
    cells = {day: Cell(day) for day in days.date_range(period.first, period.last)}
    for entry in entries:
        if entry.is_bar:
            run = days.date_range(max(entry.first, period.first), min(entry.last, period.last))
            place(entry, [cells[day] for day in run], MAX_BARS)
    lanes = WEEK_LANES if len(cells) > 1 else DAY_LANES
    return [_column(cell, entries, lanes, now) for cell in cells.values()]


def shown(parts: Sequence[Column]) -> list[Entry]:
    """The events that have a lane or a block, in each of their days."""
    return [piece.entry for column in parts for piece in (*column.bars.lanes, *column.blocks) if isinstance(piece, Piece)]


def _column(cell: Cell, entries: Sequence[Entry], lanes: int, now: datetime | None) -> Column:
    blocks, overflows = arrange(cell.day, entries, lanes)
    is_today = now is not None and now.date() == cell.day
    return Column(cell.day, cell, [block.piece(cell.day) for block in blocks], overflows, _now(now) if now and is_today else "")


def _now(now: datetime) -> str:
    return _position(4 * now.hour + now.minute // 15, 1, 0, COLUMNS)


def _position(quarter: int, quarters: int, column: int, width: int) -> str:
    """The CSS classes of a position: hour and quarter, duration, and columns."""
    return f"h{quarter // 4} q{quarter % 4} n{quarters // 4} m{quarters % 4} c{column} w{width}"


def arrange(day: date, entries: Sequence[Entry], lanes: int) -> tuple[list[Block], list[Overflow]]:
    """The events of a day side by side in at most this number of lanes, and the counts of the others."""
    blocks = [block for entry in entries if not entry.is_bar and (block := _block(day, entry))]
    return _side_by_side(sorted(blocks, key=lambda block: (block.start, -block.end)), lanes)


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


def _side_by_side(blocks: list[Block], most: int) -> tuple[list[Block], list[Overflow]]:
    """Divide the columns among overlapping blocks; the last of the lanes is for the number of those that have none."""
    placed: list[Block] = []
    overflows: list[Overflow] = []
    for lanes in _clusters(blocks):
        if len(lanes) > most:
            hidden = [block for lane in lanes[most - 1 :] for block in lane]
            first, last = min(block.start for block in hidden), max(block.end for block in hidden)
            overflows.append(Overflow(len(hidden), first, last, COLUMNS // most))
            lanes = [*lanes[: most - 1], []]
        placed += _with_columns(lanes)
    return placed, overflows


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
    width = next(COLUMNS // n for n in (1, 2, 3, 4, 6, 12) if n >= len(lanes))
    blocks = [Block(block.entry, block.start, block.end, i * width, width) for i, lane in enumerate(lanes) for block in lane]
    return sorted(blocks, key=lambda block: (block.start, block.column))
