"""HAProxy before Kalends servers, and before the primary of a cluster."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.faults.cluster import Node, free_port
from tests.serve.proxies import ROOT, find

# Patroni tells which node is the primary.
PRIMARY = """
defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
    timeout check 1s
    # PgBouncer tries again itself, and opens no other connection to the new primary while it waits for this one.
    retries 0

listen primary
    bind 127.0.0.1:{port}
    option httpchk GET /primary
    http-check expect status 200
    default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
"""


@contextmanager
def started_haproxy(ports: list[int]) -> Iterator[int]:
    """HAProxy with the file of `deploy/` before two servers, without TLS; yields its port."""
    port = free_port()
    text = (ROOT / "deploy" / "haproxy.cfg").read_text()
    lines = [line for line in text.splitlines() if " ssl " not in line and "ssl_fc" not in line]
    text = "\n".join(lines) + "\n"
    for theirs, ours in {
        "bind :80": f"bind 127.0.0.1:{port}",
        "10.0.0.11:8000": f"127.0.0.1:{ports[0]}",
        "10.0.0.12:8000": f"127.0.0.1:{ports[1]}",
        "inter 2s": "inter 1s",
    }.items():
        assert text.count(theirs) == 1, theirs
        text = text.replace(theirs, ours)
    with _running(text):
        yield port


@contextmanager
def started_primary_proxy(nodes: list[Node]) -> Iterator[int]:
    """HAProxy before the PostgreSQL of the node that is the primary; yields its port."""
    port = free_port()
    servers = [f"    server {node.name} 127.0.0.1:{node.port} port {node.rest_port}\n" for node in nodes]
    with _running(PRIMARY.format(port=port) + "".join(servers)):
        yield port


@contextmanager
def _running(text: str) -> Iterator[None]:
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        process = subprocess.Popen([str(find("haproxy")), "-db", "-f", file.name], stderr=subprocess.DEVNULL, process_group=0)
        try:
            yield
        finally:
            process.terminate()
            process.wait(20)
