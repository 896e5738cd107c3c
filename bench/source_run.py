"""Runs of a source in a process of its own, as the worker does them: data, database, process id of PostgreSQL (0: none).

Reads the time of each run as a line, and prints the processor time that it took, and the most memory that the process has had."""

import json
import os
import sys
from contextlib import closing
from pathlib import Path

from bench.servers import processor_time
from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.features.sources.steps.claim import claim_due
from kalends.features.sources.steps.reader import read_sources
from kalends.http.context import Context


def main() -> None:
    data, database, postgres_pid = sys.argv[1:]
    settings = Settings(data=str(Path(data).absolute()), database=database, sources="any")
    pids = [os.getpid(), *([int(postgres_pid)] if int(postgres_pid) else [])]
    with closing(open_database(settings)) as db:
        for line in sys.stdin:
            began = processor_time(pids)
            (sources,) = claim_due(Context(db, settings, int(line)), 1)
            read_sources(db, settings, sources, int(line))
            seconds = (processor_time(pids) - began) / 1000
            print(json.dumps({"seconds": seconds, "peak": _peak()}), flush=True)


def _peak() -> float:
    """The most memory that the process has had, in MiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
