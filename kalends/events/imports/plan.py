"""What a calendar file comes to, before anything is written."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from kalends import errors
from kalends.context import Context
from kalends.events import store
from kalends.events.imports.entries import Reader, whole_days
from kalends.events.imports.incoming import Arrival, Maker
from kalends.events.imports.recurrence import Repetition
from kalends.http.remarks import Remark
from kalends.ical.parse import Entry, File
from kalends.values import datetimes

# What is written in one transaction, while all other writes wait; a single series may be more.
BATCH_EVENTS = 1_000
BATCH_TEXT = 150_000

# How a command shows how far it is: the items as they are taken, and what is done with them.
Shown = Callable[[list[Any], str], Iterable[Any]]


class Plan(Struct):
    """The events of the file by UID, what of them cannot be kept, and how many are left out."""

    arrivals: list[Arrival]
    remarks: list[Remark]
    skipped: int

    @property
    def uids(self) -> set[str]:
        return {arrival.uid for arrival in self.arrivals}


def planned(ctx: Context, file: File, zone: str, *, is_zone_given: bool, shown: Shown) -> Plan:
    """What the entries of the file come to; without a zone of their own, their times are meant in this one."""
    reader = Reader(file, zone, is_zone_given=is_zone_given, url=ctx.settings.url)
    maker = Maker(reader, datetimes.to_local(ctx.now, "UTC").date())
    groups: dict[str, list[Entry]] = {}
    for entry in file.entries:
        groups.setdefault(entry.uid, []).append(entry)
    arrivals = [arrival for uid, entries in shown(list(groups.items()), "Reading") for arrival in _arrivals(maker, uid, entries)]
    if not arrivals and not any(entry.is_cancelled for entry in file.entries):
        first = reader.remarks[0]
        raise errors.invalid("file", f"has no event that can be read; line {first.line}: {first.message}", "invalid_format")
    reader.tell_unkept()
    _refuse_long(arrivals)
    return Plan(arrivals, list(dict.fromkeys(reader.remarks)), maker.skipped)


def batches(arrivals: list[Arrival]) -> list[list[Arrival]]:
    """The arrivals in runs, each of which is written quickly; at least one."""
    found: list[list[Arrival]] = [[]]
    events = text = 0
    for arrival in arrivals:
        events += len(arrival.wanted)
        text += arrival.text
        if found[-1] and (events > BATCH_EVENTS or text > BATCH_TEXT):
            found.append([])
            events, text = len(arrival.wanted), arrival.text
        found[-1].append(arrival)
    return found


def _refuse_long(arrivals: list[Arrival]) -> None:
    """A series is written at once, as if it were repeated here."""
    for arrival in arrivals:
        if arrival.text > store.MOST_TEXT:
            most = f"{store.MOST_TEXT:,} characters fit, and its occurrences have {arrival.text:,} together"
            message = f"the event on line {arrival.line} repeats too much text: {most}; shorten the text or the rule"
            raise errors.invalid("file", message, "too_large")


def _arrivals(maker: Maker, uid: str, entries: list[Entry]) -> list[Arrival]:
    """What the entries that share a UID come to: one for the event, and one for each occurrence that was changed alone."""
    for entry in entries:
        for name, message in entry.faults:
            maker.reader.tell(entry.line, name, message)
    alone = [entry for entry in entries if entry.occurrence is None]
    changed = _latest(entry for entry in entries if entry.occurrence is not None)
    if not alone:
        return _parts(maker, uid, changed)
    newest = max(alone, key=lambda entry: (entry.sequence, entry.line))
    if len(alone) > 1:
        maker.reader.tell(newest.line, "file", f"the file has {len(alone):,} events under one UID; this one counts")
    with maker.skipping(newest):
        return _whole(maker, uid, newest, changed)
    return []


def _latest(changed: Iterable[Entry]) -> list[Entry]:
    """The newest entry of each occurrence."""
    found = {entry.occurrence: entry for entry in sorted(changed, key=lambda entry: (entry.sequence, entry.line))}
    return sorted(found.values(), key=lambda entry: entry.line)


def _whole(maker: Maker, uid: str, entry: Entry, changed: list[Entry]) -> list[Arrival]:
    if entry.is_cancelled:
        maker.skip(entry, "status", "it was left out: it is cancelled")
        return []
    if entry.start is None:
        maker.skipped += 1
        return []
    return Repetition(maker, whole_days(entry), uid).arrivals(changed)


def _parts(maker: Maker, uid: str, changed: list[Entry]) -> list[Arrival]:
    """Occurrences whose series is not in the file."""
    found: list[Arrival] = []
    for entry in changed:
        if entry.is_cancelled:
            maker.skip(entry, "status", "it was left out: it is cancelled")
        elif entry.start is None or entry.occurrence is None:
            maker.skipped += 1
        else:
            with maker.skipping(entry):
                found.append(maker.alone(uid, entry, maker.reader.clock(entry, entry.occurrence)))
    return found
