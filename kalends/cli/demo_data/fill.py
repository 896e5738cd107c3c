"""Create the example data of `kalends demo`, by the same actions that people use, and delete it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import structs

from kalends.cli.demo_data.posters import draw_poster
from kalends.cli.demo_data.story import (
    CALENDARS,
    COMMENTS,
    DESCRIPTIONS,
    EVENTS,
    GUESTS,
    NOTES,
    ORGANISERS,
    OTHER_EVENTS,
    POSTER_TEXT,
    POSTERS,
    PROFILE,
    SERIES,
    SITE,
    STATUS,
    DemoEvent,
)
from kalends.core import errors
from kalends.core.records.people import User
from kalends.core.values import datetimes
from kalends.db import UniqueViolation
from kalends.db.text_search import fold
from kalends.features.admin.deleted_calendars import store as deleted_calendars
from kalends.features.calendars import api as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.comments import api as comments
from kalends.features.comments.model import CommentFields, CommentInput
from kalends.features.contacts import store as contacts
from kalends.features.contacts.model import ContactInput
from kalends.features.events import api as events
from kalends.features.events import store as event_store
from kalends.features.events.input_model import EventChanges, EventInput, RepeatInput
from kalends.features.events.model import EventRepeated
from kalends.features.events.series import api as series
from kalends.features.events.series.rules.rule import Rule, parse_text
from kalends.features.events.steps.create import create_event
from kalends.features.pictures.steps.add import store_picture
from kalends.features.responses import api as responses
from kalends.features.responses.model import ResponseInput
from kalends.features.site import store as site_store
from kalends.features.subscribers import store as subscribers
from kalends.features.users import store as users
from kalends.features.users.model import Profile
from kalends.features.users.steps import deletion
from kalends.http.context import Actor, Context
from kalends.http.input.fields import Params
from kalends.http.input.form import Form

HOUR = 3600
# How long ago the calendars were created.
AGE = 21 * 24 * HOUR
# Every third guest opts in; of every four, two bring someone.
OPT_IN_INTERVAL, COMPANION_INTERVAL = 3, 4

STEPS = len(CALENDARS) + len(EVENTS) + len(ORGANISERS) + len(OTHER_EVENTS) + len(COMMENTS) + len(GUESTS)


def fill(ctx: Context, password_hash: str) -> Iterator[str]:
    """Create all data in the open transaction; yields the name of each record, to show progress."""
    now, today = ctx.now, datetimes.to_local(ctx.now, PROFILE["time_zone"]).date()
    ctx.now = now - AGE
    site_store.describe_new(ctx, SITE)
    ctx.actor = _create_owner(ctx, PROFILE, password_hash)
    calendar_ids = {"own": users.primary_calendar_id(ctx, ctx.actor.id)}
    for name, fields in CALENDARS.items():
        calendar_ids[name] = calendars.create(ctx, Form(fields).params(CalendarInput)).id
        yield fields["name"]
    event_ids = {}
    for event in EVENTS:
        event_ids[event.title] = _create_event(ctx, event, today, calendar_ids[event.calendar])
        _respond(ctx, event, event_ids[event.title], now)
        _set_status(ctx, event, event_ids[event.title])
        yield event.title
    _confirm_subscribers(ctx)
    for profile, fields in ORGANISERS:
        with _as(ctx, _create_owner(ctx, profile, password_hash), ctx.now):
            yield from _publish(ctx, Form(fields).params(CalendarInput), profile["user_name"], today, now)
    for number, comment in enumerate(COMMENTS):
        _create_comment(ctx, event_ids, comment, now - (len(COMMENTS) - number) * 5 * HOUR)
        yield comment[2]
    for name, country, phone, tags in GUESTS:
        _create_contact(ctx, name, country=country, phone_number=phone, tag_list=tags)
        yield name
    ctx.now = now


def _publish(ctx: Context, calendar: Params[CalendarInput], user_name: str, today: date, now: int) -> Iterator[str]:
    """Create the calendar and the events of another organiser."""
    calendar_id = calendars.create(ctx, calendar).id
    yield calendar.value.name
    for event in OTHER_EVENTS:
        if event.calendar == user_name:
            _respond(ctx, event, _create_event(ctx, event, today, calendar_id), now)
            yield event.title
    _confirm_subscribers(ctx)


def _create_owner(ctx: Context, fields: dict[str, str], password_hash: str) -> Actor:
    try:
        profile = Form(fields).read(Profile)
        user_id = users.insert(ctx, profile, password_hash, verified=True)
    except UniqueViolation:
        raise errors.Conflict(f"The example is here already: there is a user called {fields['user_name']}, or with its address.") from None
    return Actor(user_id, profile.user_name, profile.email_address, profile.name, profile.time_zone, verified_at=ctx.now)


def _create_event(ctx: Context, event: DemoEvent, today: date, calendar_id: int) -> int:
    """Create the event, or its series; returns the id of the event, or of the next one of the series."""
    fields = _times(event, today) | {
        "title": event.title,
        "calendar_id": calendar_id,
        "time_zone": event.zone,
        "location": event.place,
        "tag_list": event.tags,
        "description": DESCRIPTIONS.get(event.title),
    }
    if event.title in POSTERS or event in OTHER_EVENTS:
        fields |= {"image_url": store_picture(ctx, draw_poster(event.title)), "image_alt": POSTER_TEXT}
    created = create_event(ctx, Form(fields).read(EventInput))
    if event.title in SERIES:
        rrule, days = SERIES[event.title]
        until = "" if days is None else f";UNTIL={today + timedelta(days=days):%Y%m%d}"
        repeated = series.repeat(ctx, created.id, RepeatInput(rrule=f"{rrule}{until}"))
        assert isinstance(repeated, EventRepeated)
        assert repeated.series_id
        began = datetimes.start_of_day(today, PROFILE["time_zone"])
        return next(each.id for each in event_store.find_by_series(ctx, [repeated.series_id]) if each.start_at >= began)
    return created.id


def _times(event: DemoEvent, today: date) -> dict[str, Any]:
    """The local start and end."""
    first = today + timedelta(days=event.day)
    if event.title in SERIES:
        first = next(Rule(parse_text(SERIES[event.title][0]), first).own_dates())
    if event.at is None:
        return {"start_time": first.isoformat(), "end_time": (first + timedelta(days=event.lasts - 1)).isoformat()}
    start = datetime.fromisoformat(f"{first}T{event.at}")
    return {"start_time": start.isoformat(), "end_time": (start + timedelta(hours=event.lasts)).isoformat()}


def _respond(ctx: Context, event: DemoEvent, event_id: int, now: int) -> None:
    """Create the responses of guests, some hours apart; most of them are YES."""
    for number in range(event.response_count):
        name = GUESTS[(number + len(event.title)) % len(GUESTS)][0]
        fields = {
            "event_id": event_id,
            "name": name,
            "email_address": _address(name),
            "response": ("YES", "YES", "MAYBE", "YES", "NO")[(number + event.day) % 5],
            "plus_n": number % COMPANION_INTERVAL // 2,
            "comment": NOTES[(number + event.response_count) % len(NOTES)],
            "opt_in": number % OPT_IN_INTERVAL == 0,
        }
        with _as(ctx, None, now - (event.response_count - number) * 7 * HOUR):
            responses.create(ctx, Form(fields).params(ResponseInput))


def _set_status(ctx: Context, event: DemoEvent, event_id: int) -> None:
    """Cancel or postpone the event, after its guests have responded."""
    if event.title in STATUS:
        status, note = STATUS[event.title]
        events.update(ctx, event_id, Form({"status": status, "status_note": note, "notify": "none"}).changes(EventChanges))


def _confirm_subscribers(ctx: Context) -> None:
    """Confirm all opt-ins, and delete the messages that would ask for confirmation."""
    assert ctx.actor
    subscribers.confirm_all(ctx, ctx.actor.id)


def _create_comment(ctx: Context, event_ids: dict[str, int], comment: tuple[str, str, str, bool], now: int) -> None:
    """Create the comment of a guest, and approve it if Ana has done so."""
    title, name, text, approved = comment
    with _as(ctx, None, now):
        fields = CommentInput(event_id=event_ids[title], name=name, email_address=_address(name), comment=text)
        created = comments.create(ctx, fields)
    if approved:
        with _as(ctx, ctx.actor, now + HOUR):
            comments.update(ctx, created.id, Form({"approved": True}).changes(CommentFields))


@contextmanager
def _as(ctx: Context, actor: Actor | None, now: int) -> Iterator[None]:
    """Act as someone else, or at another time."""
    before = ctx.actor, ctx.now
    ctx.actor, ctx.now = actor, now
    yield
    ctx.actor, ctx.now = before


def _create_contact(ctx: Context, name: str, **fields: str) -> None:
    first_name, last_name = name.split()
    values = fields | {"first_name": first_name, "last_name": last_name, "email_address": _address(name)}
    contacts.insert(ctx, Form(values).read(ContactInput))


def _address(name: str) -> str:
    return f"{fold(name).replace(' ', '.')}@example.org"


def remove(ctx: Context) -> int:
    """Delete the people of the example with all that is theirs, and what it says about the site. Returns how many people there were."""
    found = _find(ctx)
    for user in found:
        # As if they deleted their accounts themselves: the audit log has nothing of the example.
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone)
        deletion.delete_account(ctx, user, erase=True)
        # Nobody wants its calendars back.
        while _empty_trash(ctx, user.id):
            pass
    ctx.actor = None
    with ctx.write():
        row = site_store.lock(ctx)
        said = {name: None for name, value in SITE.items() if getattr(row, name) == value}
        if said:
            site_store.update(ctx, structs.replace(row, **said))
    return len(found)


def _empty_trash(ctx: Context, user_id: int) -> bool:
    with ctx.write():
        return deleted_calendars.empty_batch_of(ctx, user_id)


def _find(ctx: Context) -> list[User]:
    """The accounts with the names and the addresses of the example: others may have taken one of the names."""
    profiles = [PROFILE, *(profile for profile, _ in ORGANISERS)]
    with ctx.read():
        accounts = [(users.find(ctx, profile["user_name"]), profile["email_address"]) for profile in profiles]
    return [user for user, address in accounts if user and user.email_address == address]
