"""Everything that the service stores, as a thief of the database and of its folder would read it."""

import subprocess
from base64 import b64encode, urlsafe_b64decode
from typing import Any

from kalends.core.settings import Settings
from kalends.db import Database, Transaction


def everything(db: Database, settings: Settings) -> bytes:
    """Every value of every table, and every byte of every file."""
    return b"\n".join([*(_encode(value) for value in values(db)), files(settings)])


def files(settings: Settings) -> bytes:
    """Every byte of every file. Another process reads them: when a process closes a file of SQLite, all its locks on it are gone, and with
    them the database for others that open it."""
    paths = [str(path) for path in settings.folder.rglob("*") if path.is_file()]
    return subprocess.run(["cat", "--", "/dev/null", *paths], capture_output=True, check=True).stdout


def encodings(secret: str) -> list[bytes]:
    """The encodings in which a secret might have been stored."""
    raw = urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
    return [secret.encode(), raw, raw.hex().encode(), b64encode(raw).rstrip(b"="), b64encode(secret.encode()).rstrip(b"=")]


def values(db: Database) -> list[object]:
    """Every value of every table."""
    catalogue = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if db.types["int"] == "BIGINT":
        catalogue = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    with db.read() as tx:
        return [value for (table,) in tx.rows(catalogue) for row in tx.rows(f'SELECT * FROM "{table}"') for value in row]


def find_texts(db: Database, *texts: str) -> set[tuple[str, str]]:
    """The names of the tables and columns with values that have one of the texts, in whatever case of their letters. The database searches:
    thousands of tests have left rows in it."""
    assert all(text.isascii() for text in texts), "SQLite knows the case of ASCII alone"
    params: dict[str, Any] = {f"text{i}": text.lower() for i, text in enumerate(texts)}
    found = set()
    with db.read() as tx:
        for table, columns in _columns(db, tx).items():
            conditions = ", ".join(_has_text(db, column, kind, len(texts)) for column, kind in columns.items())
            [has_text] = tx.rows(f"SELECT {conditions} FROM {table}", **params)
            found |= {(table, column) for column, has in zip(columns, has_text, strict=True) if has}
    return found


def _columns(db: Database, tx: Transaction) -> dict[str, dict[str, str]]:
    """The columns of each table, with their types."""
    if db.product == "SQLite":
        tables = [name for (name,) in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {each: dict(tx.rows(f"SELECT name, type FROM pragma_table_info('{each}')")) for each in tables}
    columns: dict[str, dict[str, str]] = {}
    for table, column, kind in tx.rows(
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()"
    ):
        columns.setdefault(table, {})[column] = kind
    return columns


def _has_text(db: Database, column: str, kind: str, number: int) -> str:
    """SQL: whether any row has one of the texts in the column."""
    if db.product == "SQLite":
        conditions = [f'instr(lower(CAST("{column}" AS TEXT)), :text{i}) > 0' for i in range(number)]
        return f"max({' OR '.join(conditions)})"
    text = f"encode(\"{column}\", 'escape')" if kind == "bytea" else f'CAST("{column}" AS TEXT)'
    conditions = [f"position(CAST(:text{i} AS TEXT) IN lower({text})) > 0" for i in range(number)]
    return f"bool_or({' OR '.join(conditions)})"


def _encode(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
