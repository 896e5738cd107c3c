"""Events: create, search, show, change and delete them, and place them on calendars."""

from hashlib import blake2b

from msgspec import UNSET, structs

from kalends import errors, policy
from kalends.calendars.model import Calendar, Searched
from kalends.comments import store as comments
from kalends.context import Context
from kalends.deliveries import limits as sending_limits
from kalends.deliveries import store as deliveries
from kalends.deliveries.model import Announced, DeliveriesQueued
from kalends.events import cursor, feed, feed_cache, listing, placements, span, store
from kalends.events.ical import calendar as calendar_file
from kalends.events.imports.file import Choice, from_file
from kalends.events.input import CalendarChoice, EventChanges, EventFields, EventFile, EventIds, EventInput, RepeatInput, SendInput
from kalends.events.model import PARTS, Event, EventDetail, EventImport, EventIndex, EventRepeated, EventsChanged
from kalends.events.query import CommentPage, EventQuery, EventView
from kalends.events.series import change, scope
from kalends.events.series import store as series
from kalends.http.endpoint import CALENDAR_FILE, Document, endpoint
from kalends.http.input.fields import Changes, Given, Upload
from kalends.http.input.tags import tagged
from kalends.http.input.types import Deletion
from kalends.http.paging import MAX_PAGE, page
from kalends.http.sparse_fields import select
from kalends.policy import Right
from kalends.subscribers.opt_in import opt_in
from kalends.values import datetimes

HOUR = 3600


@endpoint("GET", "/api/events", guests=True)
def index(ctx: Context, params: EventQuery) -> EventIndex:
    """The events that match, in the order of their start.

    Without calendars: all of yours, owned and shared; for a guest, and with `scope=public`, all public events. Field searches must
    all hold.
    """
    calendars = _searched_calendars(ctx, params)
    zone = _zone(ctx, calendars)
    found = listing.find(ctx, params, calendars, zone)
    rows, next_page = page(ctx, params, found, after=cursor.encode)
    total = listing.count(ctx, params, calendars, zone) if params.count else None
    items = store.items(ctx, rows)
    return EventIndex(
        events=[select(item, params.fields) for item in items] if params.fields else items,
        limit=params.size,
        offset=params.offset,
        next=next_page,
        total=total.number if total else UNSET,
        total_is_exact=total.is_exact if total else UNSET,
    )


@endpoint("GET", "/api/events.ics", guests=True)
def export(ctx: Context, params: Given[EventQuery]) -> Document:
    """The events that match, for other calendars: all of them, unless `limit` says how many.

    Guests who search in all public events get at most 2,000 of them.
    """
    query = params.value
    if query.fields:
        raise errors.invalid("fields", "a calendar file has all of them; leave it out", "conflict")
    calendars = _searched_calendars(ctx, query)
    limit = query.limit if "limit" in params.names else None
    if ctx.actor is None and calendars is None:
        if limit is None and query == EventQuery():
            return _public_feed(ctx)
        limit = feed.MOST_FOR_GUESTS if limit is None else min(limit, feed.MOST_FOR_GUESTS)
    content = feed.of_query(ctx, query, calendars, limit)
    ctx.tag(blake2b(content, digest_size=12).hexdigest())
    return Document(content, CALENDAR_FILE)


def _public_feed(ctx: Context) -> Document:
    """All public events, which are made into a feed when one of them has changed."""
    made = feed_cache.read(ctx, feed.public_version(ctx), lambda: feed.of_query(ctx, EventQuery(), None, None))
    ctx.tag(made.etag)
    return Document(made.content, CALENDAR_FILE)


@endpoint("GET", "/api/events/new")
def new(ctx: Context) -> EventFields:
    """The editable fields with defaults: the next full hour, on your primary calendar. Nothing is saved."""
    calendar = policy.primary_calendar(ctx)
    clock = datetimes.to_local(ctx.now, calendar.time_zone)
    start = datetimes.format_instant(ctx.now - clock.minute * 60 - clock.second + HOUR, calendar.time_zone)
    return EventFields(title="", start_time=start, all_day=False, time_zone=calendar.time_zone, public=calendar.public)


@endpoint("POST", "/api/events", status=201, result=EventDetail)
def create(ctx: Context, params: EventInput) -> EventDetail | EventImport:
    """Create an event on the calendar `calendar_id`, or on your primary calendar."""
    if params.file is None:
        return make(ctx, params)
    _alone(params)
    return _imported(ctx, params.file, params)


@endpoint("POST", "/api/events/import", status=201)
def import_(ctx: Context, params: EventFile) -> EventImport:
    """Import the events of an iCalendar file (.ics).

    An event or a series that is on the calendar already, by its UID, is changed as the file has it, and left alone if nothing
    differs. `remarks` tells by line what could not be imported.
    """
    return _imported(ctx, params.file, params)


def _imported(ctx: Context, file: Upload, target: EventInput | EventFile) -> EventImport:
    policy.user(ctx)
    return from_file(ctx, file.content, Choice(target.calendar_id, target.public, target.time_zone))


def make(ctx: Context, params: EventInput) -> EventDetail:
    """Create the event that the fields say."""
    policy.user(ctx)
    calendar = _calendar(ctx, params.calendar_id)
    given = {name for name in ("location", *PARTS) if getattr(params, name)}
    if params.tag:
        params = structs.replace(params, tag_list=tagged(params.tag_list, params.tag))
    return _created(ctx, change.located(params, given), calendar)


@endpoint("GET", "/api/events/{event_id}", guests=True, etag=True, on_event_loop=True)
def show(ctx: Context, event_id: int, params: EventView) -> EventDetail:
    """The event, expanded; with `comments`, those that you may see, newest first."""
    return select(_shown(ctx, event_id, params.comments), params.fields)


@endpoint("GET", "/api/events/{event_id}.ics", guests=True)
def show_ics(ctx: Context, event_id: int) -> Document:
    """The event alone, for other calendars."""
    event = policy.event(ctx, event_id, to=Right.SEE)
    ctx.tag(event.etag, with_body_hash=True)
    ctx.headers["Content-Disposition"] = f'attachment; filename="event-{event.id}.ics"'
    return Document(calendar_file([event], ctx.settings), CALENDAR_FILE)


@endpoint("GET", "/api/events/{event_id}/edit", etag=True)
def edit(ctx: Context, event_id: int) -> EventFields:
    """The editable fields of the event."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    ctx.tag(event.etag)
    return store.editable(event)


@endpoint("PUT", "/api/events/{event_id}", etag=True)
def update(ctx: Context, event_id: int, params: Changes[EventChanges]) -> EventDetail | EventsChanged:
    """Change the event. With `ids`, change those too, all or none, and answer `{"events": […]}`.

    Of a series, `scope` changes this event, it and the following ones (which become a series of their own), or all of them;
    a changed `start_time` or `end_time` then moves each by the same difference on the clocks.
    """
    ids = params.get("ids")
    store.hold(ctx, [event_id, *(ids or [])])
    events = policy.events(ctx, event_id, ids, to=Right.EDIT)
    change.one_or_many(ids, params.get("scope", "this"))
    ctx.require_version(events[0].etag)
    with change.within_the_calendar("start_time"):
        if len(events) == 1:
            change.change(ctx, events[0], params)
        else:
            change.change_each(ctx, events, params)
    shown = _shown(ctx, event_id)
    if ids is None:
        return shown
    return EventsChanged([shown, *(store.detail(ctx, policy.event(ctx, event.id, to=Right.SEE)) for event in events[1:])])


@endpoint("DELETE", "/api/events/{event_id}", etag=True)
def destroy(ctx: Context, event_id: int, params: EventIds) -> Deletion:
    """Delete the event. With `ids`, delete those too, all or none. Of a series, `scope` deletes the following ones too, or all."""
    store.hold(ctx, [event_id, *(params.ids or [])])
    events = policy.events(ctx, event_id, params.ids, to=Right.EDIT)
    change.one_or_many(params.ids, params.scope)
    ctx.require_version(events[0].etag)
    chosen = {each.id: None for event in events for each in scope.chosen(ctx, event, params.scope)}
    store.delete(ctx, list(chosen))
    scope.destroyed(ctx, events, params.scope)
    return Deletion(list(chosen))


@endpoint("PUT", "/api/events/{event_id}/repeat")
def repeat(ctx: Context, event_id: int, params: RepeatInput) -> EventRepeated:
    """Repeat the event: every occurrence is an event of its own, with the same `series_id`.

    Repeating again replaces the rule: what still fits stays, and what no longer fits is deleted, unless people commented on it,
    answered it, or it was changed alone. Without `end_date` the series goes on, and is kept 24 months ahead.
    """
    store.hold(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if event.series_id is not None:
        policy.require_whole_series(ctx, event.series_id)
    with change.within_the_calendar("end_date"):
        series_id = series.repeat(ctx, event, series.checked(ctx, params, event))
    return EventRepeated(**structs.asdict(_shown(ctx, event_id)), occurrences=series.count(ctx, series_id))


@endpoint("PUT", "/api/events/{event_id}/add")
def add(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Add the event to a calendar: the given one, else your primary calendar. Twice changes nothing."""
    placements.hold_home(ctx, event_id)
    event = policy.event(ctx, event_id, to=Right.SEE)
    calendar = _calendar(ctx, params.calendar_id)
    granted_by = policy.user(ctx).id if event.can_edit else None
    placements.insert(ctx, event.id, calendar.id, grants=event.can_edit, granted_by=granted_by)
    return _shown(ctx, event_id)


@endpoint("PUT", "/api/events/{event_id}/remove")
def remove(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Remove the event from a calendar: the given one, else your primary calendar.

    Editors of the calendar may, and so may those who may edit the event. An event that leaves its home calendar is then at home on
    another calendar of its owner; if it is on none, the reply is 409.
    """
    store.hold(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.SEE)
    calendar_id = params.calendar_id or policy.primary_calendar(ctx).id
    policy.require_removal(ctx, event, calendar_id)
    if not placements.delete(ctx, event, calendar_id):
        raise errors.Conflict("This is the event's last home. Delete the event instead, or add it to another calendar of its owner first.")
    try:
        return _shown(ctx, event_id)
    except errors.NotFound:
        # It was this calendar that let the actor see the event.
        return store.detail(ctx, structs.replace(event, can_edit=False))


@endpoint("PUT", "/api/events/{event_id}/copy", status=201)
def copy(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Copy the event to a calendar: the given one, else your primary calendar.

    The copy is a new event of yours, with the content and tags; it is public where both the event and the calendar are.
    """
    event = policy.event(ctx, event_id, to=Right.SEE)
    calendar = _calendar(ctx, params.calendar_id)
    return _created(ctx, structs.replace(store.editable(event), public=event.public and calendar.public), calendar)


@endpoint("PUT", "/api/events/{event_id}/send_to_me", status=202, guests=True, rate_limited=True)
def send_to_me(ctx: Context, event_id: int, params: SendInput) -> DeliveriesQueued:
    """Send the event to an e-mail address, a mobile number or both; without either, to your own address.

    `opt_in` puts them on the event owner's list.
    """
    event = policy.event(ctx, event_id, to=Right.SEE)
    own = ctx.actor.email_address if ctx.actor and not params.mobile_number else None
    wanted = [("email", "email", params.email or own), ("sms", "mobile_number", params.mobile_number)]
    queued = []
    for channel, field, address in wanted:
        if address:
            deliveries.limit_recipient(ctx, field, address)
            sending_limits.count_send(ctx, channel)
            subscriber_id = opt_in(ctx, event, channel, address, source="send_to_me") if params.opt_in else None
            queued.append(deliveries.insert(ctx, event, channel, address, subscriber_id))
    if not queued:
        raise errors.invalid("email", "give an e-mail address as email, a phone number as mobile_number, or both", "required")
    return DeliveriesQueued(queued)


@endpoint("PUT", "/api/events/{event_id}/announce", status=202, rate_limited=True)
def announce(ctx: Context, event_id: int) -> Announced:
    """Send the event to every confirmed address on its owner's list, once to each. The event must be public: 409 otherwise.

    Where mail is really sent, your e-mail address must be verified.
    """
    event = policy.event(ctx, event_id, to=Right.EDIT)
    policy.require_verified_sender(ctx)
    if not event.public:
        raise errors.Conflict("This event is private: subscribers could not open it. Make it public, then announce it.")
    messages = deliveries.announce(ctx, event)
    sending_limits.count_announcement(ctx, messages)
    return Announced(messages.total())


def _shown(ctx: Context, event_id: int, wanted: CommentPage | None = None) -> EventDetail:
    event = policy.event(ctx, event_id, to=Right.SEE)
    ctx.tag(event.etag, with_body_hash=True)
    return detail(ctx, event, wanted)


def detail(ctx: Context, event: Event, page: CommentPage | None = None) -> EventDetail:
    """The expanded event, with a page of the comments that the reader may see."""
    expanded = store.detail(ctx, event)
    if page:
        rows = comments.of_event(ctx, event, min(page.limit, MAX_PAGE), page.offset)
        expanded.comments = [comments.item(comment, with_address=event.can_edit) for comment in rows]
    return expanded


def _alone(given: EventInput) -> None:
    """A file says all of its events; nobody should think that what stands beside it was added to each."""
    fields = (*EventFields.__struct_fields__, "tag")
    beside = [name for name in fields if name not in ("public", "time_zone") and getattr(given, name)]
    if beside:
        raise errors.invalid(
            "file", f"must come with no other fields than calendar_id, public and time_zone, so without {beside[0]}", "conflict"
        )


def _calendar(ctx: Context, calendar_id: int | None) -> Calendar:
    """A calendar that the actor may edit: the given one, else their primary calendar."""
    return policy.calendar(ctx, calendar_id, to=Right.EDIT) if calendar_id else policy.primary_calendar(ctx)


def _searched_calendars(ctx: Context, query: EventQuery) -> Searched | None:
    """The calendars to search; None for all public events, or for `ids`, which may be anywhere."""
    chosen = [*([query.calendar_id] if query.calendar_id else []), *(query.calendar_ids or [])]
    if chosen and query.scope:
        raise errors.invalid("scope", "goes without calendar_id and calendar_ids; leave them out, or it", "conflict")
    if query.scope:
        return None
    if chosen:
        return [policy.calendar(ctx, calendar_id, to=Right.SEE) for calendar_id in dict.fromkeys(chosen)]
    return None if ctx.actor is None or query.ids is not None else policy.my_calendar_ids(ctx)


def _zone(ctx: Context, calendars: Searched | None) -> str:
    """Where times without an offset are meant: on the one calendar that was asked for, else with the user."""
    if calendars and len(calendars) == 1 and isinstance(calendars[0], Calendar):
        return calendars[0].time_zone
    return ctx.actor.time_zone if ctx.actor else "UTC"


def _created(ctx: Context, given: EventFields, calendar: Calendar) -> EventDetail:
    fields = structs.replace(given, public=calendar.public if given.public is None else given.public)
    event_id = store.insert(ctx, fields, span.resolved(fields, calendar.time_zone), calendar)
    event = policy.event(ctx, event_id, to=Right.SEE)
    ctx.tag(event.etag, with_body_hash=True)
    return store.first_detail(ctx, event, calendar)
