"""An agenda: the days on which something is on, each with its list."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field

from kalends.calendar_view.days import Days
from kalends.calendar_view.entries import Entry


class Agenda(Struct):
    """One day with its events, what lasts all day before what has an hour."""

    day: date
    entries: list[Entry] = field(default_factory=list)


def agenda(shown: Days, entries: Sequence[Entry]) -> list[Agenda]:
    """Each event where it begins; what began before stands on the first day."""
    found: dict[date, Agenda] = {}
    for entry in sorted(entries, key=lambda entry: (max(entry.first, shown.first), not entry.is_bar)):
        day = max(entry.first, shown.first)
        found.setdefault(day, Agenda(day)).entries.append(entry)
    return list(found.values())
