"""Everything that the service stores, as a thief of the database and of its folder would read it."""

import subprocess
from base64 import b64encode, urlsafe_b64decode

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


def _encode(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
