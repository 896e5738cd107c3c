"""Records as the actor may see them now, for followers; what is missing here is gone for them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar, MemberCalendars
from kalends.core.records.change import Kind
from kalends.core.records.event import Event, EventRow
from kalends.core.records.response import Comment
from kalends.features.calendars import present as calendar_present
from kalends.features.changes import history_store as history
from kalends.features.changes.journal_store import Entry
from kalends.features.changes.model import Change, SeriesChange
from kalends.features.comments import present as comment_present
from kalends.features.comments import store as comments
from kalends.features.contacts import present as contact_present
from kalends.features.contacts import store as contacts
from kalends.features.events import present as event_present
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import listing
from kalends.features.events.model import EventItem
from kalends.features.events.series import store as series_store
from kalends.features.events.series.model import build_repeat
from kalends.features.responses import present as response_present
from kalends.features.responses import store as responses
from kalends.http.context import Context
from kalends.http.paging import MAX_PAGE


class Follower(Struct, frozen=True):
    """What the actor follows: one calendar, or all of their own; and the ids of these."""

    calendar: Calendar | None
    calendar_ids: list[int]
    # By a key that names them, which opens nothing else.
    is_limited: bool = False

    @property
    def is_stranger(self) -> bool:
        """Whether the calendar is followed by someone who is no member of it. They must not learn of what was never public."""
        return self.calendar is not None and not self.calendar.is_member

    @property
    def has_own(self) -> bool:
        """Whether the actor follows what is theirs and on none of the calendars, too."""
        return self.calendar is None and not self.is_limited

    @property
    def calendars(self) -> list[Calendar] | MemberCalendars:
        return [self.calendar] if self.calendar else MemberCalendars()


def present(ctx: Context, follower: Follower, entries: list[Entry], kinds: Sequence[str]) -> list[Change]:
    """The records of the entries, each once: first calendars, then events, then what belongs to events.

    kinds: what the actor follows. With `series`, a series that is gone is one record; without `event`, single events are left out."""
    ids: dict[str, list[int]] = defaultdict(list)
    own: dict[str, set[int]] = defaultdict(set)
    for entry in entries:
        ids[entry.kind].append(entry.record_id)
        if entry.user_id is not None:
            own[entry.kind].add(entry.record_id)
    return [
        *_calendars(ctx, follower, _unique(ids["calendar"])),
        *_events(ctx, follower, _unique(ids["event"]), _unique(ids["series"]), own, kinds),
        *_comments(ctx, follower, _unique(ids["comment"]), own["comment"]),
        *_responses(ctx, follower, _unique(ids["response"]), own["response"]),
        *_contacts(ctx, follower, _unique(ids["contact"])),
    ]


def _unique(ids: Iterable[int]) -> list[int]:
    return sorted(set(ids))


def _gone(kind: Kind, ids: Iterable[int]) -> list[Change]:
    return [Change(kind=kind, op="gone", id=record_id) for record_id in ids]


def _calendars(ctx: Context, follower: Follower, ids: list[int]) -> list[Change]:
    if follower.calendar:
        # The actor's own entries are about their other calendars, too.
        ids = [each for each in ids if each == follower.calendar.id]
    if not ids:
        return []
    followed = [follower.calendar] if follower.calendar else policy.member_calendars(ctx)
    items = {calendar.id: calendar_present.item(calendar) for calendar in followed}
    puts = [Change(kind="calendar", op="put", id=each, calendar=items[each]) for each in ids if each in items]
    return puts + _gone("calendar", [each for each in ids if each not in items])


def _events(
    ctx: Context, follower: Follower, ids: list[int], series_ids: list[int], own: dict[str, set[int]], kinds: Sequence[str]
) -> list[Change]:
    """own: those of whose visibility the actor alone is notified; a stranger may know of these."""
    rows = _rows(ctx, follower, ids)
    items = dict(zip((row.id for row in rows), event_present.items(ctx.settings, rows), strict=True))
    in_series: dict[int, list[int]] = {series_id: [] for series_id in _visible_series(ctx, follower, series_ids)}
    for row in rows:
        if row.series_id is not None:
            in_series.setdefault(row.series_id, []).append(row.id)
    singles = [Change(kind="event", op="put", id=row.id, event=items[row.id]) for row in rows if row.series_id is None]
    series = _series(ctx, in_series, items)
    gone = [event_id for event_id in ids if event_id not in items]
    if follower.is_stranger:
        once_visible = own["event"] | history.find_once_visible(ctx, gone)
        gone = [event_id for event_id in gone if event_id in once_visible]
    if "series" in kinds:
        known = set(series_ids) & own["series"] if follower.is_stranger else set(series_ids)
        series_gone, gone = _gone_series(ctx, follower, gone, known - set(in_series), set(in_series))
        series += _gone("series", series_gone)
    if "event" not in kinds and "series" in kinds:
        return series
    return singles + series + _gone("event", gone)


def _gone_series(ctx: Context, follower: Follower, gone: list[int], series_ids: set[int], visible: set[int]) -> tuple[list[int], list[int]]:
    """The series of which the follower lists no event any more, and those of the gone events that must be named by themselves: an event
    that was once in no series, or in another one, may be held as such."""
    series_of = history.find_series(ctx, gone)
    candidates = {each for ids in series_of.values() for each in ids if each is not None} - visible
    candidates -= set(_visible_series(ctx, follower, sorted(candidates)))
    alone = [event_id for event_id in gone if len(series_of.get(event_id, ())) != 1 or not series_of[event_id] <= candidates]
    return sorted(candidates | series_ids), alone


def _series(ctx: Context, in_series: dict[int, list[int]], items: dict[int, EventItem]) -> list[Change]:
    """The series with those of their events that changed."""
    if not in_series:
        return []
    changes = []
    excepted: dict[int, list[str]] = defaultdict(list)
    for series_id, slot in series_store.find_exceptions(ctx, sorted(in_series)):
        excepted[series_id].append(slot)
    for series in series_store.find_by_ids(ctx, sorted(in_series)):
        repeat = build_repeat(series.rrule, series.start_date, series.also, ",".join(excepted[series.id]))
        change = SeriesChange(series.id, repeat, [items[event_id] for event_id in in_series[series.id]])
        changes.append(Change(kind="series", op="put", id=series.id, series=change))
    return changes


def _rows(ctx: Context, follower: Follower, ids: list[int]) -> list[EventRow]:
    """The given events that the follower lists."""
    if not ids:
        return []
    rows = []
    for i in range(0, len(ids), MAX_PAGE):
        rows += listing.find(ctx, EventQuery(ids=ids[i : i + MAX_PAGE], limit=MAX_PAGE), follower.calendars, "UTC")
    return rows


def _visible_series(ctx: Context, follower: Follower, series_ids: list[int]) -> list[int]:
    """The given series of which the follower lists an event."""
    return [each for each in series_ids if listing.find(ctx, EventQuery(series_id=each, limit=1), follower.calendars, "UTC")]


def _comments(ctx: Context, follower: Follower, ids: list[int], own: set[int]) -> list[Change]:
    rows = comments.find_by_ids(ctx, ids)
    events = _find_followed(ctx, follower, {row.event_id for row in rows})
    items = {
        row.id: comment_present.item(row, for_editor=event.can_edit)
        for row in rows
        if (event := events.get(row.event_id)) and policy.can_see_comment(ctx, row, event)
    }
    puts = [Change(kind="comment", op="put", id=each, comment=item) for each, item in items.items()]
    gone = {each for each in ids if each not in items}
    if follower.is_stranger:
        hidden = [row for row in rows if row.id not in items]
        gone -= {row.id for row in hidden} - _known_comments(ctx, hidden, set(events)) - own
    return puts + _gone("comment", sorted(gone))


def _known_comments(ctx: Context, hidden: list[Comment], event_ids: set[int]) -> set[int]:
    """The given comments that a stranger may know of: their own, and those that were approved on events that they could see, or see."""
    hidden_on = sorted({row.event_id for row in hidden})
    event_ids |= history.find_once_visible(ctx, hidden_on)
    approved = {row.id for row in hidden if row.approved} | history.find_once_approved(ctx, hidden_on)
    return {row.id for row in hidden if _is_own(ctx, row.user_id) or (row.event_id in event_ids and row.id in approved)}


def _is_own(ctx: Context, user_id: int | None) -> bool:
    return user_id is not None and user_id == policy.me(ctx)


def _responses(ctx: Context, follower: Follower, ids: list[int], own: set[int]) -> list[Change]:
    if ctx.actor is None:
        return []
    rows = responses.find_by_ids(ctx, ids)
    events = _find_followed(ctx, follower, {row.event_id for row in rows})
    visible = []
    for row in rows:
        event = events.get(row.event_id)
        is_own = _is_own(ctx, row.user_id) and (follower.has_own or event is not None)
        if is_own or (event is not None and event.can_edit):
            visible.append(row)
    items = {item.id: item for item in response_present.items(ctx, visible)} if visible else {}
    puts = [Change(kind="response", op="put", id=each, response=item) for each, item in items.items()]
    gone = {each for each in ids if each not in items}
    if follower.is_stranger:
        gone -= {row.id for row in rows if not _is_own(ctx, row.user_id)} - own
    return puts + _gone("response", sorted(gone))


def _find_followed(ctx: Context, follower: Follower, ids: set[int]) -> dict[int, Event]:
    """The given events that the follower lists, with what the actor may do."""
    listed = [row.id for row in _rows(ctx, follower, sorted(ids))]
    return policy.visible_events(ctx, listed) if listed else {}


def _contacts(ctx: Context, follower: Follower, ids: list[int]) -> list[Change]:
    if not ids or not follower.has_own:
        return []
    items = {row.id: contact_present.item(row) for row in contacts.find_by_ids(ctx, ids)}
    puts = [Change(kind="contact", op="put", id=each, contact=item) for each, item in items.items()]
    return puts + _gone("contact", [each for each in ids if each not in items])
