"""Two Kalends servers on a cluster. `make cluster` starts them behind HAProxy, until Ctrl-C."""

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import psycopg

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.db.pgbouncer import NEEDED, OLDEST, started_pgbouncer, version
from tests.faults.cluster import PACKAGES, Cluster, missing_programs, started_cluster
from tests.faults.haproxy import started_haproxy, started_primary_proxy
from tests.serve.running import Running

SECRET = "the secret of all servers of the cluster"
ROLE = "kalends"
POOL_SIZE = 20


@contextmanager
def started_servers(cluster: Cluster, *, is_pooled: bool = False) -> Iterator[list[Running]]:
    """Servers that write to the primary, through PgBouncer if `is_pooled`, and read from the replicas; each has its data folder."""
    with tempfile.TemporaryDirectory(prefix="kalends-servers-") as name, ExitStack() as running:
        settings: dict[str, Any] = {"database": cluster.url, "replicas": cluster.url, "secret": SECRET}
        settings |= {"rate_limits": "off", "access_log": "off", "drain": 3}
        if is_pooled:
            settings |= {"database": running.enter_context(_started_pooler(cluster)), "pooler": "on"}
        servers = []
        for number in range(2):
            folder = Path(name) / str(number)
            folder.mkdir()
            server = Running(folder, "--no-work", **settings)
            running.callback(server.stop)
            servers.append(server.ready())
        yield servers


@contextmanager
def _started_pooler(cluster: Cluster) -> Iterator[str]:
    """PgBouncer before HAProxy, which finds the primary; yields the address of the database through both."""
    with psycopg.connect(cluster.primary_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {ROLE} SUPERUSER LOGIN".encode())
        with closing(open_database(Settings(database=cluster.url.replace("postgres@", f"{ROLE}@"), pooler="on"))) as db:
            for statement in db.find_missing_settings():
                connection.execute(statement.encode())
    with (
        started_primary_proxy(cluster.nodes) as port,
        started_pgbouncer("127.0.0.1", port, ROLE, "postgres", connections=POOL_SIZE, system_user="postgres") as url,
    ):
        yield url


@click.command()
@click.option("--pooler", is_flag=True, help="Write through PgBouncer.")
def main(pooler: bool) -> None:
    """Run the cluster until Ctrl-C."""
    if missing := missing_programs():
        sys.exit(f"Not installed: {', '.join(missing)} (Debian: sudo apt-get install {PACKAGES}).")
    if pooler and version() < OLDEST:
        sys.exit(f"Not installed: {NEEDED}.")
    with (
        started_cluster() as cluster,
        started_servers(cluster, is_pooled=pooler) as servers,
        started_haproxy([server.port for server in servers]) as port,
    ):
        print(f"Kalends behind HAProxy: http://127.0.0.1:{port}")
        print(f"Kalends itself:         {', '.join(f'http://127.0.0.1:{server.port}' for server in servers)}")
        print(f"PostgreSQL:             {cluster.url}{', written through PgBouncer' if pooler else ''}")
        for member in cluster.members().values():
            print(f"  {member['name']} {member['role']}, its folder {cluster.nodes[0].folder.parent / member['name']}")
        print("Stop with Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
