"""Calendars: where events live, and with whom they are shared."""

from hashlib import blake2b

from msgspec import UNSET, structs

from kalends import errors, policy
from kalends.calendars import store
from kalends.calendars.model import CalendarDetail, CalendarIndex, CalendarInput, FeedKey, Sharing, Unsharing
from kalends.context import Context
from kalends.errors import FieldError
from kalends.events import feed as feeds
from kalends.events import store as events
from kalends.http.endpoint import CALENDAR_FILE, Document, endpoint
from kalends.http.fields import Changes
from kalends.http.paging import Paging, page
from kalends.http.types import Deletion
from kalends.policy import Right
from kalends.users import store as users
from kalends.users.model import User


@endpoint("GET", "/api/calendars")
def index(ctx: Context, params: Paging) -> CalendarIndex:
    """The calendars that you own or that are shared with you."""
    user = policy.user(ctx)
    calendars, next_page = page(ctx, params, store.index(ctx, user.id, params))
    return CalendarIndex(
        calendars=[store.item(calendar) for calendar in calendars],
        limit=params.size,
        offset=params.offset,
        next=next_page,
        total=store.count(ctx, user.id) if params.count else UNSET,
    )


@endpoint("GET", "/api/calendars/new")
def new(ctx: Context) -> CalendarInput:
    """The editable fields with defaults. Nothing is saved."""
    return CalendarInput(name="", time_zone=policy.user(ctx).time_zone)


@endpoint("POST", "/api/calendars", status=201)
def create(ctx: Context, params: CalendarInput) -> CalendarDetail:
    """Make a calendar."""
    user = policy.user(ctx)
    calendar_id = store.insert(ctx, user.id, _in_zone(params, user.time_zone))
    return _shown(ctx, calendar_id)


@endpoint("GET", "/api/calendars/{calendar_id}", guests=True, quick=True)
def show(ctx: Context, calendar_id: int) -> CalendarDetail:
    """The calendar, expanded."""
    return _shown(ctx, calendar_id)


@endpoint("GET", "/api/calendars/{calendar_id}/edit")
def edit(ctx: Context, calendar_id: int) -> CalendarInput:
    """The editable fields of the calendar."""
    return store.editable(policy.calendar(ctx, calendar_id, to=Right.OWN))


@endpoint("PUT", "/api/calendars/{calendar_id}")
def update(ctx: Context, calendar_id: int, params: Changes[CalendarInput]) -> CalendarDetail:
    """Change the calendar. It is its owner who may."""
    ctx.tx.exclusive(f"calendar {calendar_id}")
    calendar = policy.calendar(ctx, calendar_id, to=Right.OWN)
    store.update(ctx, calendar_id, _in_zone(params.over(store.editable(calendar)), policy.user(ctx).time_zone))
    return _shown(ctx, calendar_id)


@endpoint("DELETE", "/api/calendars/{calendar_id}")
def destroy(ctx: Context, calendar_id: int) -> Deletion:
    """Delete the calendar: its events leave it, and those with nowhere else to be are deleted. Your primary calendar stays."""
    if policy.calendar(ctx, calendar_id, to=Right.OWN).is_primary:
        raise errors.Conflict("This is your primary calendar, and every user has one. Rename it, or delete its events instead.")
    events.leave_calendar(ctx, calendar_id)
    store.delete(ctx, calendar_id)
    return Deletion([calendar_id])


@endpoint("PUT", "/api/calendars/{calendar_id}/share")
def share(ctx: Context, calendar_id: int, params: Sharing) -> CalendarDetail:
    """Share the calendar with a user, as viewer or editor; again to change the role."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    friend = _named(ctx, params.user_name)
    if friend.id == policy.user(ctx).id:
        raise errors.Conflict("The calendar is yours already.", [FieldError("user_name", "is yourself", "conflict")])
    store.share(ctx, calendar_id, friend.id, params.role)
    return _shown(ctx, calendar_id)


@endpoint("PUT", "/api/calendars/{calendar_id}/unshare")
def unshare(ctx: Context, calendar_id: int, params: Unsharing) -> CalendarDetail:
    """Share the calendar with a user no longer."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    store.unshare(ctx, calendar_id, _named(ctx, params.user_name).id)
    return _shown(ctx, calendar_id)


@endpoint("GET", "/api/calendars/{calendar_id}.ics", guests=True)
def feed(ctx: Context, calendar_id: int, params: FeedKey) -> Document:
    """The calendar for other programs: all its events that you may see, each series as one rule.

    The `feed_url` of a private calendar has a `key`, which opens it without signing in. An unchanged feed answers 304.
    """
    calendar = policy.calendar_feed(ctx, calendar_id, params.key)
    seen = f"{calendar.role or ''}.{ctx.actor.id if ctx.actor else ''}.{ctx.settings.url}"
    version = f"f{calendar.id}-{calendar.revision}-{blake2b(seen.encode(), digest_size=6).hexdigest()}"
    if ctx.is_known(version, calendar.changed_at):
        return Document(b"", CALENDAR_FILE)
    return Document(feeds.of_calendar(ctx, calendar), CALENDAR_FILE)


@endpoint("PUT", "/api/calendars/{calendar_id}/reset_feed")
def reset_feed(ctx: Context, calendar_id: int) -> CalendarDetail:
    """Give the calendar's feed another secret address; the old one stops. It is its owner who may."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    store.reset_feed(ctx, calendar_id)
    return _shown(ctx, calendar_id)


def _shown(ctx: Context, calendar_id: int) -> CalendarDetail:
    return store.detail(ctx, policy.calendar(ctx, calendar_id, to=Right.SEE))


def _in_zone(given: CalendarInput, zone: str) -> CalendarInput:
    return given if given.time_zone else structs.replace(given, time_zone=zone)


def _named(ctx: Context, name: str) -> User:
    user = users.find(ctx, name)
    if user is None:
        raise errors.NotFound(f"There is no user called {name}.", [FieldError("user_name", "is nobody's", "not_found")])
    return user
