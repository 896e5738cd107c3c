"""Plan an import: what the entries of the file become, before anything is written."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import datetimes
from kalends.features.events import store
from kalends.features.events.imports.rules.entries import MAX_DAYS, EntryReader, as_all_day
from kalends.features.events.imports.rules.incoming import Importer, IncomingSeries
from kalends.features.events.imports.rules.recurrence import RecurrenceReader
from kalends.http.context import Context
from kalends.http.csv_file import Remark
from kalends.ical.parse import CalendarFile, Entry

# The size of one write transaction, for which all other writes wait; a single series may be larger.
BATCH_EVENTS = 1_000
BATCH_TEXT = 150_000

# Shows the progress of a command: takes items and the name of the step, and yields the items.
Progress = Callable[[list[Any], str], Iterable[Any]]


def show_nothing(items: list[Any], description: str) -> Iterable[Any]:
    return items


class Plan(Struct):
    """The events of the file, the remarks on what cannot be imported, and how many entries are skipped."""

    incoming: list[IncomingSeries]
    remarks: list[Remark]
    skipped: int

    @property
    def uids(self) -> set[str]:
        return {series.uid for series in self.incoming}


def build_plan(
    ctx: Context, file: CalendarFile, zone: str, *, is_zone_sent: bool, progress: Progress = show_nothing, max_days: int = MAX_DAYS
) -> Plan:
    """The plan for the entries of the file; their times are in `zone` if they have none, and it overrides the file's if it was sent."""
    reader = EntryReader(file, zone, store.content_columns, is_zone_sent=is_zone_sent, url=ctx.settings.url, max_days=max_days)
    importer = Importer(reader, datetimes.to_local(ctx.now, "UTC").date())
    groups: dict[str, list[Entry]] = {}
    for entry in file.entries:
        groups.setdefault(entry.uid, []).append(entry)
    incoming = [series for uid, entries in progress(list(groups.items()), "Reading") for series in read_group(importer, uid, entries)]
    if not incoming:
        first = reader.remarks[0]
        raise errors.invalid(
            "file",
            gettext("contains no readable event. Line %(line)s: %(message)s", line=str(first.line), message=first.message),
            "invalid_format",
        )
    reader.warn_unsupported()
    _refuse_too_much_text(incoming)
    return Plan(incoming, list(dict.fromkeys(reader.remarks)), importer.skipped)


def split_batches(incoming: list[IncomingSeries]) -> list[list[IncomingSeries]]:
    """The series in batches for one transaction each; at least one batch."""
    batches: list[list[IncomingSeries]] = [[]]
    events = text = 0
    for series in incoming:
        events += len(series.events)
        text += series.text_size
        if batches[-1] and (events > BATCH_EVENTS or text > BATCH_TEXT):
            batches.append([])
            events, text = len(series.events), series.text_size
        batches[-1].append(series)
    return batches


def _refuse_too_much_text(incoming: list[IncomingSeries]) -> None:
    """A series is written in one transaction, and has the same limit as one that is created here."""
    for series in incoming:
        if series.text_size > store.MAX_TEXT:
            message = gettext(
                "has an event in line %(line)s that repeats too much text: its dates have %(count)s characters in "
                "total, and the limit is %(max)s. Shorten the text or the rule",
                line=str(series.line),
                max=store.MAX_TEXT,
                count=series.text_size,
            )
            raise errors.invalid("file", message, "too_large")


def read_group(importer: Importer, uid: str, entries: list[Entry]) -> list[IncomingSeries]:
    """The series of the entries that share a UID, and one more for each changed occurrence without a place in it."""
    for entry in entries:
        for name, message in entry.errors:
            importer.reader.warn(entry.line, name, message)
    masters = [entry for entry in entries if entry.recurrence_id is None]
    changed = _newest(entry for entry in entries if entry.recurrence_id is not None)
    if not masters:
        return _read_occurrences(importer, uid, changed)
    newest = max(masters, key=lambda entry: (entry.sequence, entry.line))
    if len(masters) > 1:
        importer.reader.warn(newest.line, "file", f"the file has {len(masters):,} events under one UID; this one counts")
    for entry in changed:
        entry.is_private = newest.is_private if entry.is_private is None else entry.is_private
    with importer.skip_on_error(newest):
        return _read_master(importer, uid, newest, changed)
    return []


def _newest(changed: Iterable[Entry]) -> list[Entry]:
    """The newest entry of each occurrence."""
    newest = {entry.recurrence_id: entry for entry in sorted(changed, key=lambda entry: (entry.sequence, entry.line))}
    return sorted(newest.values(), key=lambda entry: entry.line)


def _read_master(importer: Importer, uid: str, entry: Entry, changed: list[Entry]) -> list[IncomingSeries]:
    if entry.start is None:
        importer.skipped += 1
        return []
    return RecurrenceReader(importer, as_all_day(entry), uid).read(changed)


def _read_occurrences(importer: Importer, uid: str, changed: list[Entry]) -> list[IncomingSeries]:
    """Changed occurrences of a series that is not in the file."""
    incoming: list[IncomingSeries] = []
    for entry in changed:
        if entry.start is None or entry.recurrence_id is None:
            importer.skipped += 1
        else:
            with importer.skip_on_error(entry):
                zone = importer.reader.zone_of(entry, entry.recurrence_id)
                incoming.append(importer.read_single_occurrence(uid, entry, zone))
    return incoming
