"""Injects every fault, or those that are named: `python -m tests.faults --quick kills full`."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

import click

from bench.report import Report
from tests.db import pgbouncer
from tests.deliveries.killed_worker import STEPS
from tests.faults import (
    backup,
    deliveries,
    failover,
    flood,
    full,
    kills,
    mail_faults,
    replicas,
    restart,
    seats,
    silence,
    slow,
    upgrade,
    upserts,
    worker,
)
from tests.faults.cluster import PACKAGES, Cluster, missing_programs, started_cluster, versions
from tests.faults.failover import Fault
from tests.faults.postgres import Postgres
from tests.faults.row import Row, tables
from tests.faults.servers import started_servers
from tests.serve.running import Running

RESULTS = Path(__file__).parent / "results"
# How many services are killed side by side.
LANES = 4

Step = Callable[[], object]


class NotInstalled(Exception):
    """A fault needs programs that are not there."""


class Faults:
    """Each fault by its name, in its long or short form."""

    def __init__(self, folder: Path, postgres: Postgres, quick: bool, minutes: float, rounds: int | None):
        self._folder = folder
        self._postgres = postgres
        self._quick = quick
        self._seconds = 60 * minutes
        self._rounds = rounds

    def kills(self) -> list[Row]:
        with _bar("kills, SQLite", number := self._count(1_000, 5)) as step:
            inside = kills.show([(self._new_folder(), "") for _ in range(LANES)], number, step, self._seconds)
        with _bar("kills, PostgreSQL", number := self._count(100, 3)) as step:
            return [inside, kills.show([(self._new_folder(), self._postgres.new()) for _ in range(LANES)], number, step, self._seconds)]

    def restart(self) -> list[Row]:
        with _bar("restarts", number := self._count(20, 2)) as step:
            return [restart.show(self._new_folder(), self._postgres, number, step)]

    def full(self) -> list[Row]:
        with _bar("full disks, SQLite", number := self._count(5, 1)) as step:
            inside = full.show(self._new_folder(), None, number, step)
        with _bar("full disks, PostgreSQL", number) as step:
            return [inside, full.show(self._new_folder(), self._postgres, number, step)]

    def upserts(self) -> list[Row]:
        each = self._count(200, 10)
        return [upserts.show(self._new_folder(), database, each) for database in ("", self._postgres.new())]

    def seats(self) -> list[Row]:
        rows = []
        for database in ("", self._postgres.new()):
            with _bar("kills amid a waiting list", (number := self._count(50, 2)) + 1) as step:
                rows.append(seats.show(self._new_folder(), database, number, step))
        return rows

    def deliveries(self) -> list[Row]:
        messages, number = self._count(1_000, 200), self._count(20, 4)
        rows = []
        for database in ("", self._postgres.new()):
            with _bar("workers killed", number) as step:
                rows.append(deliveries.show(self._new_folder(), database, messages, number, step))
        return rows

    def worker(self) -> list[Row]:
        rows = []
        for database in ("", self._postgres.new()):
            with _bar("kills of the worker", (rounds := self._count(5, 1)) * len(STEPS)) as step:
                rows.append(worker.show(self._new_folder(), database, rounds, step))
        return rows

    def mail_faults(self) -> list[Row]:
        return [mail_faults.show(self._new_folder(), database, self._count(1_000, 100)) for database in ("", self._postgres.new())]

    def backup(self) -> list[Row]:
        number = self._count(10, 2)
        rows = []
        for database in ("", self._postgres.new()):
            with _bar("backups", number) as step:
                rows.append(backup.show(self._new_folder(), database, number, step))
        return rows

    def silence(self) -> list[Row]:
        return [silence.show(self._new_folder(), self._postgres, self._count(3, 1), self._count(45, 12))]

    def failover(self) -> list[Row]:
        if missing := missing_programs():
            raise NotInstalled(f"not installed: {', '.join(missing)} (Debian: {PACKAGES})")
        with started_cluster() as cluster:
            pooled: list[Row] = []
            if pgbouncer.version() < pgbouncer.OLDEST:
                print(f"failover through PgBouncer is left out: it needs {pgbouncer.NEEDED}", file=sys.stderr)
            else:
                database = f"{versions()}, PgBouncer {'.'.join(map(str, pgbouncer.version()))}"
                with started_servers(cluster, is_pooled=True) as servers:
                    pooled = [self._fail_over(cluster, database, servers, fault) for fault in failover.POOLED_FAULTS]
            with started_servers(cluster) as servers:
                return [*(self._fail_over(cluster, versions(), servers, fault) for fault in failover.FAULTS), *pooled]

    def replicas(self) -> list[Row]:
        with _bar("hanging replicas", hangs := self._count(10, 2)) as step:
            return replicas.show(self._new_folder(), self._count(10_000, 400), hangs, step)

    def upgrade(self) -> list[Row]:
        if "haproxy" in missing_programs():
            raise NotInstalled("not installed: haproxy")
        return [upgrade.show(self._new_folder(), self._postgres, self._count(1_000_000, 20_000))]

    def flood(self) -> list[Row]:
        return flood.show(self._new_folder(), self._count(10, 3))

    def slow(self) -> list[Row]:
        with _bar("rounds of slow clients", number := self._count(5, 1)) as step:
            return [slow.show(self._new_folder(), 1_000, number, self._count(5, 2), step)]

    def _fail_over(self, cluster: Cluster, database: str, servers: list[Running], fault: Fault) -> Row:
        rounds = self._rounds or self._count(5, 1)
        with _bar(fault.name, rounds) as step:
            return failover.show(cluster, database, servers, fault, rounds, step)

    def _count(self, long: int, short: int) -> int:
        return short if self._quick else long

    def _new_folder(self) -> Path:
        """A new folder, which PostgreSQL can enter under its own user."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        folder.chmod(0o755)
        return folder


NAMES = [name for name in vars(Faults) if not name.startswith("_")]


@contextmanager
def _bar(label: str, length: int) -> Iterator[Step]:
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield lambda: bar.update(1)


@click.command()
@click.option("--quick", is_flag=True, help="Few of each, in a minute or two; the tables are only printed.")
@click.option("--minutes", default=inf, help="Kill for no longer than this on each database.")
@click.option("--rounds", type=click.IntRange(min=1), help="How often each fault of a cluster is made. Default: 5, quick: 1")
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
def main(names: tuple[str, ...], quick: bool, minutes: float, rounds: int | None) -> None:
    """Inject the faults and write the results."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="kalends-faults-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        report = Report(Path(folder) / "results" if quick else RESULTS)
        postgres = Postgres(Path(folder) / "postgres")
        try:
            faults = Faults(Path(folder), postgres, quick, minutes, rounds)
            for name in names or NAMES:
                try:
                    results = getattr(faults, name)()
                except (full.CannotMount, NotInstalled) as error:
                    print(f"{name} is left out: {error}", file=sys.stderr)
                    continue
                report.write(name, name.capitalize().replace("_", " "), tables(results))
                rows += results
        finally:
            postgres.close()
    sys.exit(0 if all(row.is_met for row in rows) else "Not every goal was met.")


if __name__ == "__main__":
    main()
