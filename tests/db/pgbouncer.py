"""PgBouncer before a PostgreSQL server, with transaction pooling."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from tests.faults.cluster import free_port
from tests.serve.proxies import find
from tests.serve.running import eventually

# The first that prepares statements on the connections of the server.
OLDEST = (1, 21)
NEEDED = "PgBouncer 1.21 or later in the PATH (Debian 13: apt-get install pgbouncer)"

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
admin_users = {user}
pool_mode = transaction
default_pool_size = {connections}
max_prepared_statements = 200
server_login_retry = 0.2
"""


def version() -> tuple[int, int]:
    """That of the program in the PATH; 0.0 if there is none."""
    program = find("pgbouncer")
    if program is None:
        return 0, 0
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    numbers = re.search(r"PgBouncer (\d+)\.(\d+)", output)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


@contextmanager
def started_pgbouncer(host: str, port: int, user: str, database: str, *, connections: int, system_user: str) -> Iterator[str]:
    """PgBouncer before the server, to which it connects as this user; yields the address of the database once it can be used."""
    own_port = free_port()
    with TemporaryDirectory(prefix="kalends-pgbouncer-") as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(CONFIGURATION.format(host=host, port=port, user=user, own_port=own_port, connections=connections))
        # It does not run as root.
        options = ["-u", system_user] if os.geteuid() == 0 else []
        process = subprocess.Popen([str(find("pgbouncer")), *options, str(file)], stderr=subprocess.DEVNULL, process_group=0)
        try:
            url = f"postgresql://{user}@127.0.0.1:{own_port}/{database}"
            eventually(lambda: _accepts(url))
            yield url
        finally:
            process.terminate()
            process.wait(20)


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
