"""The result of a fault, as a row of a table."""

from collections.abc import Sequence
from statistics import median

from msgspec import Struct

from bench.report import table

HEAD = ["fault", "database", "what happened", "goal", "met"]
ROUND_HEAD = ["fault", "round", "acknowledged", "lost", "twice", "503", "other errors", "seconds without a write", "goal", "met"]


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
    # The cells of each round, under ROUND_HEAD.
    rounds: Sequence[list[str]] = ()

    @property
    def is_met(self) -> bool:
        return self.is_sound and self.is_in_time

    @property
    def cells(self) -> list[str]:
        return [self.fault, self.database, self.figures, self.goal, "yes" if self.is_met else "NO"]


def tables(rows: Sequence[Row]) -> list[str]:
    """One row for each fault, and one for each round of those that have several."""
    parts = [table(HEAD, [row.cells for row in rows]).replace("---:", "---")]
    rounds = [cells for row in rows for cells in row.rounds]
    return [*parts, table(ROUND_HEAD, rounds)] if rounds else parts


def kind(database: str) -> str:
    """The name of the database that the setting selects."""
    return "PostgreSQL" if database else "SQLite"


def spread(seconds: Sequence[float]) -> str:
    """The median and the maximum."""
    return f"median {median(seconds):.2f} s, at most {max(seconds):.2f} s" if seconds else "never"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
