"""Events as the API returns them: the limited fields of a list, the expanded fields of one event, and the editable fields."""

from collections.abc import Iterable
from operator import attrgetter

from msgspec import structs

from kalends import policy
from kalends.comments import present as comment_present
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events import response_settings, span
from kalends.events.input import EventFields
from kalends.events.model import PARTS, STATUS, CalendarName, EventDetail, EventImage, EventItem, Places
from kalends.events.query import CommentPage
from kalends.events.series.model import Repeat, build_repeat
from kalends.events.uid import own_suffix
from kalends.http.paging import MAX_PAGE
from kalends.questions import present as question_present
from kalends.records.calendar import TargetCalendar
from kalends.records.event import FIELD, RECORD, Event, EventTuple, EventWithCounts
from kalends.records.response import Tally
from kalends.records.response_settings import DEFAULTS
from kalends.settings import Settings
from kalends.values.datetimes import formats_in
from kalends.values.format_cache import FormatCache
from kalends.values.person import Person
from kalends.values.picture import parse_path
from kalends.values.timestamps import UTC_FORMATS, format_utc

_BY_ID = attrgetter("id")
_DEFAULT_SETTINGS = structs.asdict(DEFAULTS)
# The replies of all requests share these lists: they are never changed.
_TAGS: FormatCache[str, list[str]] = FormatCache(lambda tags: tags.split(",") if tags else [])
_CALENDAR_IDS: FormatCache[str, list[int]] = FormatCache(lambda ids: sorted(map(int, ids.split(","))) if ids else [])
_EDITABLE = (
    *("title", "all_day", "time_zone", "description", "location", "image_url", "image_alt", "public", "visibility", "party_max"),
    *STATUS,
    *PARTS,
)


def load_detail(ctx: Context, event_id: int) -> EventDetail:
    """The expanded fields of the event, if the actor can see it, with its ETag."""
    event = policy.event_with_counts(ctx, event_id)
    ctx.tag(event.etag, with_body_hash=True)
    return detail(ctx, event)


def detail(ctx: Context, event: EventWithCounts) -> EventDetail:
    """The expanded fields."""
    detail = detail_without_questions(ctx.settings, event)
    if event.has_questions:
        detail.questions = question_present.load(ctx, event.id, event.calendar_id)
    return detail


def detail_without_questions(settings: Settings, event: EventWithCounts) -> EventDetail:
    """What the row alone says of the expanded fields."""
    repeat = (
        build_repeat(event.rrule, event.first_date, event.also or "", event.excepted or "") if event.rrule and event.first_date else None
    )
    return _detail(settings, event, _calendars(event.calendars), count_responses(event), event.comments_count, repeat, count_places(event))


def count_places(event: EventWithCounts) -> Places | None:
    """The places of an event with a capacity. What was offered or held until a time that is over is free, whether or not a worker has run
    since."""
    if event.places is None or (capacity := event.settings.capacity) is None:
        return None
    taken, waiting, lapsed, unconfirmed, unconfirmed_waiting, *_ = map(int, event.places.split(","))
    held = taken - lapsed - unconfirmed
    return Places(capacity, held, max(0, capacity - held), waiting - unconfirmed_waiting, max(0, held - capacity))


def count_responses(event: EventWithCounts) -> Tally:
    """The number of responses of each kind, without those that were not confirmed in time."""
    tally = Tally(*map(int, event.tally.split(","))) if event.tally else Tally()
    if event.places is None:
        return tally
    *_, responses, people = map(int, event.places.split(","))
    return structs.replace(tally, yes=tally.yes - responses, people=tally.people - people)


def _calendars(column: str | None) -> list[CalendarName]:
    """The calendars of a column that has the ids and names of several, in the order of their ids."""
    calendars = []
    for record in column.split(RECORD) if column else ():
        number, _, name = record.partition(FIELD)
        calendars.append(CalendarName(int(number), name))
    return sorted(calendars, key=_BY_ID)


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
    places = None if capacity is None else Places(capacity, 0, capacity, 0, 0)
    detail = _detail(ctx.settings, event, [CalendarName(calendar.id, calendar.name)], Tally(), 0, None, places)
    if calendar.has_questions:
        detail.questions = question_present.load(ctx, event.id, calendar.id)
    return detail


def items(settings: Settings, rows: Iterable[EventTuple]) -> list[EventItem]:
    """The limited fields, with the calendars that the reader can see: in one loop without a call for each event, since lists are long,
    and calls would take much of the time. Times are looked up with `get` first, which is twice as fast where it finds them."""
    site = settings.url
    base, suffix = f"{site}/events/", own_suffix(settings)
    items: list[EventItem] = []
    formats, formats_zone = formats_in("UTC"), "UTC"
    find_time, find_utc, add = formats.get, UTC_FORMATS.get, items.append
    # fmt: off
    for (
        event_id, _, start_at, updated_at, public, series_id, sent_uid, calendar_ids,
        title, end_at, all_day, zone, location, image_url, tags, status, status_note,
    ) in rows:
        # fmt: on
        if all_day:
            start_time, end_time = span.format_days(start_at, end_at, zone)
        else:
            if zone != formats_zone:
                formats, formats_zone = formats_in(zone), zone
                find_time = formats.get
            start_time = find_time(start_at) or formats[start_at]
            end_time = None if end_at is None else find_time(end_at) or formats[end_at]
        if image_url and image_url[0] == "/":
            image_url = site + image_url
        # Formatted once, for the UID and the URL.
        number = str(event_id)
        add(
            EventItem(
                event_id,
                title,
                start_time,
                end_time,
                all_day != 0,
                zone,
                location,
                image_url,
                tags,
                _TAGS[tags],
                public != 0,
                status,
                status_note,
                _CALENDAR_IDS[calendar_ids],
                series_id,
                sent_uid or (f"event-{number}{suffix}" if series_id is None else f"series-{series_id}{suffix}"),
                base + number,
                find_utc(updated_at) or UTC_FORMATS[updated_at],
            )
        )
    return items


def editable(event: Event) -> EventFields:
    """The fields that a client may change."""
    start_time, end_time = span.format_times(event)
    return EventFields(
        start_time=start_time,
        end_time=end_time,
        tag_list=event.tags,
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
    [limited] = items(settings, [_columns(event)])
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


def _columns(event: Event) -> EventTuple:
    """The fields of an EventRow, without calendars."""
    # fmt: off
    return (
        event.id, event.version, event.start_at, event.updated_at, event.public, event.series_id, event.sent_uid, "",
        event.title, event.end_at, event.all_day, event.time_zone, event.location, event.image_url, event.tags, event.status,
        event.status_note,
    )
    # fmt: on
