"""The month view: weeks of seven days, with events in lanes, so that one that lasts for days is one bar."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct, field

from kalends.calendar_view import days
from kalends.calendar_view.days import ONE_DAY, Days
from kalends.calendar_view.entries import Entry, Piece

MAX_LANES = 4


class Cell(Struct):
    """One day: the events in its lanes, and the number of all its events."""

    day: date
    lanes: list[Piece | str | None] = field(default_factory=list)
    count: int = 0

    def add(self, items: Sequence[str], count: int) -> None:
        """Put events of this day alone, which are HTML already, into the free lanes: the first of `count` ones."""
        self.count += count
        if not self.lanes:
            self.lanes = list(items)
            return
        for item in items:
            if None in self.lanes:
                self.lanes[self.lanes.index(None)] = item
            else:
                self.lanes.append(item)

    @property
    def room(self) -> int:
        """The number of free lanes."""
        return MAX_LANES - len(self.lanes) + self.lanes.count(None)

    @property
    def more(self) -> int:
        """The number of events without a lane."""
        return self.count - MAX_LANES + self.room


def weeks(month: Days, bars: Sequence[Entry]) -> list[list[Cell]]:
    """The grid with the bars, which are above the events that have a time."""
    cells = {day: Cell(day) for day in days.date_range(month.first, month.last)}
    for entry in bars:
        for run in _runs(max(entry.first, month.first), min(entry.last, month.last), month.first.weekday()):
            place(entry, [cells[day] for day in run], MAX_LANES)
    row = list(cells.values())
    return [row[i : i + 7] for i in range(0, len(row), 7)]


def placed(grid: list[list[Cell]]) -> list[Entry]:
    """The bars that have a lane."""
    return [piece.entry for week in grid for cell in week for piece in cell.lanes if isinstance(piece, Piece)]


def _runs(first: date, last: date, first_weekday: int) -> Iterator[list[date]]:
    """The days from first to last, week by week."""
    while first < last:
        end = min(days.begin_week(first, first_weekday) + 6 * ONE_DAY, last)
        yield days.date_range(first, end)
        first = end + ONE_DAY
    if first == last:
        yield [first]


def place(entry: Entry, run: list[Cell], lanes: int) -> None:
    """Put the event into the first lane that is free on all these days of a week, if there is one."""
    for cell in run:
        cell.count += 1
    taken = {i for cell in run for i, piece in enumerate(cell.lanes) if piece}
    if len(taken) == lanes:
        return
    lane = next(i for i in range(lanes) if i not in taken)
    for cell in run:
        cell.lanes += [None] * (lane + 1 - len(cell.lanes))
        cell.lanes[lane] = Piece(entry, _shape(entry, cell, run))


def _shape(entry: Entry, cell: Cell, run: list[Cell]) -> str:
    """The CSS classes that join the days of an event to one bar: it comes from the day before, or goes on to the next; its name is on
    the first of these days, and has room on all of them."""
    joins = f"{'' if cell.day == entry.first else ' goes-on'}{'' if cell.day == entry.last else ' stays'}"
    if cell is not run[0]:
        return f"{joins} unnamed"
    return f"{joins} s{len(run)}" if len(run) > 1 else joins
