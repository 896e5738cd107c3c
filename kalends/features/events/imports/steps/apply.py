"""Write the events of a file: those that are new or differ, and no others."""

from collections.abc import Callable
from datetime import date
from typing import Any

from msgspec import Struct, structs

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events import present, store
from kalends.features.events.imports.rules.incoming import IncomingEvent, IncomingSeries
from kalends.features.events.imports.steps.existing import Existing
from kalends.features.events.model import COORDINATES, PARTS, STATUS, ImportedEvent
from kalends.features.events.rules.coordinates import to_degrees
from kalends.features.events.rules.span import Span
from kalends.features.events.series import store as series_store
from kalends.features.events.series.rules.rule import Rule
from kalends.features.events.series.store import Series
from kalends.features.responses.steps import series as series_responses
from kalends.http.context import Context
from kalends.ical.rrule import Recurrence

_CONTENT = ("title", "description", "location", "image_url", "tags", *STATUS)


# Whether the sender of a file has made the event public that has this slot in its series.
Publishes = Callable[[str], bool]


class Identity(Struct, frozen=True):
    """How later imports find an event: by its own UID, or by its slot in a series."""

    uid: str | None
    series_id: int | None
    slot: str | None
    edited: bool


class ImportWriter:
    """Collects the changes of one transaction, and writes them."""

    def __init__(
        self, ctx: Context, calendar: Calendar, public: bool | None, *, publishes: Publishes | None = None, owner_id: int | None = None
    ):
        """public: who sees all of the events; None: as their CLASS and the calendar say.
        publishes: the file is all there is, also of dates that were deleted or changed alone here; its sender has read them, and may have
        made dates public.
        owner_id: whose the new events are; the actor's by default."""
        self._ctx = ctx
        self._owner_id = policy.user(ctx).id if owner_id is None else owner_id
        self._is_exact = publishes is not None
        self._publishes = publishes
        self._calendar = calendar
        self._public = public
        self._change_count = 0
        self._inserts: list[dict[str, Any]] = []
        self._updates: list[dict[str, Any]] = []
        self._exceptions: list[tuple[int, str]] = []
        self._deletes: list[int] = []
        self._replaced_series: list[int] = []
        # Those that get more dates.
        self._extended: set[int] = set()
        self._new_uids: set[str | None] = set()
        self._event_ids: dict[str, int] = {}
        self._series_ids: dict[str, int] = {}

    def add(self, series: IncomingSeries, existing: Existing) -> str:
        """Collect the changes that the series makes; returns "imported", "updated" or "unchanged"."""
        before, is_new = self._change_count, not existing.events
        if self._is_exact:
            self._forget_departures(series, existing)
        match_single_event(series, existing)
        series_id = self._save_rule(series, existing) if series.rule else None
        if series_id is not None:
            self._series_ids[series.uid] = series_id
        elif existing.series:
            self._replaced_series.append(existing.series.id)
        self._replaced_series += existing.parts
        for slot in sorted(series.events):
            self._add_event(series, existing, slot, series_id)
        self._delete_others(series, existing)
        if is_new:
            return "imported"
        return "updated" if self._change_count > before else "unchanged"

    @property
    def record_ids(self) -> tuple[list[int], list[int]]:
        """The events that have a UID of their own, and the series."""
        return list(self._event_ids.values()), list(self._series_ids.values())

    def find_ids(self, uid: str) -> tuple[int | None, int | None]:
        """The single event or the series that was written with this UID."""
        series_id = self._series_ids.get(uid)
        return (None, series_id) if series_id is not None else (self._event_ids.get(uid), None)

    @property
    def deleted_ids(self) -> frozenset[int]:
        """The events that are deleted next."""
        return frozenset(self._deletes)

    def write(self) -> None:
        if self._is_exact:
            store.delete(self._ctx, self._deletes)
        else:
            store.delete_or_detach(self._ctx, self._deletes)
        store.update_all(self._ctx, self._updates)
        ids = store.insert_all(self._ctx, self._inserts)
        self._event_ids |= {row["uid"]: event_id for row, event_id in zip(self._inserts, ids, strict=True) if row["uid"]}
        series_store.insert_exceptions(self._ctx, self._exceptions)
        for series_id in self._replaced_series:
            series_store.delete_if_empty(self._ctx, series_id)
        for series_id in sorted(self._extended):
            series_responses.extend(self._ctx, series_id)

    def first_events(self, written: list[IncomingSeries]) -> list[ImportedEvent]:
        """The first event of each series."""
        series_ids = [self._series_ids[series.uid] for series in written if series.uid in self._series_ids]
        first_ids = store.first_event_of_series(self._ctx, series_ids)
        events = []
        for series in written:
            slot = min(series.events)
            event_id = first_ids.get(self._series_ids.get(series.uid, 0)) or self._event_ids.get(_single_uid(series, slot))
            if event_id:
                event = series.events[slot]
                events.append(ImportedEvent(event_id, event.content.columns["title"], _format_start(event.span), series.uid))
        return events

    def _save_rule(self, series: IncomingSeries, existing: Existing) -> int:
        """Insert or update the series with the rule and the exceptions of the file."""
        old = existing.series
        assert series.rule is not None
        new = series_store.new_series(series.rule, series.clock, series.made_until, series.uid)
        if old is None:
            series_id = series_store.insert(self._ctx, new)
            self._change_count += 1
        elif _is_same_rule(series, new, old):
            series_id = old.id
            series.made_until = old.made_until
            series.since = max(series.since, old.start_date) if series.since else ""
        else:
            series_id = old.id
            series_store.update(self._ctx, structs.replace(new, id=series_id))
            self._change_count += 1
        exceptions = [(series_id, slot) for slot in sorted(series.exceptions - existing.exceptions)]
        self._exceptions += exceptions
        self._change_count += len(exceptions)
        return series_id

    def _forget_departures(self, series: IncomingSeries, existing: Existing) -> None:
        """Restore deleted dates, and reset dates that were changed individually."""
        if existing.series and (returned := sorted(existing.exceptions - series.exceptions)):
            series_store.delete_exceptions(self._ctx, existing.series.id, returned)
            existing.exceptions -= set(returned)
            self._change_count += len(returned)
        for slot, event in existing.events.items():
            if event.edited and slot in series.events and not series.events[slot].edited:
                existing.events[slot] = structs.replace(event, edited=False)

    def _add_event(self, series: IncomingSeries, existing: Existing, slot: str, series_id: int | None) -> None:
        old, new, uid = existing.events.get(slot), series.events[slot], _single_uid(series, slot)
        if series_id is None:
            identity = Identity(uid, None, None, False)
        elif _takes_from_file(series, existing, slot, old):
            is_pattern = old is not None and existing.pattern is not None and old.id == existing.pattern.id
            identity = Identity(series.uid if is_pattern else None, series_id, slot, new.edited)
        else:
            return
        if old is None:
            self._insert(new, identity, existing)
            if existing.series and series_id is not None:
                self._extended.add(series_id)
            return
        self._event_ids[uid] = old.id
        public = self._is_public(old.public, new, slot)
        if not slot and existing.series is None and (existing.is_own or old.series_id is not None):
            # It was created here or repeats here, and keeps its UID and its series.
            edited = old.edited or (old.slot is not None and (old.public != public or _differs(old, new)))
            identity = Identity(old.uid, old.series_id, old.slot, edited)
        self._update(old, new, identity, public)

    def _delete_others(self, series: IncomingSeries, existing: Existing) -> None:
        """Delete existing events that the file does not have any more, and duplicates."""
        ids = [event.id for slot, event in existing.events.items() if slot not in series.events and slot >= series.since]
        ids += [event.id for event in existing.duplicates]
        self._deletes += ids
        self._change_count += len(ids)

    def _is_public(self, was_public: bool, new: IncomingEvent, slot: str) -> bool:
        """Whether everyone sees an event that is there already, or one like it. Importing a file once more makes nothing public."""
        if self._public is not None:
            return self._public
        if new.content.is_private:
            return False
        return was_public or (self._publishes is not None and self._calendar.public and self._publishes(slot))

    def _insert(self, event: IncomingEvent, identity: Identity, existing: Existing) -> None:
        """Insert the event, with the owner and home calendar of an event of the same series. Others see it as they see that series."""
        sibling = next(iter(existing.events.values()), None)
        regular = [each.public for each in existing.events.values() if not each.edited]
        public = self._calendar.public and not event.content.is_private if self._public is None else self._public
        if sibling:
            public = self._is_public(all(regular) if regular else sibling.public, event, identity.slot or "") and public
        if identity.uid in self._new_uids:
            # The UID that one entry has is the one that was made for an occurrence of another.
            identity = structs.replace(identity, uid=None)
        self._new_uids.add(identity.uid)
        home = {
            "owner_id": sibling.owner_id if sibling else self._owner_id,
            "calendar_id": sibling.calendar_id if sibling else self._calendar.id,
            "public": public,
            "by_link": False,
            "party_max": None,
        }
        self._inserts.append(event.content.columns | store.span_columns(event.span) | structs.asdict(identity) | home)
        self._change_count += 1

    def _update(self, old: Event, new: IncomingEvent, identity: Identity, public: bool) -> None:
        """Update the event if it differs."""
        by_link = old.by_link and not public and self._public is None
        is_seen_alike = (old.public, old.by_link) == (public, by_link)
        if is_seen_alike and not _differs(old, new) and identity == Identity(old.uid, old.series_id, old.slot, old.edited):
            return
        span = store.span_columns(new.span if _has_moved(old, new) else _span(old))
        row = _content_columns(old, new) | span | structs.asdict(identity)
        row |= {name: new.content.columns[name] for name in STATUS}
        self._updates.append(row | {"id": old.id, "public": public, "by_link": by_link, "party_max": old.party_max})
        self._change_count += 1


def _differs(old: Event, new: IncomingEvent) -> bool:
    whole, columns = old.whole, new.content.columns
    has_other_point = columns["latitude"] is not None and any(getattr(whole, name) != columns[name] for name in COORDINATES)
    return _has_moved(old, new) or has_other_point or any(getattr(whole, name) != columns[name] for name in _CONTENT)


def _single_uid(series: IncomingSeries, slot: str) -> str:
    """The UID of an event of the series, if it is not stored as part of one."""
    return f"{series.uid}/{slot}" if slot else series.uid


def match_single_event(series: IncomingSeries, existing: Existing) -> None:
    """Give a single event that now repeats, or an occurrence that is now single, the slot that it has in the file."""
    single = existing.events.get("")
    if single and "" not in series.events:
        local = datetimes.to_local(single.start_at, single.time_zone).date().isoformat()
        free = [slot for slot in (local, *sorted(series.events)) if slot in series.events and slot not in existing.events]
        if free:
            existing.events[free[0]] = existing.events.pop("")
    elif "" in series.events and not single and existing.events:
        span = series.events[""].span
        local = datetimes.to_local(span.start_at, span.time_zone).date().isoformat()
        existing.events[""] = existing.events.pop(local if local in existing.events else min(existing.events))


def _is_same_rule(series: IncomingSeries, new: Series, old: Series) -> bool:
    """Whether both have the same dates. If the file has too many dates, the existing series may begin at another one."""
    first, second = new.rule, old.rule
    if (_without_end(first), new.clock, new.also) != (_without_end(second), old.clock, old.also) or first.is_endless != second.is_endless:
        return False
    if first.start != second.start and not (series.since and second.has(max(first.start, second.start))):
        return False
    return first.is_endless or _last(first) == _last(second)


def _without_end(rule: Rule) -> Recurrence:
    return structs.replace(rule.recurrence, count=None, until=None)


def _last(rule: Rule) -> date | None:
    return max(rule.own_dates(), default=None)


def _takes_from_file(series: IncomingSeries, existing: Existing, slot: str, old: Event | None) -> bool:
    """Whether the occurrence becomes what the file says: not if it was deleted here, or changed alone here but not in the file."""
    if slot in existing.exceptions:
        return False
    is_made = series.since <= slot <= series.made_until or (series.rule is not None and date.fromisoformat(slot) in series.rule.also)
    return series.events[slot].edited or (is_made and not (old and old.edited))


def _has_moved(old: Event, new: IncomingEvent) -> bool:
    """Whether the times differ. An event keeps its zone if the file names none."""
    new_span, old_span = new.span, _span(old)
    if new_span.all_day and old_span.all_day:
        return _days(new_span) != _days(old_span)
    if (new_span.start_at, new_span.until_at, new_span.all_day) != (old_span.start_at, old_span.until_at, old_span.all_day):
        return True
    return new.is_zone_named and new_span.time_zone != old_span.time_zone


def _days(span: Span) -> tuple[date, date]:
    return datetimes.to_local(span.start_at, span.time_zone).date(), datetimes.to_local(span.until_at - 1, span.time_zone).date()


def _span(event: Event) -> Span:
    until_at = event.end_at
    if until_at is None:
        first = datetimes.to_local(event.start_at, event.time_zone).date()
        until_at = datetimes.end_of_day(first, event.time_zone) if event.all_day else event.start_at
    return Span(event.start_at, event.end_at, until_at, event.all_day, event.time_zone)


def _content_columns(old: Event, new: IncomingEvent) -> dict[str, Any]:
    """The content of the file. An unchanged location keeps its parts and its coordinates, a picture its text, and the event its link, its
    price and who may know its place: files may lack these."""
    old, columns = old.whole, new.content.columns
    fields = present.editable(old)
    content = {name: columns[name] for name in ("title", "description", "image_url")}
    if old.image_url != columns["image_url"]:
        content["image_alt"] = None
    if old.location != columns["location"]:
        content |= {name: columns[name] for name in ("location", *PARTS)}
    if old.location != columns["location"] or columns["latitude"] is not None:
        content |= {name: to_degrees(columns[name]) for name in COORDINATES}
    return store.content_columns(structs.replace(fields, **content, tag_list=columns["tags"]))


def _format_start(span: Span) -> str:
    if span.all_day:
        return datetimes.to_local(span.start_at, span.time_zone).date().isoformat()
    return datetimes.format_instant(span.start_at, span.time_zone)
