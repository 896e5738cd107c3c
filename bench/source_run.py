"""A run of a source in a process of its own, as the worker does it, and its processor time and memory: data, database, address, now."""

import json
import sys
import time
from contextlib import closing
from pathlib import Path

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.sources.steps.reader import read_address


def main() -> None:
    data, database, address, now = sys.argv[1:]
    settings = Settings(data=str(Path(data).absolute()), database=database, sources="any")
    with closing(open_database(settings)) as db:
        before, began = _peak(), time.process_time()
        assert read_address(db, settings, address, int(now)) == 1
        seconds = time.process_time() - began
    print(json.dumps({"seconds": seconds, "before": before, "peak": _peak()}))


def _peak() -> float:
    """The most memory that the process has had, in MiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
