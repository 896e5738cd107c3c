"""Events as the API returns them: the limited fields of a list, the expanded fields of one event, and the editable fields."""

from collections.abc import Sequence

from msgspec import structs

from kalends import policy
from kalends.comments import present as comment_present
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events import span, store
from kalends.events.input import EventFields
from kalends.events.model import PARTS, CalendarName, EventDetail, EventItem
from kalends.events.placements import store as placements
from kalends.events.query import CommentPage
from kalends.http.paging import MAX_PAGE
from kalends.policy import Right
from kalends.records.calendar import Calendar
from kalends.records.event import Event, EventRow
from kalends.records.response import Tally
from kalends.responses import store as responses
from kalends.values.datetimes import format_instant
from kalends.values.person import Person
from kalends.values.timestamps import format_utc

_EDITABLE = ("title", "all_day", "time_zone", "description", "location", "image_url", "public", "party_max", *PARTS)


def load_detail(ctx: Context, event_id: int) -> EventDetail:
    """The expanded fields of the event, if the actor can see it, with its ETag."""
    event = policy.event(ctx, event_id, to=Right.SEE)
    ctx.tag(event.etag, with_body_hash=True)
    return detail(ctx, event)


def detail(ctx: Context, event: Event) -> EventDetail:
    """The expanded fields."""
    return _detail(ctx, event, placements.calendars(ctx, event), responses.tally(ctx, event), comments.count_of_event(ctx, event))


def detail_with_comments(ctx: Context, event: Event, page: CommentPage | None) -> EventDetail:
    """The expanded fields, with a page of the comments that the reader may see."""
    expanded = detail(ctx, event)
    if page:
        rows = comments.of_event(ctx, event, min(page.limit, MAX_PAGE), page.offset)
        expanded.comments = [comment_present.item(comment, with_address=event.can_edit) for comment in rows]
    return expanded


def new_detail(ctx: Context, event: Event, calendar: Calendar) -> EventDetail:
    """The expanded fields of a new event, which has no responses and comments yet."""
    return _detail(ctx, event, [CalendarName(calendar.id, calendar.name)], Tally(), 0)


def items(ctx: Context, rows: list[EventRow]) -> list[EventItem]:
    """The limited fields, with the calendars that the reader can see. Rows with the same calendars share one lookup."""
    keys = [row.placed for row in rows]
    placed = {key: sorted(int(calendar_id) for calendar_id in key.split(",") if calendar_id) for key in set(keys)}
    seen = store.visible_calendar_ids(ctx, list({calendar_id for ids in placed.values() for calendar_id in ids}))
    visible = {key: [calendar_id for calendar_id in ids if calendar_id in seen] for key, ids in placed.items()}
    return _items(ctx, rows, [visible[key] for key in keys])


def editable(event: Event) -> EventFields:
    """The fields that a client may change."""
    start_time, end_time = span.format_times(event)
    return EventFields(
        start_time=start_time,
        end_time=end_time,
        tag_list=event.tags,
        **{name: getattr(event, name) for name in _EDITABLE},
    )


def _detail(ctx: Context, event: Event, calendars: list[CalendarName], tally: Tally, comments_count: int) -> EventDetail:
    [item] = _items(ctx, [event], [[calendar.id for calendar in calendars]])
    return EventDetail(
        *structs.astuple(item),
        description=event.description,
        location_name=event.location_name,
        street=event.street,
        city=event.city,
        state=event.state,
        zip=event.zip,
        country=event.country,
        owner=Person(event.owner_id, event.owner_name),
        calendars=calendars,
        repeat=event.repeat,
        party_max=event.party_limit,
        responses=tally,
        comments_count=comments_count,
        can_edit=event.can_edit,
        created_at=format_utc(event.created_at),
    )


def _items(ctx: Context, events: Sequence[Event | EventRow], calendar_ids: list[list[int]]) -> list[EventItem]:
    """The limited fields, in one loop without a call for each event: lists are long, and calls would take much of the time."""
    base = f"{ctx.settings.url}/events/"
    items = []
    for event, ids in zip(events, calendar_ids, strict=True):
        zone, end_at, tags = event.time_zone, event.end_at, event.tags
        if event.all_day:
            start_time, end_time = span.format_times(event)
        else:
            start_time, end_time = format_instant(event.start_at, zone), None if end_at is None else format_instant(end_at, zone)
        item = EventItem(
            event.id,
            event.title,
            start_time,
            end_time,
            bool(event.all_day),
            zone,
            event.location,
            event.image_url,
            tags,
            tags.split(",") if tags else [],
            bool(event.public),
            ids,
            event.series_id,
            f"{base}{event.id}",
            format_utc(event.updated_at),
        )
        items.append(item)
    return items
