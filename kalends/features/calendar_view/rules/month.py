"""The month view: weeks of seven days, with events in lanes, so that one that lasts for days is one bar."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field

from kalends.features.calendar_view.model import Entry, Piece
from kalends.features.calendar_view.rules import days
from kalends.features.calendar_view.rules.days import Days

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
    cells = [Cell(day) for day in days.date_range(month.first, month.last)]
    for entry in bars:
        first, last = (max(entry.first, month.first) - month.first).days, (min(entry.last, month.last) - month.first).days
        for start in range(first - first % 7, last + 1, 7):
            place(entry, cells[max(first, start) : min(last + 1, start + 7)], MAX_LANES)
    return [cells[i : i + 7] for i in range(0, len(cells), 7)]


def find_placed(grid: list[list[Cell]]) -> list[Entry]:
    """The bars that have a lane."""
    return [piece.entry for week in grid for cell in week for piece in cell.lanes if isinstance(piece, Piece)]


def place(entry: Entry, run: list[Cell], lanes: int) -> None:
    """Put the event into the first lane that is free on all these days of a week, if there is one."""
    for cell in run:
        cell.count += 1
    # With hundreds of events, most days are full.
    if len(run[0].lanes) == lanes and None not in run[0].lanes:
        return
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


class MiniMonth(Struct, frozen=True):
    """A month, the days that have events, and the view to which its days lead."""

    days: Days
    marked: set[date]
    view: str
