"""Events: list, export, create, show, change, delete and send them."""

from hashlib import blake2b

from msgspec import UNSET, structs

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.i18n.locale import ENGLISH, find_accepted
from kalends.core.records.calendar import Calendar, MemberCalendars, Searched
from kalends.core.records.delivery import Channel
from kalends.core.records.event import EventRow
from kalends.core.values import datetimes
from kalends.core.values.picture import to_url
from kalends.features.blocked_senders.store import discard_if_blocked
from kalends.features.changes.steps import as_of
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.model import Announced, DeliveriesQueued
from kalends.features.deliveries.steps import limits as sending_limits
from kalends.features.events import present, store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.feeds.steps import feed, feed_cache
from kalends.features.events.feeds.steps.ical import build_file
from kalends.features.events.imports.api import import_upload
from kalends.features.events.input_model import (
    BlankEvent,
    EventChanges,
    EventFields,
    EventIds,
    EventInput,
    EventUid,
    EventUpsert,
    SendInput,
)
from kalends.features.events.listing.query_model import EventExport, EventQuery, EventView, LinkHolder, encode_cursor, encode_cursor_key
from kalends.features.events.listing.store import counting, listing
from kalends.features.events.model import EventDeletion, EventDetail, EventImport, EventIndex, EventsChanged
from kalends.features.events.rules import visibility
from kalends.features.events.series.steps import change, scope
from kalends.features.events.steps import move
from kalends.features.events.steps.create import create_event, create_events
from kalends.features.events.steps.notify import notify_of_deletion, notify_of_update
from kalends.features.events.steps.upsert import upsert_event
from kalends.features.subscribers.steps.opt_in import opt_in
from kalends.http.context import Context
from kalends.http.endpoint import CALENDAR_FILE, Document, endpoint
from kalends.http.input.fields import Changes, Params
from kalends.http.paging import paginate, select
from kalends.http.reply import add_vary
from kalends.policy import Right

HOUR = 3600


@endpoint("GET", "/api/events", guests=True)
def index(ctx: Context, params: EventQuery) -> EventIndex:
    """The events that match, in the order of their start.

    Without calendars: all of yours, owned and shared; for a guest, and with `scope=public`, all public events. Field searches must
    all match. A search in all public events for words that many of them have, or of one or two letters, looks at 5,000 events at a
    time: a page may then have fewer events than its `limit`, and a `next`.
    """
    matches = _on_calendar(ctx, params)
    total = last = None
    if matches is None:
        calendars = _searched_calendars(ctx, params)
        zone = _default_zone(ctx, calendars)
        total = counting.count(ctx, params, calendars, zone) if params.count else None
        examined = listing.examine(ctx, params, calendars, zone)
        last = examined.last if examined else None
        matches = listing.find(ctx, params, calendars, zone, examined=examined)
    rows, next_page = paginate(ctx, params, matches, after=encode_cursor, resume=encode_cursor_key(last) if last else None)
    items = present.items(ctx.settings, rows)
    return EventIndex(
        events=[select(item, params.fields) for item in items] if params.fields else items,
        limit=params.size,
        offset=params.offset,
        next=next_page,
        total=total.number if total else UNSET,
        total_is_exact=total.is_exact if total else UNSET,
    )


@endpoint("GET", "/api/events.ics", guests=True, etag=True)
def export(ctx: Context, params: Params[EventExport]) -> Document:
    """The events that match, for other calendar programs: all of them, unless `limit` says how many.

    Guests who search in all public events get at most 2,000 of them. A search in all public events for words that many of them have,
    or of one or two letters, looks at the first 5,000. With `alarms=1`, the events have their reminders as alarms.
    """
    query, has_alarms = params.value.query, params.value.alarms
    if query.fields:
        raise errors.invalid("fields", gettext("can’t be used for a calendar file, which always has all fields. Leave it out"), "conflict")
    calendars = _searched_calendars(ctx, query)
    limit = query.limit if "limit" in params.names else None
    if ctx.actor is None and calendars is None:
        if limit is None and query == EventQuery():
            return _public_feed(ctx, has_alarms=has_alarms)
        limit = feed.MAX_FOR_GUESTS if limit is None else min(limit, feed.MAX_FOR_GUESTS)
    content = feed.build_for_query(ctx, query, calendars, limit, has_alarms=has_alarms)
    ctx.tag(blake2b(content, digest_size=12).hexdigest())
    return Document(content, CALENDAR_FILE)


def _public_feed(ctx: Context, *, has_alarms: bool) -> Document:
    """All public events, from the cache if none of them has changed."""
    version = (*feed.public_version(ctx), has_alarms)
    cached = feed_cache.read(ctx, version, lambda: feed.build_for_query(ctx, EventQuery(), None, None, has_alarms=has_alarms))
    ctx.tag(cached.etag)
    return Document(cached.content, CALENDAR_FILE)


@endpoint("GET", "/api/events/new")
def new(ctx: Context) -> BlankEvent:
    """The editable fields with defaults: the next full hour, on your primary calendar. Nothing is saved."""
    calendar = policy.primary_calendar(ctx)
    local = datetimes.to_local(ctx.now, calendar.time_zone)
    start_time = datetimes.format_instant(ctx.now - local.minute * 60 - local.second + HOUR, calendar.time_zone)
    fields = EventFields(title="", start_time=start_time, all_day=False, time_zone=calendar.time_zone)
    return BlankEvent(**structs.asdict(visibility.complete(fields, calendar)), calendar_id=calendar.id)


@endpoint("POST", "/api/events", status=201, location="/api/events/{id}", only_tags=True, result=EventDetail, batch=create_events)
def create(ctx: Context, params: EventInput) -> EventDetail | EventImport:
    """Create an event on the calendar `calendar_id`, or on your primary calendar.

    A JSON array of up to 500 such objects creates all of them or none, and the reply is the array of the events in the same order. Errors
    name a field by the position of its object: `[17][title]`.
    """
    if params.file is None:
        return create_event(ctx, params)
    _refuse_other_fields(params)
    return import_upload(ctx, params.file, params)


@endpoint("PUT", "/api/events", status=201, other_status=200, location="/api/events/{id}", etag=True)
def upsert(ctx: Context, params: Params[EventUpsert]) -> EventDetail:
    """Create the event with this `uid` on the calendar `calendar_id`, or change it if the calendar has it already.

    201 if it is new, else 200. Fields that are not sent stay as they are. If the `uid` is that of a series, the whole series changes.
    `If-Match` lets only this version change; `If-None-Match: *` lets only a new event be created.
    """
    return upsert_event(ctx, params)


@endpoint("DELETE", "/api/events", etag=True)
def destroy_by_uid(ctx: Context, params: EventUid) -> EventDeletion:
    """Delete the event with this `uid` on the calendar `calendar_id`, or on your primary calendar; the whole series if it is that of one.

    For programs that copy events from elsewhere and do not know their ids. 404 if the calendar has no event with this `uid`.
    """
    calendar = policy.target_calendar(ctx, params.calendar_id)
    by_uid.lock(ctx, calendar.id)
    event_id = by_uid.find(ctx, calendar.id, params.uid)
    if event_id is None:
        raise errors.NotFound(errors=[FieldError("uid", gettext("is not there"), "not_found")])
    return destroy(ctx, event_id, EventIds(scope="all", notify=params.notify, message=params.message))


@endpoint("GET", "/api/events/{event_id}", guests=True, etag=True)
def show(ctx: Context, event_id: int, params: EventView) -> EventDetail:
    """The event, expanded; with `comments`, those that you may see, newest first.

    A public event that was deleted in the last 90 days is 410, with its title and `status_note` as `detail`. With `as_of`, those who may
    edit the event get it as it was, with its calendars and its rule; the counts of responses and comments are those of now. 410 if that is
    older than the history. With `link`, an event that you see by its link. `text` of `repeat` is in the language of `Accept-Language`.
    """
    if params.link is not None:
        policy.open_link(ctx, params.link)
    if params.as_of is not None:
        return _show_as_of(ctx, event_id, params, params.as_of)
    event = policy.event_with_counts(ctx, event_id)
    language = find_accepted(ctx.caller.headers.get("accept-language", "")) if event.rrule else ENGLISH
    if event.rrule:
        add_vary(ctx.headers, "Accept-Language")
    ctx.tag(event.etag, with_body_hash=True)
    detail = present.detail_with_comments(ctx, event, params.comments)
    if detail.repeat:
        detail = structs.replace(detail, repeat=structs.replace(detail.repeat, text=language.translate(detail.repeat.sentence)))
    return select(detail, params.fields)


def _show_as_of(ctx: Context, event_id: int, params: EventView, moment: str) -> EventDetail:
    if params.comments:
        raise errors.invalid("comments", gettext("can only be shown as they are now. Leave them out, or leave out as_of"), "conflict")
    event = as_of.load(ctx, event_id, moment)
    ctx.tag(event.etag, with_body_hash=True)
    # The link that it had then may have been replaced.
    return select(structs.replace(present.detail(ctx, event), link_url=None), params.fields)


@endpoint("GET", "/api/events/{event_id}.ics", guests=True, etag=True)
def show_ics(ctx: Context, event_id: int, params: LinkHolder) -> Document:
    """The event alone, for other calendar programs."""
    policy.open_link(ctx, params.link)
    event = policy.visible_events(ctx, [event_id]).get(event_id)
    if event is None:
        raise policy.missing_event(ctx, event_id)
    ctx.tag(event.etag, with_body_hash=True)
    ctx.headers["Content-Disposition"] = f'attachment; filename="event-{event.id}.ics"'
    return Document(build_file([policy.reveal(ctx, event)], ctx.settings, for_guests=ctx.linked is not None), CALENDAR_FILE)


@endpoint("GET", "/api/events/{event_id}/edit", etag=True)
def edit(ctx: Context, event_id: int) -> EventFields:
    """The editable fields of the event."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    ctx.tag(event.etag)
    return structs.replace(present.editable(event), image_url=to_url(event.image_url, ctx.settings.url))


@endpoint("PUT", "/api/events/{event_id}", etag=True)
def update(ctx: Context, event_id: int, params: Changes[EventChanges]) -> EventDetail | EventsChanged:
    """Change the event. With `ids`, change those too, all or none; the reply is then `{"events": […]}`.

    Of a series, `scope` changes this event, it and the following ones (which become a series of their own), or all of them;
    a changed `start_time` or `end_time` then moves each by the same difference in local time.

    `calendar_id` moves it to another calendar, with its guests and its link; nobody is notified of that. You must be able to edit both
    calendars. The dates of a series move together, so with the scope `all` or `following`.

    A new `start_time` plans a postponed event again, and asks its guests to respond again. `notify` says whom the change is mailed to;
    mail waits for a minute, and the changes of this time are one mail. `notified` counts the people.
    """
    ids = params.get("ids")
    store.lock(ctx, [event_id, *(ids or [])])
    events = policy.events(ctx, event_id, ids, to=Right.EDIT)
    change.require_one_event_for_scope(ids, params.get("scope", "this"))
    ctx.require_version(events[0].etag)
    target = move.find_target(ctx, events, params)
    with change.refuse_overflow("start_time"):
        if len(events) == 1:
            before = change.change(ctx, events[0], params)
        else:
            before = events
            change.change_each(ctx, events, params)
    if target is not None:
        move.move(ctx, before, target)
    notified = notify_of_update(ctx, before, params)
    detail = present.load_detail(ctx, event_id)
    if ids is None:
        return structs.replace(detail, notified=notified)
    others = policy.events_with_counts(ctx, [event.id for event in events[1:]])
    return EventsChanged([detail, *(present.detail(ctx, event) for event in others)], notified)


@endpoint("DELETE", "/api/events/{event_id}", etag=True)
def destroy(ctx: Context, event_id: int, params: EventIds) -> EventDeletion:
    """Delete the event. With `ids`, delete those too, all or none. Of a series, `scope` deletes the following ones too, or all.

    The guests of events to come are notified, unless `notify` says otherwise; if the deletion is undone within a minute, nobody is.
    """
    store.lock(ctx, [event_id, *(params.ids or [])])
    events = policy.events(ctx, event_id, params.ids, to=Right.DELETE)
    change.require_one_event_for_scope(params.ids, params.scope)
    for each in events:
        policy.require_home(ctx, each)
    ctx.require_version(events[0].etag)
    deleted = {each.id: each for event in events for each in scope.find_events(ctx, event, params.scope)}
    notified = notify_of_deletion(ctx, list(deleted.values()), params.scope, params.notify, params.message)
    store.delete(ctx, list(deleted))
    scope.update_rules_after_delete(ctx, events, params.scope)
    return EventDeletion(list(deleted), notified)


@endpoint("PUT", "/api/events/{event_id}/reset_link", only_tags=True)
def reset_link(ctx: Context, event_id: int) -> EventDetail:
    """Replace the link of the event, and of all dates of its series. The old ones stop immediately."""
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if event.visibility != "link":
        raise errors.Conflict(gettext("This event can’t be opened by link. Set its visibility to link first."))
    store.reset_link(ctx, event)
    return present.load_detail(ctx, event_id)


@endpoint("PUT", "/api/events/{event_id}/send_to_me", status=202, guests=True, rate_limited=True)
def send_to_me(ctx: Context, event_id: int, params: SendInput) -> DeliveriesQueued:
    """Send the event to an e-mail address, a mobile number or both; without either, to your own address.

    `opt_in` puts them on the event owner's list.
    """
    policy.open_link(ctx, params.link)
    event = policy.event(ctx, event_id, to=Right.SEE)
    own_address = ctx.actor.email_address if ctx.actor and not params.mobile_number else None
    recipients: list[tuple[Channel, str, str | None]] = [
        ("email", "email", params.email or own_address),
        ("sms", "mobile_number", params.mobile_number),
    ]
    queued = []
    if params.mobile_number:
        sending_limits.require_allowed(ctx, "mobile_number", params.mobile_number)
    for channel, field, address in recipients:
        if address:
            if ctx.actor and address != ctx.actor.email_address:
                policy.require_sending(ctx, event.owner_id)
            deliveries.limit_recipient(ctx, field, address)
            sending_limits.count_send(ctx, channel)
            with discard_if_blocked(ctx, params.email):
                languages.remember(ctx, address)
                subscriber_id = opt_in(ctx, event, channel, address, source="send_to_me") if params.opt_in else None
                queued.append(deliveries.insert(ctx, event, channel, address, subscriber_id))
    if not queued:
        raise errors.invalid("email", gettext("is required unless you give mobile_number"), "required")
    return DeliveriesQueued(queued)


@endpoint("PUT", "/api/events/{event_id}/announce", status=202, rate_limited=True)
def announce(ctx: Context, event_id: int) -> Announced:
    """Send the event to every confirmed address on its organiser's list, once to each. The event must be public: 409 otherwise.

    On servers that send real mail, your e-mail address must be verified.
    """
    event = policy.event(ctx, event_id, to=Right.EDIT)
    event = structs.replace(event, owner_id=policy.organiser_id(ctx, event_id))
    policy.require_sending(ctx, event.owner_id)
    policy.require_verified_sender(ctx)
    if not event.public:
        raise errors.Conflict(gettext("Only public events can be announced to subscribers. Make this event public, then announce it."))
    messages = deliveries.announce(ctx, event)
    sending_limits.count_announcement(ctx, messages)
    return Announced(messages.total())


def _refuse_other_fields(params: EventInput) -> None:
    """A file has the fields of all its events: others beside it would be ignored silently."""
    defaults = EventInput()
    names = [name for name in (*EventFields.__struct_fields__, "uid") if name not in ("public", "time_zone")]
    others = [name for name in names if getattr(params, name) not in (False, getattr(defaults, name))]
    if others:
        raise errors.invalid(
            "file", f"must come with no other fields than calendar_id, public and time_zone, so without {others[0]}", "conflict"
        )


def _on_calendar(ctx: Context, query: EventQuery) -> list[EventRow] | None:
    """The events of the one calendar that the query names; None if they cannot be found in one statement."""
    if query.calendar_id is None or query.calendar_ids or query.scope:
        return None
    rows = listing.find_on_calendar(ctx, query, query.calendar_id)
    if rows == []:
        # It may be empty, or hidden.
        with errors.naming("calendar_id"):
            policy.calendar(ctx, query.calendar_id, to=Right.SEE)
    return rows


def _searched_calendars(ctx: Context, query: EventQuery) -> Searched | None:
    """The calendars to search; None for all public events, or for `ids`, which may be anywhere."""
    calendar_ids = [*([query.calendar_id] if query.calendar_id else []), *(query.calendar_ids or [])]
    if calendar_ids and query.scope:
        raise errors.invalid("scope", gettext("can’t be combined with calendar_id and calendar_ids. Send one or the other"), "conflict")
    if query.scope and not policy.is_limited(ctx):
        return None
    if calendar_ids:
        with errors.naming("calendar_ids" if query.calendar_ids else "calendar_id"):
            return [policy.calendar(ctx, calendar_id, to=Right.SEE) for calendar_id in dict.fromkeys(calendar_ids)]
    return None if ctx.actor is None or query.ids is not None else MemberCalendars()


def _default_zone(ctx: Context, calendars: Searched | None) -> str:
    """The zone of times without an offset: that of the one calendar searched, else the user's."""
    if isinstance(calendars, list) and len(calendars) == 1 and isinstance(calendars[0], Calendar):
        return calendars[0].time_zone
    return ctx.actor.time_zone if ctx.actor else "UTC"
