"""A month as a grid: weeks of seven days, each with its events in lanes, so that what lasts runs through its days as one bar."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct, field

from kalends.calendar_view import days
from kalends.calendar_view.days import ONE, Days
from kalends.calendar_view.entries import Entry, Piece

LANES = 4


class Cell(Struct):
    """One day: what is in its lanes, and how many events it has in all."""

    day: date
    lanes: list[Piece | None] = field(default_factory=list)
    count: int = 0

    @property
    def more(self) -> int:
        """How many events found no lane."""
        return self.count - len(self.lanes) + self.lanes.count(None)


def weeks(shown: Days, entries: Sequence[Entry]) -> list[list[Cell]]:
    """The grid, with what lasts above what has an hour."""
    cells = {day: Cell(day) for day in days.each(shown.first, shown.last)}
    for entry in sorted(entries, key=lambda entry: not entry.is_bar):
        for run in _runs(max(entry.first, shown.first), min(entry.last, shown.last)):
            _place(entry, [cells[day] for day in run])
    found = list(cells.values())
    return [found[i : i + 7] for i in range(0, len(found), 7)]


def placed(grid: list[list[Cell]]) -> list[Entry]:
    """The events that found a lane."""
    return [piece.entry for week in grid for cell in week for piece in cell.lanes if piece]


def _runs(first: date, last: date) -> Iterator[list[date]]:
    """The days from first to last, week by week."""
    while first < last:
        sunday = min(days.monday(first) + 6 * ONE, last)
        yield days.each(first, sunday)
        first = sunday + ONE
    if first == last:
        yield [first]


def _place(entry: Entry, run: list[Cell]) -> None:
    """Put the event into the first lane that is free on all these days of a week, if there is one."""
    for cell in run:
        cell.count += 1
    taken = {i for cell in run for i, piece in enumerate(cell.lanes) if piece}
    if len(taken) == LANES:
        return
    lane = next(i for i in range(LANES) if i not in taken)
    for cell in run:
        cell.lanes += [None] * (lane + 1 - len(cell.lanes))
        cell.lanes[lane] = Piece(entry, _shape(entry, cell.day) + ("" if cell is run[0] else " unnamed"))


def _shape(entry: Entry, day: date) -> str:
    """Whether it comes from the day before, and goes on to the next: so the days that it lasts make one bar."""
    return f"{'' if day == entry.first else ' goes-on'}{'' if day == entry.last else ' stays'}"
