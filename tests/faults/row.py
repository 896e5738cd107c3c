"""The result of a fault, as a row of a table."""

from collections.abc import Sequence
from statistics import median

from msgspec import Struct

HEAD = ["fault", "database", "what happened", "goal", "met"]


class Row(Struct, frozen=True):
    """One fault on one database: the figures, and whether the goal was met.

    `is_sound` must hold on any machine, `is_in_time` may fail on a busy one.
    """

    fault: str
    database: str
    figures: str
    goal: str
    is_sound: bool
    is_in_time: bool = True

    @property
    def is_met(self) -> bool:
        return self.is_sound and self.is_in_time

    @property
    def cells(self) -> list[str]:
        return [self.fault, self.database, self.figures, self.goal, "yes" if self.is_met else "NO"]


def kind(database: str) -> str:
    """The name of the database that the setting selects."""
    return "PostgreSQL" if database else "SQLite"


def spread(seconds: Sequence[float]) -> str:
    """The median and the maximum."""
    return f"median {median(seconds):.2f} s, at most {max(seconds):.2f} s" if seconds else "never"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
