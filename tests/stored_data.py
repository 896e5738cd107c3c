"""Everything that the service stores, as a thief of the database and of its folder would read it."""

import subprocess
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterator

from kalends.core.settings import Settings
from kalends.db import Database


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
    """The names of the tables and columns with values that have one of the texts, in whatever case."""
    return {(table, column) for table, column, content in _columns(db) if any(text.lower() in content for text in texts)}


def _columns(db: Database) -> Iterator[tuple[str, str, str]]:
    """The names of each table and column, with the values of all its rows in lower case."""
    with db.read() as tx:
        if db.product == "SQLite":
            tables = [name for (name,) in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns = {each: [row[1] for row in tx.rows(f"SELECT * FROM pragma_table_info('{each}')")] for each in tables}
        else:
            rows = tx.rows("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()")
            columns = {table: [column for other, column in rows if other == table] for table, _ in rows}
        for table, names in columns.items():
            for name in names:
                rows = tx.rows(f'SELECT "{name}" FROM "{table}" WHERE "{name}" IS NOT NULL')
                yield table, name, "\n".join(_decode(value) for (value,) in rows).lower()


def _decode(value: object) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)


def _encode(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
