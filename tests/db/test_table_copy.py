"""Backups hold every table, restore into a newer schema, and are rejected when a single bit is wrong."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.backup.file import BackupError, Header, Table, write
from kalends.db.backup.restore import restore
from kalends.db.backup.take import take
from kalends.db.migrate import KALENDS, OWN_TABLES, TooNew, build, find_mismatch, restorable, tables
from kalends.db.sqlite.database import Sqlite

ANA: dict[str, Any] = {
    "id": 7,
    "user_name": "ana",
    "user_name_key": "ana",
    "email_address": "ana@example.org",
    "email_key": "ana@example.org",
    "name": "Ana 🎷 \u2028 'quoted'\n",
    "time_zone": "UTC",
    "password_hash": "-",
    "created_at": -(2**62),
    "updated_at": 2**62,
}


def no_progress(words: str, rows: int) -> Callable[[int], None]:
    return lambda done: None


def _insert(db: Database, row: dict[str, Any]) -> None:
    with db.write() as tx:
        tx.run(f"INSERT INTO users ({', '.join(row)}) VALUES (:{', :'.join(row)})", **row)


@pytest.fixture
def header() -> Header:
    """The header of a backup without rows."""
    return Header("kalends backup 1", "0.1.0", restorable()[-1], "2026-11-15T10:00:00Z", "", [])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_every_table_is_listed_after_the_tables_it_refers_to(sqlite_with_tables: Sqlite) -> None:
    with sqlite_with_tables.read() as tx:
        strict_tables = {name for (name,) in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%STRICT'")}
        references = tx.rows("""SELECT m.name, f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f""")
    order = tables()
    assert set(order) == strict_tables - set(OWN_TABLES)
    assert len(references) > 10
    for table, referred in references:
        assert order.index(referred) < order.index(table), f"{table} comes before {referred}"


def test_an_older_backup_is_restored_and_migrated(fresh: Database, tmp_path: Path, file: Path) -> None:
    old = Sqlite(tmp_path / "old.sqlite3")
    with old.write() as tx:
        build(old, tx, restorable()[0])
    _insert(old, ANA)
    assert take(old, Settings(data=str(tmp_path)), file, no_progress).migration == restorable()[0]
    old.close()
    restore(fresh, file, no_progress)
    with fresh.read() as tx:
        assert find_mismatch(tx) is None
        assert tx.rows(f"SELECT {', '.join(ANA)} FROM users") == [tuple(ANA.values())]
        assert tx.rows("SELECT count(*) FROM contacts") == [(0,)]


def test_a_restored_database_has_every_index_and_trigger(with_tables: Database, tmp_path: Path, file: Path) -> None:
    expected = _indexes_and_triggers(with_tables)
    take(with_tables, Settings(data=str(tmp_path)), file, no_progress)
    restore(with_tables, file, no_progress, force=True)
    assert _indexes_and_triggers(with_tables) == expected
    assert {"events_search", "events_in_public", "placements_after_insert"} <= {name for name, *_ in expected}


def _indexes_and_triggers(db: Database) -> set[tuple[Any, ...]]:
    if isinstance(db, Sqlite):
        statements = ["SELECT name, sql FROM sqlite_master WHERE type <> 'table' OR sql LIKE 'CREATE VIRTUAL TABLE%'"]
    else:
        statements = [
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
            "SELECT tgname, tgenabled, tgdeferrable, tginitdeferred FROM pg_trigger WHERE NOT tgisinternal",
        ]
    with db.read() as tx:
        return {row for statement in statements for row in tx.rows(statement)}


def test_a_backup_of_a_newer_kalends_is_rejected(fresh: Database, file: Path, header: Header) -> None:
    newer = Header(header.format, "9.0.0", "9999_later", header.taken_at, "", [])
    with file.open("wb") as opened:
        write(opened, newer, [])
    with pytest.raises(BackupError, match=r"made by Kalends 9\.0\.0, which is newer"):
        restore(fresh, file, no_progress)
    with fresh.read() as tx:
        assert not tx.has_table("migrations")


def test_a_database_of_a_newer_kalends_is_neither_backed_up_nor_replaced(with_tables: Database, file: Path, header: Header) -> None:
    with with_tables.write() as tx:
        tx.run("INSERT INTO migrations (number, name, applied_at) VALUES (:number, 'later', 0)", number=KALENDS.latest() + 1)
    with pytest.raises(TooNew):
        take(with_tables, Settings(), file, no_progress)
    with file.open("wb") as opened:
        write(opened, header, [])
    with pytest.raises(TooNew):
        restore(with_tables, file, no_progress, force=True)
    with with_tables.read() as tx:
        assert tx.has_table("users")


# Besides, those that are refused before a row reaches the database; on PostgreSQL in `make soak`.
BY_DATABASE = {
    *("a column too few", "a row that refers to nothing", "the wrong type", "bytes that are none", "nothing where something must be"),
    "the same row twice",
}
HOSTILE: dict[str, tuple[Table, list[tuple[Any, ...]]]] = {
    "a table of another's": (Table("pg_class", ["oid"], 1, 0), [(1,)]),
    "a table that says more": (Table("users; DROP TABLE users", ["id"], 1, 0), [(1,)]),
    "a column that says more": (Table("series_exceptions", ["series_id", "slot) VALUES (1, 2); --"], 1, 0), [(1, "2")]),
    "a column too few": (Table("series_exceptions", ["series_id"], 1, 0), [(1,)]),
    "a row that refers to nothing": (Table("series_exceptions", ["series_id", "slot"], 1, 0), [(1, "2027-01-01")]),
    "a row that is too short": (Table("used_digests", ["digest", "expires_at"], 1, 0), [("YWJj",)]),
    "the wrong type": (Table("used_digests", ["digest", "expires_at"], 1, 0), [("YWJj", "soon")]),
    "bytes that are none": (Table("used_digests", ["digest", "expires_at"], 1, 0), [("é", 1)]),
    "nothing where something must be": (Table("used_digests", ["digest", "expires_at"], 1, 0), [("YWJj", None)]),
    "the same row twice": (Table("used_digests", ["digest", "expires_at"], 2, 0), [("YWJj", 1), ("YWJj", 1)]),
    "more rows than it says": (Table("used_digests", ["digest", "expires_at"], 1, 0), [("YWJj", 1), ("YWJi", 1)]),
    "fewer rows than it says": (Table("used_digests", ["digest", "expires_at"], 2, 0), [("YWJj", 1)]),
}


def test_an_inconsistent_backup_is_rejected_as_a_whole(with_tables: Database, file: Path, header: Header, soak: bool) -> None:
    _insert(with_tables, ANA)
    own = HOSTILE.keys() - BY_DATABASE if isinstance(with_tables, Sqlite) else BY_DATABASE
    for kind in HOSTILE if soak else sorted(own):
        table, rows = HOSTILE[kind]
        with file.open("wb") as opened:
            write(opened, Header(header.format, header.version, header.migration, header.taken_at, "", [table]), [rows])
        refusal = _refusal(with_tables, file)
        assert refusal.count("\n") == 0 < len(refusal), kind
        with with_tables.read() as tx:
            assert tx.rows("SELECT user_name FROM users") == [("ana",)], kind


def _refusal(db: Database, file: Path) -> str:
    """The error of a restore, or nothing."""
    try:
        restore(db, file, no_progress, force=True)
    except BackupError as error:
        return str(error)
    return ""


def test_a_file_with_a_flipped_bit_or_a_missing_end_is_rejected(sqlite_with_tables: Sqlite, tmp_path: Path, file: Path, soak: bool) -> None:
    _insert(sqlite_with_tables, ANA)
    take(sqlite_with_tables, Settings(data=str(tmp_path)), file, no_progress)
    whole = file.read_bytes()
    empty = Sqlite(tmp_path / "empty.sqlite3")
    accepted = 0
    # The first bytes are those of gzip, and say nothing of the content.
    for at in range(10, len(whole), 1 if soak else 5):
        for broken in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]):
            file.write_bytes(broken)
            if _unpacked(broken) == _unpacked(whole):
                accepted += 1
                continue
            with pytest.raises(BackupError):
                restore(empty, file, no_progress)
    # A few bits at the end of a block mean nothing; how many, depends on the time in the file.
    assert accepted < 20
    with empty.read() as tx:
        assert not tx.has_table("migrations")
    file.write_bytes(whole)
    restore(empty, file, no_progress)
    empty.close()


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return gzip.decompress(packed)
    except (EOFError, OSError, zlib.error):
        return None
