"""An account's own records as one zip file: JSON of every record, calendars as iCalendar, contacts as vCards, and pictures."""

from collections.abc import Callable, Iterable
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import msgspec
from msgspec import Struct

from kalends import policy
from kalends.core.records.people import User
from kalends.core.values import timestamps
from kalends.core.version import __version__
from kalends.db.migrate import newest
from kalends.features.contacts.rules import vcard
from kalends.features.events.feeds.steps import feed
from kalends.features.events.rules.uid import own_uid
from kalends.features.users import export_store as store
from kalends.http.context import Context

FORMAT = "kalends account 1"
MANIFEST = "account.json"


class Manifest(Struct, frozen=True):
    """What the file is, and the numbers of its records."""

    format: str
    version: str
    migration: str
    exported_at: str
    user_id: int
    user_name: str
    records: dict[str, int]


class _Own(Struct, frozen=True):
    """The ids by which the records of the account are found."""

    user: list[int]
    calendars: list[int]
    series: list[int]
    events: list[int]
    pictures: list[str]

    @property
    def steps(self) -> int:
        return 1 + len(self.calendars) + len(self.series) + len(self.events) + len(self.pictures)


def export(ctx: Context, user: User, file: IO[bytes], begin: Callable[[int], Callable[[int], None]]) -> Manifest:
    """Write the account to the file, in one read transaction. begin: gets the number of steps, and returns what reports them as done."""
    own = _find_own(ctx, user.id)
    advance, counts = begin(own.steps), {}
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for table in store.TABLES:
            counts[table] = _write_records(ctx, archive, f"records/{table}.jsonl", _parts(own, table), table)
            advance(_steps_of(own, table))
        for table, column in store.ELSEWHERE.items():
            _write_records(ctx, archive, f"elsewhere/{table}.jsonl", [(column, own.user)], table, without=set(own.events))
        _write_readable(ctx, archive, own, advance)
        _write_pictures(ctx, archive, own, advance)
        migration, exported_at = newest(ctx.tx) or "", timestamps.format_utc(ctx.now)
        manifest = Manifest(FORMAT, __version__, migration, exported_at, user.id, user.user_name, counts)
        archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


def _find_own(ctx: Context, user_id: int) -> _Own:
    calendars = store.find_calendar_ids(ctx, user_id)
    return _Own(
        [user_id],
        calendars,
        store.find_series_ids(ctx, calendars),
        store.find_event_ids(ctx, calendars),
        store.find_picture_paths(ctx, user_id, calendars),
    )


def _parts(own: _Own, table: str) -> list[tuple[str, list[int] | list[str]]]:
    """The columns by which rows of the table are found, with their values."""
    parts: list[tuple[str, list[int] | list[str]]] = [(column, own.user) for column in store.BY_USER.get(table, ())]
    for columns, values in (
        (store.BY_CALENDAR, own.calendars),
        (store.BY_SERIES, own.series),
        (store.BY_EVENT, own.events),
        (store.PICTURES, own.pictures),
    ):
        if table in columns:
            parts.append((columns[table], values))
    return parts


def _steps_of(own: _Own, table: str) -> int:
    return {"users": 1, "series": len(own.series), "events": len(own.events)}.get(table, 0)


def _write_records(
    ctx: Context,
    archive: ZipFile,
    name: str,
    parts: Iterable[tuple[str, list[int] | list[str]]],
    table: str,
    without: frozenset[int] | set[int] = frozenset(),
) -> int:
    """Write the rows as lines of JSON; returns how many. without: the ids of events whose records are left out."""
    count, encoder = 0, msgspec.json.Encoder()
    with archive.open(_entry(ctx, name), "w") as lines:
        for column, values in parts:
            for rows in store.find_rows(ctx, table, column, values):
                kept = [row for row in rows if row.get("event_id", row.get("id")) not in without]
                lines.write(encoder.encode_lines(_with_uids(ctx, table, kept)))
                count += len(kept)
    return count


def _with_uids(ctx: Context, table: str, rows: list[store.Row]) -> list[store.Row]:
    """The rows with the UIDs that events and series have by the secret of this service: another one must not make others."""
    if table == "series":
        return [row | {"uid": row["uid"] or own_uid(ctx.settings, row["id"], "series")} for row in rows]
    if table == "events":
        return [row if row["series_id"] else row | {"uid": row["uid"] or own_uid(ctx.settings, row["id"])} for row in rows]
    return rows


def _entry(ctx: Context, name: str) -> ZipInfo:
    moment = timestamps.to_utc(ctx.now)
    entry = ZipInfo(name, (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second))
    entry.compress_type = ZIP_DEFLATED
    return entry


def _write_readable(ctx: Context, archive: ZipFile, own: _Own, advance: Callable[[int], None]) -> None:
    """What other programs read."""
    for calendar in policy.visible_calendars(ctx, own.calendars):
        archive.writestr(f"calendars/{calendar.id}.ics", feed.build_for_calendar(ctx, calendar))
        advance(1)
    archive.writestr("contacts.vcf", vcard.write(store.find_contacts(ctx, own.user[0])))


def _write_pictures(ctx: Context, archive: ZipFile, own: _Own, advance: Callable[[int], None]) -> None:
    for rows in store.find_rows(ctx, "picture_files", "picture_path", own.pictures):
        for row in rows:
            # Pictures are compressed already.
            archive.writestr(f"pictures/{row['path'].rpartition('/')[2]}", store.find_picture(ctx, row["path"]), ZIP_STORED)
    advance(len(own.pictures))
