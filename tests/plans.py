"""Query plans: a statement must not read the whole of a table that grows, nor a whole calendar to find a few of its events.

Each table must be read through an index whose first column the statement bounds. The plans come from an empty SQLite, whose planner
decides by rules, and from a PostgreSQL with statistics of a million rows in each table, so that it scans a table only if it must. The
statistics and costs are fixed, so that a statement always has the same plan. SQLite also explains triggers and foreign keys, which are
the same on both databases."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

import apsw

from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests import migrated

# Statements that may read a whole index: a pattern of the statement, and of the step in its plan.
EXCEPTED = [
    # A page of public events in their order, or the first of them, to count the matches among these. A search comes here for words
    # that many events have, which soon fill the page, and for one or two letters, which no index finds.
    (
        r" FROM events e WHERE (?:[() ]|AND|OR|CASE WHEN|THEN TRUE ELSE FALSE END|e\.public|e\.status (?:=|<>) '\w+'"
        r"|e\.search \|\| ''| LIKE [:$]\w+ ESCAPE '\\'|(?:instr|strpos|substr)\(|, (?:[:$]\w+)?| - | > 0)*"
        r" ORDER BY e\.start_at(?: DESC)?, e\.id(?: DESC)? LIMIT ",
        "events_in_public|events_not_planned_in_public",
    ),
    # How many deliveries wait, for the metrics: the index has those alone.
    (r"FROM deliveries WHERE state IN \('queued', 'sending'\) GROUP BY channel, state$", "deliveries_waiting"),
    # A page of the open or of the closed reports, for admins, or their number: the index has those alone.
    (
        r"FROM reports (?:r LEFT JOIN [^?]*)?WHERE (?:r\.)?closed_at IS (?:NOT )?NULL(?: ORDER BY .* LIMIT |$)",
        "reports_in_order|reports_by_age",
    ),
    # A page of the comments that wait on the whole site, for admins, or their number: the index has those alone.
    (r"FROM comments c WHERE NOT c\.approved(?: ORDER BY c\.id LIMIT |$)", "comments_that_wait"),
    # What waits for the reader of a page, of which a hundred are counted: the indexes have open reports and waiting comments alone.
    (r"FROM comments WHERE NOT approved ORDER BY id DESC LIMIT \d+\) AS k\b", "comments_that_wait|reports_in_order"),
    # A page of what admins have blocked and hidden, or its number, and what is gone of it: they write these rows one by one.
    (
        r"FROM (?:blocked_senders|hidden_events)(?: h)?(?: ORDER BY (?:h\.)?id DESC LIMIT |$)|DELETE FROM hidden_\w+ WHERE NOT EXISTS",
        "blocked_senders|hidden_events|SCAN h|hidden_dates",
    ),
    # The sources of a site, which are at most 500.
    (r"FROM sources(?: s)?(?: ORDER BY s\.id LIMIT |$| WHERE NOT republish\))", "sources|SCAN s\\b"),
    # The name of a violated unique index: the schema does not grow.
    # The columns of a table.
    (r"FROM pragma_table_info\(:table\)$", "SCAN pragma_table_info"),
    (r"FROM pragma_index_list\(:table\) l ", "SCAN (l|i|pragma_index_info)"),
]
# Tables that grow only with releases, or have one row.
SMALL = {
    *("migrations", "sqlite_master", "sqlite_sequence", "change_author", "journal", "site"),
    *("site_styles", "one_row", "unsynced", "requests"),
}
# A statement that is given the ids of events or of series, and a step that reads all events of a calendar.
FEW_EVENTS = re.compile(r"\b(?:e\.id|event_id|series_id) IN \(SELECT value FROM json_each\(")
WHOLE_CALENDAR = re.compile(r"INDEX placements_\w+ \(calendar_id=\?\)$")


class Plans(Protocol):
    """The plans of one database."""

    def change(self, sql: str) -> None:
        """Change the schema."""

    def scans(self, sql: str) -> list[str]:
        """The full scans of the statement, in the words of the database."""

    def close(self) -> None:
        """Drop the database."""


@contextmanager
def opened(database: str, folder: Path, server: str) -> Iterator[Plans]:
    """Plans on an empty database of this kind: in the folder, or on the PostgreSQL server."""
    with closing(SqlitePlans(folder) if database == "sqlite" else PostgresPlans(server)) as plans:
        yield plans


def complaints(plans: Plans, statements: dict[str, str]) -> list[str]:
    """Which of the statements read a table whole, with the requests that ran them."""
    scanning = []
    for sql, request in statements.items():
        allowed = [step for statement, step in EXCEPTED if re.search(statement, sql)]
        if scans := [scan for scan in plans.scans(sql) if not any(re.search(step, scan) for step in allowed)]:
            scanning.append("\n".join([f"{request} reads a whole table:", *(f"  {scan}" for scan in scans), sql]))
    return scanning


class SqlitePlans:
    """An empty database in the folder."""

    def __init__(self, folder: Path):
        migrated.write_sqlite(folder / "plans.sqlite3")
        self._database = Sqlite(folder / "plans.sqlite3")
        self._connection = self._database._read_connection()
        self._connection.config(apsw.SQLITE_DBCONFIG_TRIGGER_EQP, 1)

    def change(self, sql: str) -> None:
        self._connection.execute(sql)

    def scans(self, sql: str) -> list[str]:
        unbound = dict.fromkeys(re.findall(r":([a-z_]\w*)", sql))
        # A plan from the cache would not know of a changed schema.
        steps: list[tuple[Any, ...]] = self._connection.execute(f"EXPLAIN QUERY PLAN {sql}", unbound, can_cache=False).fetchall()
        # The statement may scan its own subqueries and lists.
        scannable = {"json_each", *SMALL, *re.findall(r"\) AS (\w+)", sql), *re.findall(r"WITH (\w+) AS", sql)}
        reads_few = FEW_EVENTS.search(sql)
        return [
            step
            for step in map(itemgetter(3), steps)
            if step and (_is_scan(step, scannable) or (reads_few and WHOLE_CALENDAR.search(step)))
        ]

    def close(self) -> None:
        self._database.close()


def _is_scan(step: str, scannable: set[str]) -> bool:
    if "AUTOMATIC" in step:
        # An index that is made for this statement, of all rows.
        return step.split()[1] not in scannable
    scanned = re.match(r"SCAN (?!CONSTANT ROW)(\S+)(?: VIRTUAL TABLE INDEX \d+:(\S+))?", step)
    # A virtual table shows its constraint, if it is not scanned as a whole.
    return bool(scanned and not scanned[2] and scanned[1] not in scannable and not scanned[1].startswith("(subquery"))


class PostgresPlans:
    """A database of its own on the server, in which each table claims a million rows."""

    def __init__(self, server: str):
        self._copied = ExitStack()
        self._database = Postgres(self._copied.enter_context(migrated.postgres(server)))
        # As the service connects.
        self._connection = self._database.acquire()
        # EXPLAIN of a prepared statement would need its parameters.
        self._connection.prepare_threshold = None
        self.change(_FIXED_COSTS)
        for script in (_UNCHECKED, _A_ROW_EACH):
            self._change_by(script)
        self.change(_A_MILLION_EACH)
        self._first_columns = dict(self._rows("SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid, 1, TRUE) FROM pg_index"))

    def change(self, sql: str) -> None:
        with self._connection.transaction():
            self._connection.execute(sql.encode())

    def _change_by(self, sql: str) -> None:
        """Run the statements that a statement writes."""
        self.change("SET LOCAL session_replication_role = replica;" + ";".join(statement for (statement,) in self._rows(sql)))

    def scans(self, sql: str) -> list[str]:
        plan = self._rows(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}")[0][0][0]["Plan"]
        return [_describe(node) for node, parent in _nodes(plan, {}) if self._is_scan(node, parent)]

    def _is_scan(self, node: dict[str, Any], parent: dict[str, Any]) -> bool:
        if node["Node Type"] == "Seq Scan":
            return node["Relation Name"] not in SMALL
        if "Index Name" not in node or node.get("Relation Name") in SMALL:
            return False
        if parent.get("Node Type") == "Limit" and "Filter" not in node:
            # It reads no more rows than it returns.
            return False
        return not re.search(rf"\b{self._first_columns[node['Index Name']]}\b", node.get("Index Cond", ""))

    def close(self) -> None:
        self._connection.close()
        self._database.close()
        self._copied.close()

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql.encode()).fetchall()


def _nodes(node: dict[str, Any], parent: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    yield node, parent
    for inner in node.get("Plans", []):
        yield from _nodes(inner, node)


def _describe(node: dict[str, Any]) -> str:
    keys = ("Node Type", "Relation Name", "Index Name", "Index Cond", "Filter")
    return ", ".join(f"{name}: {node[name]}" for name in keys if name in node)


# PostgreSQL's defaults, regardless of the server's configuration.
_FIXED_COSTS = """
SET seq_page_cost = 1; SET random_page_cost = 4; SET effective_cache_size = '4GB'; SET work_mem = '4MB'; SET hash_mem_multiplier = 2;
SET cpu_tuple_cost = 0.01; SET cpu_index_tuple_cost = 0.005; SET cpu_operator_cost = 0.0025; SET default_statistics_target = 100
"""
# Without check constraints, the rows need no valid values.
_UNCHECKED = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace
"""
# Each value is on twenty rows, each flag on every other; without autovacuum the statistics stay as they are.
_A_ROW_EACH = """
SELECT format('INSERT INTO %I VALUES (%s) ON CONFLICT DO NOTHING; ALTER TABLE %I SET (autovacuum_enabled = false), %s', table_name,
    string_agg(CASE data_type WHEN 'bigint' THEN '1' WHEN 'boolean' THEN 'TRUE' ELSE '''x''' END, ', ' ORDER BY ordinal_position),
    table_name,
    string_agg(format('ALTER %I SET (n_distinct = %s)', column_name, CASE data_type WHEN 'boolean' THEN 2 ELSE -0.05 END), ', '))
FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name
"""
# The planner multiplies the rows per page, as of the last ANALYZE, by the number of pages.
_A_MILLION_EACH = """
ANALYZE;
UPDATE pg_class SET relpages = greatest(relpages, 1), reltuples = 1000000
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
"""
