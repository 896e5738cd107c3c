"""The work of requests as the databases count it: rows that plans read, scans of whole tables, and sorts."""

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import psycopg

from bench import scale_databases, servers
from bench.databases import Where
from bench.instructions import local_user
from bench.user import User
from tests.plans import SMALL

# The first requests of a connection prepare their statements.
TIMES = 3
# A plan is logged after its rows were sent.
LOG_SECONDS = 0.2
EXPLAIN = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
}
_PLAN = re.compile(r"LOG:  duration: [\d.]+ ms  plan:\n((?:\t.*\n)+)")

Cases = Callable[[User], dict[str, Any]]
Work = dict[str, Any]


def on_postgres(where: Where, cases: Cases) -> dict[str, Work]:
    """The rows that the plans of the last of a few requests read, what they scan whole, and the most rows that one sorts."""
    with psycopg.connect(where.database, autocommit=True) as connection:
        name = connection.info.dbname
        # A later LOAD finds the parameters in place.
        connection.execute("LOAD 'auto_explain'")
        for parameter, value in EXPLAIN.items():
            connection.execute(f"ALTER DATABASE {name} SET {parameter} = '{value}'".encode())
        try:
            with servers.kalends(where, cores=servers.BOTH_CORES) as server:
                user = User(server.port)
                return {each: _explained(user, case) for each, case in cases(user).items()}
        finally:
            for parameter in EXPLAIN:
                connection.execute(f"ALTER DATABASE {name} RESET {parameter}".encode())


def _explained(user: User, case: Any) -> Work:
    work: Work = {}
    for _ in range(TIMES):
        with scale_databases.log_file().open() as log:
            log.seek(0, 2)
            user.ask(case.request, guest=case.guest, cookie=case.cookie, or_late=True)
            time.sleep(LOG_SECONDS)
            plans = [json.loads(plan)["Plan"] for plan in _PLAN.findall(log.read())]
        nodes = [node for plan in plans for node in _nodes(plan)]
        scans = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"} - SMALL
        sorts = [_rows(inner) for node in nodes if "Sort" in node["Node Type"] for inner in node["Plans"]]
        read = sum(_rows(node) for node in nodes if "Relation Name" in node or "Index Name" in node)
        work = {"rows": read, "scans": sorted(scans), "sorted": max(sorts, default=0)}
    return work


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for inner in node.get("Plans", []):
        yield from _nodes(inner)


def _rows(node: dict[str, Any]) -> int:
    """The rows of all loops, with those that a filter has thrown away."""
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    # The plan of an EXPLAIN was not executed.
    return int((node.get("Actual Rows", 0) + removed) * node.get("Actual Loops", 0))


def on_sqlite(where: Where, cases: Cases) -> dict[str, Work]:
    """The steps of SQLite's virtual machine, the statements that step through a whole table, and the sorts."""
    counted: list[Work] = []
    apsw.connection_hooks.append(
        lambda connection: connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, lambda event: counted.append(event), id="bench")
    )
    user = local_user(where)
    works = {}
    for name, case in cases(user).items():
        for _ in range(TIMES):
            counted.clear()
            user.ask(case.request, guest=case.guest, cookie=case.cookie, or_late=True)
        status = [(event["sql"], event["stmt_status"]) for event in counted]
        works[name] = {
            "rows": sum(each["SQLITE_STMTSTATUS_VM_STEP"] for _, each in status),
            "scans": sorted({_table(sql) for sql, each in status if each["SQLITE_STMTSTATUS_FULLSCAN_STEP"] > MANY}),
            "sorted": sum(each["SQLITE_STMTSTATUS_SORT"] for _, each in status),
        }
    return works


# More rows than any page or list of ids has.
MANY = 20_000


def _table(sql: str) -> str:
    return re.sub(r"\s+", " ", sql)[:80]
