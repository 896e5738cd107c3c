"""How long one transaction may hold SQLite's only writer, in processor time, so that other work on the machine does not count."""

import os

SECONDS = 0.5
# While twice as much wants to run as there are cores, caches are cold, and processor time is half as long again.
BUSY_SECONDS = 0.75
# Even so not each time.
ATTEMPTS = 3


def max_seconds() -> float:
    """What is allowed on the machine as busy as it is now."""
    return BUSY_SECONDS if os.getloadavg()[0] > 2 * len(os.sched_getaffinity(0)) else SECONDS
