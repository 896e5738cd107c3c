"""`python -m tests.security.timing [PAIRS]`: whether the time of a failed login tells a known user from an unknown one.

A real service with the real figures of Argon2. Each pair is a wrong password for a user that there is and one for a user that there
is not, in an order that chance chooses. Were there no difference, either would be the slower in half of the pairs."""

import random
import sys
import tempfile
import time
from http.client import HTTPConnection
from math import sqrt
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.progress import track

from tests.serve.running import Running, ask

PAIRS = 1_000
# So many standard deviations from one half happen by chance once in a thousand runs.
UNLIKELY = 3.29

Pair = tuple[float, float]


class Verdict(NamedTuple):
    """What the pairs say."""

    pairs: int
    known: float
    unknown: float
    slower: int
    deviations: float

    @property
    def is_even(self) -> bool:
        return abs(self.deviations) < UNLIKELY


def verdict(pairs: list[Pair]) -> Verdict:
    """A sign test over the pairs (known, unknown) that differ."""
    differing = [(known, unknown) for known, unknown in pairs if known != unknown]
    slower = sum(known > unknown for known, unknown in differing)
    deviations = (slower - len(differing) / 2) / sqrt(max(1, len(differing)) / 4)
    return Verdict(len(pairs), median(known for known, _ in pairs), median(unknown for _, unknown in pairs), slower, deviations)


def main() -> int:
    """Measure, and print a line for docs/security.md."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    with tempfile.TemporaryDirectory(prefix="kalends-timing-") as folder:
        service = Running(Path(folder), "--no-work", access_log="off", rate_limits="off").ready()
        try:
            found = verdict(_measured(service, count))
        finally:
            service.stop()
    print("| pairs | known user, median | unknown user, median | known slower in | standard deviations from half |")
    print("|---|---|---|---|---|")
    print(f"| {found.pairs:,} | {found.known * 1e3:.2f} ms | {found.unknown * 1e3:.2f} ms | {found.slower:,} | {found.deviations:+.2f} |")
    return 0 if found.is_even else 1


def _measured(service: Running, count: int) -> list[Pair]:
    names = [f"user-{number}" for number in range(10)]
    for name in names:
        service.sign_up(name)
    connection = service.connection()
    pairs = []
    for number in track(range(count), "Logging in"):
        users = [names[number % len(names)], f"none-{number % len(names)}"]
        order = random.sample((0, 1), 2)
        taken = {which: _seconds(connection, users[which]) for which in order}
        pairs.append((taken[0], taken[1]))
    connection.close()
    return pairs


def _seconds(connection: HTTPConnection, name: str) -> float:
    began = time.perf_counter()
    answer = ask(connection, "POST", "/api/session", {"user_name": name, "password": "not the password"})
    assert answer.status == 401, answer
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
