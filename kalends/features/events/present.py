"""Events as the API returns them: the limited fields of a list, the expanded fields of one event, and the editable fields."""

from collections.abc import Iterable
from operator import attrgetter

from msgspec import structs

from kalends import policy
from kalends.core.records.calendar import TargetCalendar
from kalends.core.records.event import CalendarName, Event, EventRow, EventWithCounts
from kalends.core.records.people import Person
from kalends.core.records.response import Tally
from kalends.core.records.response_settings import DEFAULTS
from kalends.core.settings import Settings
from kalends.core.values.picture import parse_path
from kalends.core.values.timestamps import format_utc
from kalends.features.comments import present as comment_present
from kalends.features.comments import store as comments
from kalends.features.events import response_settings_store as response_settings
from kalends.features.events.input_model import EventFields
from kalends.features.events.listing.query_model import CommentPage
from kalends.features.events.model import ACCESS, PARTS, STATUS, EventDetail, EventImage, EventItem, Places
from kalends.features.events.rules import span
from kalends.features.events.rules.coordinates import to_degrees
from kalends.features.events.rules.uid import own_suffix
from kalends.features.events.series.model import Repeat, build_repeat
from kalends.features.questions import present as question_present
from kalends.http.context import Context
from kalends.http.paging import MAX_PAGE

_BY_ID = attrgetter("id")
_DEFAULT_SETTINGS = structs.asdict(DEFAULTS)
_EDITABLE = (
    *("title", "all_day", "time_zone", "description", "location", "image_url", "image_alt", "public", "visibility", "party_max"),
    *STATUS,
    *PARTS,
    *ACCESS,
)


def load_detail(ctx: Context, event_id: int) -> EventDetail:
    """The expanded fields of the event, if the actor can see it, with its ETag."""
    event = policy.event_with_counts(ctx, event_id)
    ctx.tag(event.etag, with_body_hash=True)
    return detail(ctx, event)


def detail(ctx: Context, event: EventWithCounts) -> EventDetail:
    """The expanded fields."""
    detail = detail_without_questions(ctx.settings, policy.reveal(ctx, event))
    if event.has_questions:
        detail.questions = question_present.load(ctx, event.id, event.calendar_id)
    return detail


def detail_without_questions(settings: Settings, event: EventWithCounts) -> EventDetail:
    """What the row alone says of the expanded fields."""
    repeat = (
        build_repeat(event.rrule, event.first_date, event.also or "", event.excepted or "") if event.rrule and event.first_date else None
    )
    calendars = sorted(event.calendars, key=_BY_ID)
    return _detail(settings, event, calendars, count_responses(event), event.comments_count, repeat, count_places(event))


def count_places(event: EventWithCounts) -> Places | None:
    """The places of an event with a capacity. What was offered or held until a time that is over is free, whether or not a worker has run
    since."""
    seats, capacity = event.seats, event.settings.capacity
    if seats is None or capacity is None:
        return None
    held = seats.taken - seats.lapsed - seats.unconfirmed
    waiting = seats.waiting - seats.unconfirmed_waiting
    return Places(capacity, held, seats.offered, max(0, capacity - held), waiting, max(0, held - capacity))


def count_responses(event: EventWithCounts) -> Tally:
    """The number of responses of each kind, without those that were not confirmed in time."""
    tally, seats = event.tally or Tally(), event.seats
    if seats is None:
        return tally
    return structs.replace(tally, yes=tally.yes - seats.unconfirmed_responses, people=tally.people - seats.unconfirmed_people)


def detail_with_comments(ctx: Context, event: EventWithCounts, page: CommentPage | None) -> EventDetail:
    """The expanded fields, with a page of the comments that the reader may see."""
    expanded = detail(ctx, event)
    if page:
        rows = comments.of_event(ctx, event, min(page.limit, MAX_PAGE), page.offset)
        expanded.comments = [comment_present.item(comment, for_editor=event.can_edit) for comment in rows]
    return expanded


def new_detail(ctx: Context, event: Event, calendar: TargetCalendar) -> EventDetail:
    """The expanded fields of a new event, which has no responses and comments yet."""
    capacity = event.settings.capacity
    places = None if capacity is None else Places(capacity, 0, 0, capacity, 0, 0)
    detail = _detail(ctx.settings, event.whole, [CalendarName(calendar.id, calendar.name)], Tally(), 0, None, places)
    if calendar.has_questions:
        detail.questions = question_present.load(ctx, event.id, calendar.id)
    return detail


def items(settings: Settings, rows: Iterable[EventRow]) -> list[EventItem]:
    """The limited fields, with the calendars that the reader can see."""
    site = settings.url
    base, suffix = f"{site}/events/", own_suffix(settings)
    items: list[EventItem] = []
    for row in rows:
        start_time, end_time = span.format_times(row)
        image_url, tags, calendar_ids = row.image_url, row.tags, row.calendar_ids
        if image_url and image_url[0] == "/":
            image_url = site + image_url
        # Formatted once, for the UID and the URL.
        number = str(row.id)
        items.append(
            EventItem(
                row.id,
                row.title,
                start_time,
                end_time,
                row.all_day != 0,
                row.time_zone,
                row.location,
                image_url,
                tags,
                tags.split(",") if tags else [],
                row.public != 0,
                row.status,
                row.status_note,
                sorted(map(int, calendar_ids.split(","))) if calendar_ids else [],
                row.series_id,
                row.sent_uid or (f"event-{number}{suffix}" if row.series_id is None else f"series-{row.series_id}{suffix}"),
                base + number,
                format_utc(row.updated_at),
            )
        )
    return items


def editable(event: Event) -> EventFields:
    """The fields that a client may change; those who may edit the event get what is withheld from others."""
    event = event.whole if event.can_edit else event
    start_time, end_time = span.format_times(event)
    return EventFields(
        start_time=start_time,
        end_time=end_time,
        tag_list=event.tags,
        latitude=to_degrees(event.latitude),
        longitude=to_degrees(event.longitude),
        **{name: getattr(event, name) for name in _EDITABLE},
        **response_settings.editable(event),
    )


def _detail(
    settings: Settings,
    event: Event,
    calendars: list[CalendarName],
    tally: Tally,
    comments_count: int,
    repeat: Repeat | None,
    places: Places | None,
) -> EventDetail:
    [limited] = items(settings, [_row(event)])
    limited.calendar_ids = [calendar.id for calendar in calendars]
    for_responses = response_settings.show(event.settings, event.time_zone) if event.settings_text else _DEFAULT_SETTINGS
    is_counted = for_responses["show_counts"] or event.can_edit
    return EventDetail(
        *structs.astuple(limited),
        description=event.description,
        image=_image(event, limited.image_url) if limited.image_url else None,
        location_name=event.location_name,
        street=event.street,
        city=event.city,
        state=event.state,
        zip=event.zip,
        country=event.country,
        latitude=to_degrees(event.latitude),
        longitude=to_degrees(event.longitude),
        place_for=event.place_for,
        has_place=event.has_place,
        online=event.is_online,
        online_url=event.online_url,
        online_for=event.online_for,
        price=event.price,
        ticket_url=event.ticket_url,
        owner=Person(event.owner_id, event.owner_name),
        calendars=calendars,
        visibility=event.visibility,
        link_url=policy.link_url(settings, event) if event.by_link and event.can_edit else None,
        repeat=repeat,
        party_max=event.party_limit,
        **for_responses,
        places=places if is_counted else None,
        responses=tally if is_counted else None,
        questions=[],
        comments_count=comments_count,
        can_edit=event.can_edit,
        created_at=format_utc(event.created_at),
    )


def _image(event: Event, url: str) -> EventImage:
    picture = parse_path(event.image_url)
    return EventImage(url, picture.width if picture else None, picture.height if picture else None, event.image_alt)


def _row(event: Event) -> EventRow:
    """The columns that a list reads, without calendars."""
    # fmt: off
    return EventRow(
        event.id, event.start_at, event.updated_at, event.public, event.series_id, event.sent_uid, "",
        event.title, event.end_at, event.all_day, event.time_zone, event.location, event.image_url, event.tags, event.status,
        event.status_note, event.place_for, event.withheld,
    )
    # fmt: on
