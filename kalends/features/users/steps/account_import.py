"""Import of an exported account into a service where nobody has one: the same ids, so that nothing has to be translated."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from zipfile import BadZipFile, ZipFile

import msgspec

from kalends.core import errors
from kalends.db import open_contents
from kalends.db.migrate import newest, tables
from kalends.db.table_copy import IntegrityError
from kalends.features.users import export_store
from kalends.features.users.steps.export import FORMAT, MANIFEST, Manifest
from kalends.http.context import Context


def import_account(ctx: Context, path: str, password_hash: str, begin: Callable[[int], Callable[[int], None]]) -> Manifest:
    """Make the account of the file, which administers the service from now on, in one transaction. Raises Conflict if the file or the
    service do not allow it. begin: gets the number of records, and returns what reports them as done."""
    try:
        if ctx.db.is_in_use():
            raise errors.Conflict("Another process uses this database. Stop the service first.")
        with ZipFile(path) as archive, ctx.write(alone=True):
            manifest = _read_manifest(ctx, archive)
            if not export_store.is_empty(ctx):
                raise errors.Conflict("People have accounts here. An exported account is imported into an empty service.")
            _insert(ctx, archive, manifest, password_hash, begin(sum(manifest.records.values())))
    except (BadZipFile, msgspec.MsgspecError, KeyError, IntegrityError) as error:
        raise errors.Conflict(f"{path} is damaged, or no exported account: {error}.") from None
    return manifest


def _read_manifest(ctx: Context, archive: ZipFile) -> Manifest:
    manifest = msgspec.json.decode(archive.read(MANIFEST), type=Manifest)
    if manifest.format != FORMAT or manifest.migration > (newest(ctx.tx) or ""):
        raise errors.Conflict(f"The file was made by Kalends {manifest.version}, which is newer. Install that version first.")
    return manifest


def _insert(ctx: Context, archive: ZipFile, manifest: Manifest, password_hash: str, advance: Callable[[int], None]) -> None:
    ctx.tx.without_statement_timeout()
    copy = open_contents(ctx.db, ctx.tx)
    imported = [table for table in tables() if table in export_store.TABLES]
    with copy.triggers_disabled(imported):
        for table in imported:
            for rows in _read_rows(archive, table):
                if table == "users":
                    rows = [row | {"password_hash": password_hash, "role": "admin", "status": "active"} for row in rows]
                export_store.insert(copy, table, rows, manifest.user_id)
                advance(len(rows))
            export_store.set_sequence(ctx, copy, table)
    copy.verify(imported)


def _read_rows(archive: ZipFile, table: str) -> Iterator[list[dict[str, Any]]]:
    """The rows of the table in batches."""
    with archive.open(f"records/{table}.jsonl") as lines:
        while batch := list(islice(lines, export_store.BATCH)):
            rows = [msgspec.json.decode(line) for line in batch]
            if table == "picture_files":
                rows = [row | {"content": _read_picture(archive, row["path"])} for row in rows]
            yield rows


def _read_picture(archive: ZipFile, path: str) -> bytes:
    return archive.read(f"pictures/{path.rpartition('/')[2]}")
