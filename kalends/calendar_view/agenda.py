"""The agenda view: the days that have events, each with its list."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field

from kalends.calendar_view.days import Days
from kalends.calendar_view.entries import Entry


class Agenda(Struct):
    """One day with its events: all-day ones first, then those with a time."""

    day: date
    entries: list[Entry] = field(default_factory=list)


def agenda(days: Days, entries: Sequence[Entry]) -> list[Agenda]:
    """Each event on the day on which it begins; one that began earlier is on the first day."""
    by_day: dict[date, Agenda] = {}
    for entry in sorted(entries, key=lambda entry: (max(entry.first, days.first), not entry.is_bar)):
        day = max(entry.first, days.first)
        by_day.setdefault(day, Agenda(day)).entries.append(entry)
    return list(by_day.values())
