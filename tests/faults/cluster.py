"""A PostgreSQL cluster on this machine: etcd, and Patroni with a primary, a synchronous and an asynchronous replica."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tests.serve.proxies import find
from tests.serve.running import eventually, processes

# How long a lost primary keeps its lock, in seconds: replicas wait as long.
TTL = 20
# Patroni starts, copies and rewinds whole servers, on a busy machine.
WHOLE_SECONDS = 180
PACKAGES = "postgresql patroni etcd-server haproxy"

CONFIGURATION = """
scope: kalends
name: {name}
restapi: {{listen: '127.0.0.1:{rest_port}', connect_address: '127.0.0.1:{rest_port}'}}
etcd3: {{host: '127.0.0.1:{etcd_port}'}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: 1
    retry_timeout: 5
    primary_start_timeout: 0
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: 200, wal_keep_size: 512MB, wal_log_hints: 'on'}}
  initdb: [{{encoding: UTF8}}, {{auth: trust}}]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  authentication:
    superuser: {{username: postgres}}
    replication: {{username: replicator}}
    rewind: {{username: postgres}}
  pg_hba: [local all all trust, host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
  parameters: {{unix_socket_directories: {folder}}}
"""


class Node:
    """A server of the cluster, and the Patroni that runs it."""

    def __init__(self, name: str, folder: Path, etcd_port: int):
        self.name = name
        self.folder = folder / name
        self.folder.mkdir(mode=0o700)
        self.port, self.rest_port = free_port(), free_port()
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user, self._user)
        self._file = folder / f"{name}.yml"
        self._file.write_text(
            CONFIGURATION.format(
                name=name, folder=self.folder, port=self.port, rest_port=self.rest_port, etcd_port=etcd_port, ttl=TTL, programs=_programs()
            )
        )
        self._file.chmod(0o644)
        self._log = (folder / f"{name}.log").open("ab")

    def start(self) -> None:
        """Start Patroni, which starts PostgreSQL."""
        self._patroni = subprocess.Popen(
            ["patroni", str(self._file)], user=self._user, stdout=self._log, stderr=self._log, process_group=0, cwd="/"
        )

    def stop(self) -> None:
        self._signal(signal.SIGCONT)
        self._patroni.terminate()
        try:
            self._patroni.wait(30)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)

    def kill_postgres(self) -> None:
        self._signal(signal.SIGKILL, with_patroni=False)

    def lose(self) -> None:
        """End both as if their machine were lost."""
        self._signal(signal.SIGKILL)
        self._patroni.wait()

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def revive(self) -> None:
        """Thaw both, and start Patroni if it was killed."""
        self._signal(signal.SIGCONT)
        if self._patroni.poll() is not None:
            self.start()

    def ask(self, method: str, path: str, content: object = None) -> Any:
        """The reply of Patroni's API; None if there is none."""
        connection = HTTPConnection("127.0.0.1", self.rest_port, timeout=60 if content else 2)
        try:
            connection.request(method, path, json.dumps(content) if content else None)
            body = connection.getresponse().read()
            return json.loads(body) if body.startswith(b"{") else body.decode()
        except (OSError, HTTPException):
            return None
        finally:
            connection.close()

    def _signal(self, number: int, *, with_patroni: bool = True) -> None:
        file = self.folder / "data" / "postmaster.pid"
        postmaster = int(file.read_text().split()[0]) if file.exists() else 0
        pids = [pid for pid, (parent, _) in processes().items() if postmaster in (pid, parent)]
        if with_patroni and self._patroni.poll() is None:
            pids.append(self._patroni.pid)
        for pid in pids:
            # It may have ended just now.
            with suppress(ProcessLookupError):
                os.kill(pid, number)


class Cluster:
    """Three nodes."""

    def __init__(self, folder: Path):
        port, peer_port = free_port(), free_port()
        urls = [f"http://127.0.0.1:{each}" for each in (port, peer_port)]
        options = {
            "data-dir": str(folder / "etcd"),
            "listen-client-urls": urls[0],
            "advertise-client-urls": urls[0],
            "listen-peer-urls": urls[1],
            "initial-advertise-peer-urls": urls[1],
            "initial-cluster": f"default={urls[1]}",
        }
        machine = {"aarch64": "arm64"}.get(os.uname().machine, "")
        self._etcd = subprocess.Popen(
            ["etcd", *(f"--{name}={value}" for name, value in options.items())],
            env=os.environ | {"ETCD_UNSUPPORTED_ARCH": machine},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        self.nodes = [Node(f"node{number}", folder, port) for number in (1, 2, 3)]
        # One host in the address after the other, and Kalends finds the one that accepts writes.
        self.url = f"postgresql://postgres@{','.join(f'127.0.0.1:{node.port}' for node in self.nodes)}/postgres"
        self.primary_url = f"{self.url}?target_session_attrs=read-write"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        self.wait_until_whole()

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()
        self._etcd.terminate()
        self._etcd.wait(30)

    def wait_until_whole(self) -> None:
        eventually(lambda: self._is_whole(self.members()), within=WHOLE_SECONDS)

    def is_whole_again(self) -> bool:
        """Whether it recovers from a fault by itself."""
        try:
            self.wait_until_whole()
        except AssertionError:
            return False
        return True

    def members(self) -> dict[str, dict[str, Any]]:
        """What Patroni says of the nodes, by their names."""
        states = (node.ask("GET", "/cluster") for node in self.nodes)
        state: dict[str, Any] = next((state for state in states if isinstance(state, dict)), {"members": []})
        return {member["name"]: member for member in state["members"]}

    def node(self, role: str) -> Node:
        """The node with this role."""
        return next(node for node in self.nodes if self.members().get(node.name, {}).get("role") == role)

    def switch_over(self) -> None:
        """Make the synchronous replica the primary."""
        leader, candidate = self.node("leader"), self.node("sync_standby")
        leader.ask("POST", "/switchover", {"leader": leader.name, "candidate": candidate.name})

    @staticmethod
    def _is_whole(members: dict[str, dict[str, Any]]) -> bool:
        roles = sorted(member["role"] for member in members.values())
        timelines = {member.get("timeline") for member in members.values()}
        states = {member["state"] for member in members.values()}
        return roles == ["leader", "replica", "sync_standby"] and len(timelines) == 1 and states <= {"running", "streaming"}


@contextmanager
def started_cluster() -> Iterator[Cluster]:
    """A whole cluster in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="kalends-cluster-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        cluster = Cluster(folder)
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


def versions() -> str:
    """Those of PostgreSQL and Patroni."""
    programs = _programs()
    patroni = subprocess.run(["patroni", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"PostgreSQL {programs.parent.name if programs else '?'}, {patroni.capitalize()}"


def missing_programs() -> list[str]:
    """The programs that are not installed."""
    return [program for program in ("patroni", "etcd", "haproxy") if find(program) is None] + ([] if _programs() else ["postgres"])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _programs() -> Path | None:
    """The folder of the newest PostgreSQL of the system."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
