"""The SQL of SQLite where it differs from PostgreSQL's."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kalends.db.dialect import Dialect, Trigger

MAX_TRIGRAMS = 24

# The event of a placement, unless it is deleted or this transaction has written its entries for all its calendars. LIMIT: it is found
# first, before placements are read.
_UNSYNCED = """(SELECT e.id FROM events e WHERE e.id = {row}.event_id AND NOT EXISTS (
    SELECT 1 FROM synced_events t WHERE t.event_id = e.id AND t.transaction_id = (SELECT transaction_id FROM change_author)
) LIMIT 1) AS unsynced"""


class SqliteDialect(Dialect):
    product = "SQLite"
    types = {
        "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "int": "INTEGER",
        "flag": "INTEGER",
        "bytes": "BLOB",
        "end": ") STRICT",
        "now": "unixepoch()",
        "unmarked": "TRUE",
        "tx": "INTEGER NOT NULL DEFAULT 0",
        "transaction": "(SELECT transaction_id FROM change_author)",
        "random": "abs(random() % 9007199254740991)",
        "author": "set_id, at, actor_id, via, request_id",
        "from_author": "FROM change_author",
        "lock_old_calendar": "",
        "lock_new_calendar": "",
        "hold_calendars": "",
        "hold_old_event": "",
        "hold_new_event": "",
        "lock_old_event": "",
        "lock_new_event": "",
        "unsynced_old": _UNSYNCED.format(row="OLD"),
        "unsynced_new": _UNSYNCED.format(row="NEW"),
    }
    for_update = ""
    for_update_skip_locked = ""
    for_share = ""
    position = "instr"
    skip_delivery_id = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'deliveries'"
    # Every tx is 0. An index on (tx, id) is searched by both columns this way; by a comparison of rows, by tx alone.
    is_between_positions = "s.tx = 0 AND s.id > :id AND s.id <= :end_id"
    is_after_row = "n.tx = 0 AND n.id > s.entry_id"

    def in_list(self, name: str) -> str:
        return f"IN (SELECT value FROM json_each(:{name}))"

    def for_each(self, name: str, table: str, ids: str) -> str:
        return f"(SELECT value AS id FROM json_each(:{name})) AS each CROSS JOIN {table} WHERE {table.split()[-1]}.id IN ({ids})"

    def indexed_by(self, index: str) -> str:
        return f" INDEXED BY {index}"

    def next_id(self, table: str) -> str:
        return f"coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0) + 1"

    def records(self, name: str, columns: Mapping[str, str]) -> str:
        selected = ", ".join(f"value ->> '{column}' AS {column}" for column in columns)
        return f"(SELECT {selected} FROM json_each(:{name})) AS {name}"

    def ids_containing(self, table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
        return ids_containing(table, column, literals)

    def substring_index(self, table: str, column: str) -> str:
        index = f"{table}_{column}"
        add = f"INSERT INTO {index} (rowid, {column}) VALUES (new.id, new.{column});"
        drop = f"DELETE FROM {index} WHERE rowid = old.id;"
        return f"""
            CREATE VIRTUAL TABLE {index} USING fts5(
                {column}, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
            );
            CREATE TRIGGER {index}_insert AFTER INSERT ON {table} BEGIN {add} END;
            CREATE TRIGGER {index}_delete AFTER DELETE ON {table} BEGIN {drop} END;
            CREATE TRIGGER {index}_update AFTER UPDATE OF {column} ON {table} WHEN old.{column} <> new.{column}
            BEGIN {drop} {add} END;
        """

    def trigger(self, trigger: Trigger) -> str:
        """One writer at a time: nobody waits for the locks of a trigger, and a deferred one runs at once."""
        drop = f"DROP TRIGGER IF EXISTS {trigger.name};\n" if trigger.replaces else ""
        when = f"WHEN {trigger.condition}\n" if trigger.condition else ""
        return f"{drop}CREATE TRIGGER {trigger.name} {trigger.moment} ON {trigger.table}\n{when}BEGIN\n{trigger.body}\nEND;"

    @staticmethod
    def json_object(row: str, columns: Sequence[str]) -> str:
        pairs = ", ".join(f"'{name}', {row}.{name}" for name in columns)
        return f"json_object({pairs})"

    def last_sync_entry(self) -> str:
        return "SELECT 0, coalesce(max(id), 0) FROM sync_entries"

    def newest_sync_entry(self) -> str:
        return "SELECT coalesce(max(id), 0), 0 FROM sync_entries"


def ids_containing(table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
    index = f"{table}_{column}"
    trigrams = islice(dict.fromkeys(_trigrams(literals)), MAX_TRIGRAMS)
    query = " AND ".join(f'"{trigram}"' for trigram in trigrams)
    return f"SELECT rowid AS id FROM {index} WHERE {index} MATCH :containing", {"containing": query}


def _trigrams(literals: Sequence[str]) -> Iterator[str]:
    """The fewest that cover every character: each costs time, and the caller checks the rows."""
    for word in literals:
        for i in [*range(0, len(word) - 3, 3), len(word) - 3]:
            yield word[i : i + 3]
