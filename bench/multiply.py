"""Copies of the events of a database within it, by SQL: ten million in the time in which the service would load half a million.

Every copy has users, calendars and a history of its own, so that all tables grow. Foreign keys are checked and indexes are built when
all rows are in."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from bench.load import START, TWO_YEARS
from kalends.db import Database, Transaction, open_contents
from kalends.db.table_copy import IntegrityError

# By how much the times of a copy differ from those of the one before it: all times of two years come up alike.
SHIFT = 7_919 * 900

_START = f"{START} + (start_at - {START} + :shift) % {TWO_YEARS}"
_RECORD = "record_id + :k * CASE kind WHEN 'event' THEN :events ELSE :calendars END"
# By table, the columns in which a copy differs. What is rare stays so: the word zanzibar is on the original events alone.
_TABLES = {
    "users": {
        "id": "id + :k * :users",
        "user_name": "user_name || 'x' || :k",
        "user_name_key": "user_name_key || 'x' || :k",
        "email_address": "replace(email_address, user_name_key, user_name_key || 'x' || :k)",
        "email_key": "replace(email_key, user_name_key, user_name_key || 'x' || :k)",
        "search": "replace(search, user_name_key, user_name_key || 'x' || :k)",
    },
    "calendars": {"id": "id + :k * :calendars", "owner_id": "owner_id + :k * :users"},
    "events": {
        "id": "id + :k * :events",
        "owner_id": "owner_id + :k * :users",
        "calendar_id": "calendar_id + :k * :calendars",
        "title": "replace(title, ' Zanzibar', '')",
        "search": "replace(search, ' zanzibar', '')",
        "start_at": _START,
        "end_at": f"{_START} + end_at - start_at",
        "until_at": f"{_START} + until_at - start_at",
    },
    "placements": {
        "id": "id + :k * :placements",
        "event_id": "event_id + :k * :events",
        "calendar_id": "calendar_id + :k * :calendars",
        "start_at": _START,
    },
    "changes": {
        "id": "id + :k * :changes",
        "record_id": _RECORD,
        "event_id": "event_id + :k * :events",
        "owner_id": "owner_id + :k * :users",
        "calendar_id": "calendar_id + :k * :calendars",
    },
    "sync_entries": {"id": "id + :k * :sync_entries", "record_id": _RECORD, "calendar_id": "calendar_id + :k * :calendars"},
}
# What triggers derive from events.
_WRONG = """
SELECT count(*) FROM placements p JOIN events e ON e.id = p.event_id
WHERE p.lasts <> (e.until_at - e.start_at > 2678400) OR p.takes_days <> (e.all_day OR e.until_at - e.start_at >= 86400)
"""


def multiply(db: Database, times: int) -> None:
    """Add copies until there are this many times the events."""
    with db.write(alone=True) as tx:
        tx.without_statement_timeout()
        copy = open_contents(db, tx)
        with copy.triggers_disabled(list(_TABLES)), _indexes_dropped(tx, db.product):
            last = {table: int(tx.value(f"SELECT max(id) FROM {table}")) for table in _TABLES}
            with click.progressbar(range(1, times), label=f"Multiplying {last['events']:,} events by {times}") as bar:
                for k in bar:
                    for table in _TABLES:
                        tx.script(_insertion(table, list(copy.columns(table)), {"k": k, "shift": k * SHIFT % TWO_YEARS, **last}))
            for table in _TABLES:
                copy.set_sequence(table, last[table] * times)
        copy.verify(list(_TABLES))
        if wrong := tx.value(_WRONG):
            raise IntegrityError(f"{wrong} placements differ from their events")


def _insertion(table: str, columns: Sequence[str], numbers: dict[str, int]) -> str:
    values = ", ".join(_TABLES[table].get(column, column) for column in columns)
    # The longest names first: `:k` is not the beginning of another one.
    for name in sorted(numbers, key=len, reverse=True):
        values = values.replace(f":{name}", str(numbers[name]))
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} WHERE id <= {numbers[table]}"


@contextmanager
def _indexes_dropped(tx: Transaction, product: str) -> Iterator[None]:
    """Without the indexes and the foreign keys while the block runs; adding a foreign key checks all rows."""
    if product == "SQLite":
        # A text index would have the original events twice, since it is filled with all of them afterwards.
        for (name,) in tx.rows("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"):
            tx.script(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")
        drops = tx.rows(f"SELECT 'DROP INDEX ' || name, sql FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%' AND {_ours('tbl_name')}")
    else:
        drops = tx.rows(_FOREIGN_KEYS) + tx.rows(_INDEXES)
    for drop, _ in drops:
        tx.script(drop)
    if product != "SQLite":
        # What a transaction writes to a file that it has made is not logged with wal_level = minimal.
        for table in _TABLES:
            tx.script(f"CLUSTER {table} USING {table}_pkey")
    yield
    if product != "SQLite":
        tx.script("SET LOCAL enable_seqscan = on; SET LOCAL maintenance_work_mem = '2GB'; SET LOCAL max_parallel_workers_per_gather = 2")
    # SQLite chooses among indexes by their order. On PostgreSQL, a foreign key needs the index of the table that it refers to.
    for _, addition in drops if product == "SQLite" else reversed(drops):
        tx.script(addition)


def _ours(column: str) -> str:
    return f"{column} IN ({', '.join(repr(table) for table in _TABLES)})"


_FOREIGN_KEYS = f"""
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype = 'f' AND {_ours("conrelid::regclass::text")}
"""
_INDEXES = f"""
SELECT format('DROP INDEX %I', indexname), indexdef FROM pg_indexes WHERE {_ours("tablename")} AND indexname NOT LIKE '%\\_pkey'
"""
