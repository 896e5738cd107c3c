"""Read entries whose rule has times of its own, such as FREQ=HOURLY or BYHOUR: each occurrence is a single event."""

from datetime import datetime, time, timedelta
from itertools import islice

from kalends.features.events.imports.rules.incoming import Importer, IncomingEvent, IncomingSeries
from kalends.features.events.series.rules.rule import MAX_OCCURRENCES
from kalends.ical import rrule_times
from kalends.ical.parse import Entry
from kalends.ical.rrule import Recurrence
from kalends.ical.values import shorten

# Of more occurrences than fit, those are kept that begin from a month ago on.
PAST = timedelta(days=31)


class WithinDayReader:
    """Reads an entry that may repeat several times a day, with its changed occurrences."""

    def __init__(self, importer: Importer, entry: Entry, uid: str, rule: Recurrence):
        assert entry.start is not None
        self._importer = importer
        self._reader = importer.reader
        self._entry = entry
        self._uid = uid
        self._rule = rule
        self._start = entry.start.local
        self._zone = self._reader.zone_of(entry, entry.start)

    def read(self, changed: list[Entry]) -> list[IncomingSeries]:
        """The events of the entry, and those changed occurrences that no rule makes."""
        series = IncomingSeries(self._entry.line, self._uid)
        content = self._reader.read_content(self._entry)
        moments = self._find_times(series)
        replaced = {self._instant(entry): entry for entry in changed if entry.recurrence_id}
        removed = {self._reader.to_instant(self._entry, value) for value in self._entry.exdates}
        removed |= {instant for instant, entry in replaced.items() if entry.start is None}
        self._importer.count(len(moments), content)
        for moment in moments:
            span = self._reader.read_span(self._entry, self._zone, moment - self._start)
            slot = moment.date().isoformat() + ("" if moment.time() == self._start.time() else f"T{moment:%H%M%S}")
            if span.start_at in replaced:
                entry = replaced.pop(span.start_at)
                if entry.start is not None:
                    series.events[slot] = self._importer.read_event(entry)
            elif span.start_at not in removed:
                series.events[slot] = IncomingEvent(content, span, self._zone.is_named)
        others = [each for each in replaced.values() if each.start is not None and self._slot(each) >= series.since]
        singles = [self._importer.read_single_occurrence(self._uid, each, self._zone) for each in others]
        return [*([series] if series.events else []), *singles]

    def _find_times(self, series: IncomingSeries) -> list[datetime]:
        """The local times of the occurrences: all, or as many as fit from the recent past on."""
        horizon = datetime.combine(self._importer.horizon(self._start.date()), time.max)
        moments = self._read_times(horizon, datetime.min)
        if len(moments) > MAX_OCCURRENCES:
            recent = datetime.combine(self._importer.today, time()) - PAST
            moments = self._read_times(horizon, max(self._start, recent)) or moments
            series.since = moments[0].date().isoformat() if moments[0] > self._start else ""
        kept = moments[:MAX_OCCURRENCES]
        goes_on = f" until {kept[-1].date()}" if len(moments) > len(kept) or (self._rule.count is None and self._rule.until is None) else ""
        rule = shorten(self._entry.rule)
        self._reader.warn(self._entry.line, "repeat", f"the rule {rule} is kept as {len(kept):,} single events{goes_on}")
        return kept

    def _read_times(self, last: datetime, first: datetime) -> list[datetime]:
        """The times from the first on, with one more than fit."""
        until = self._rule.until
        end = None if until is None or until.is_date else self._reader.to_instant(self._entry, until)
        # An instant in UTC may be on the next day where the event is.
        if until and until.local < last - timedelta(days=2):
            last = datetime.combine(until.local.date(), time.max) + timedelta(days=not until.is_date)
        moments = rrule_times.times(self._rule, self._start, last, self._reader.budget, first)
        kept = islice(moments, MAX_OCCURRENCES + 1)
        return [each for each in kept if end is None or each == self._start or self._zone.to_instant(each) <= end]

    def _instant(self, entry: Entry) -> int:
        assert entry.recurrence_id is not None
        return self._reader.to_instant(entry, entry.recurrence_id)

    def _slot(self, entry: Entry) -> str:
        assert entry.recurrence_id is not None
        return self._reader.to_date(entry, entry.recurrence_id, self._zone).isoformat()
