"""Everything that a database's schema consists of, in a form that can be compared. The order of columns has no meaning."""

import re
from typing import Any

from kalends.db import Database, Transaction
from kalends.db.sqlite.database import Sqlite

_SQLITE = {
    "columns": """SELECT t.name, t.type, t.strict, c.name, c.type, c."notnull", c.dflt_value, c.pk
        FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'""",
    "references": """SELECT t.name, f."from", f."table", f."to", f.on_update, f.on_delete
        FROM pragma_table_list t, pragma_foreign_key_list(t.name) f WHERE t.schema = 'main'""",
    "unique": """SELECT t.name, i."unique", i.origin, i.partial, (SELECT group_concat(name) FROM pragma_index_info(i.name))
        FROM pragma_table_list t, pragma_index_list(t.name) i WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'""",
    "texts": "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL OR sql LIKE 'CREATE VIRTUAL%'",
}
_POSTGRES = {
    "columns": """SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, identity_generation, attstattarget
        FROM information_schema.columns JOIN pg_attribute ON attrelid = to_regclass(table_name) AND attname = column_name
        WHERE table_schema = 'public'""",
    "constraints": """SELECT CAST(CAST(conrelid AS regclass) AS TEXT), conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = CAST('public' AS regnamespace) AND contype <> 'n'""",
    "indexes": """SELECT indexname, indexdef, indisvalid FROM pg_indexes JOIN pg_index ON indexrelid = to_regclass(indexname)
        WHERE schemaname = 'public'""",
    "triggers": "SELECT tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "functions": """SELECT proname, pg_get_function_arguments(oid), provolatile, prosrc FROM pg_proc
        WHERE pronamespace = CAST('public' AS regnamespace) AND NOT EXISTS (
            SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')""",
    "extensions": "SELECT extname FROM pg_extension",
}


def describe(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """What the schema consists of, by kind."""
    queries = _SQLITE if isinstance(db, Sqlite) else _POSTGRES
    with db.read() as tx:
        described = {kind: sorted((_normal(row) for row in tx.rows(sql)), key=repr) for kind, sql in queries.items()}
        if isinstance(db, Sqlite):
            described["checks"] = sorted(_checks(tx))
    return described


def _normal(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row without the line breaks and indentation of its statements."""
    return tuple(_in_one_line(value) if isinstance(value, str) else value for value in row)


def _in_one_line(sql: str) -> str:
    sql = re.sub(r"\s+", " ", re.sub(r"--.*", "", sql))
    return re.sub(r" ?([();,]) ?", r"\1", sql).strip()


def _checks(tx: Transaction) -> list[tuple[str, str]]:
    """The constraints that SQLite shows only in the text of a table."""
    found = []
    for table, sql in tx.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
        for part in _in_one_line(sql).split("CHECK(")[1:]:
            depth, end = 1, 0
            while depth:
                depth += {"(": 1, ")": -1}.get(part[end], 0)
                end += 1
            found.append((table, part[: end - 1]))
    return found
