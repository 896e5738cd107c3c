"""The servers of an address with several hosts: which one is the primary, and which did not reply lately.

libpq tries them in their order. A host that hangs would then delay each new connection by its timeout, so it is tried last here."""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from kalends.core.settings import WrongSetting, variable
from kalends.db.postgres.connection import Connection

# How long a host that did not reply is not tried at all, and how long it is tried after the others.
FAIL_FAST_SECONDS = 1
SILENT_SECONDS = 10


class Hosts:
    """The hosts of an address. Of several, only one that accepts writes is connected to, unless the address says otherwise."""

    def __init__(self, url: str):
        self._params = params_of_hosts(url, "database")
        number = len(self._params)
        if number > 1:
            for params in self._params:
                params.setdefault("target_session_attrs", "read-write")
        self._silent_at = [float("-inf")] * number
        self._primary = 0
        # Whether connections to all other hosts are useless once one is open.
        self.has_one_primary = number > 1 and self._params[0]["target_session_attrs"] in ("read-write", "primary")

    def connect(self, connect: Callable[[dict[str, Any]], Connection], *, elsewhere: bool = False) -> Connection:
        """A connection to the first host that accepts one, beginning with the last primary; `elsewhere`: to another host than that."""
        error: psycopg.OperationalError = pg.ConnectionTimeout("The server did not reply a moment ago.")
        for host in self._in_order():
            if monotonic() < self._silent_at[host] + FAIL_FAST_SECONDS or (elsewhere and host == self._primary):
                continue
            try:
                connection = connect(self._params[host])
            except psycopg.OperationalError as reason:
                error = reason
                if isinstance(reason, pg.ConnectionTimeout):
                    self.mark_silent(host)
                continue
            connection.host = self._primary = host
            return connection
        raise error

    def mark_silent(self, host: int) -> None:
        """Remember that the host did not reply."""
        self._silent_at[host] = monotonic()

    def _in_order(self) -> Iterator[int]:
        hosts = sorted(range(len(self._params)), key=lambda host: host != self._primary)
        silent = [host for host in hosts if monotonic() < self._silent_at[host] + SILENT_SECONDS]
        yield from (host for host in hosts if host not in silent)
        yield from silent


def params_of_hosts(url: str, setting: str) -> list[dict[str, Any]]:
    """The parameters of a connection to each host of the address in a setting."""
    try:
        params = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Without the reason, which may quote the password.
        raise WrongSetting(f"{variable(setting)} cannot be read as the address of a PostgreSQL database.") from None
    lists = {name: str(params[name]).split(",") for name in ("host", "hostaddr", "port") if params.get(name)}
    number = max(map(len, lists.values()), default=1)
    return [params | {name: values[i % len(values)] for name, values in lists.items()} for i in range(number)]
