"""Fill a service with a lively example, by the same actions as people use."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

from kalends import errors
from kalends.calendars import api as calendars
from kalends.calendars.model import CalendarInput
from kalends.comments import api as comments
from kalends.comments.model import CommentFields, CommentInput
from kalends.contacts import store as contacts
from kalends.contacts.model import ContactInput
from kalends.context import Actor, Context
from kalends.db import UniqueViolation
from kalends.db.text_search import fold
from kalends.demo.story import CALENDARS, DESCRIPTIONS, GUESTS, HAPPENINGS, NOTES, PROFILE, REMARKS, SERIES, Happening
from kalends.events import api as events
from kalends.events.create import create_event
from kalends.events.input import EventInput, RepeatInput
from kalends.events.query import EventQuery
from kalends.events.series import api as series
from kalends.http.input.form import Form
from kalends.policy import primary_calendar, user
from kalends.responses import api as responses
from kalends.responses.model import ResponseInput
from kalends.users import store as users
from kalends.users.model import Profile
from kalends.values import datetimes

HOUR = 3600
# Since when the calendars have been there.
BEGAN = 21 * 24 * HOUR
# Every so many guests opt in, or come with others.
OPTS_IN, BRINGS_SOME = 3, 4

STEPS = len(CALENDARS) + len(HAPPENINGS) + len(REMARKS) + len(GUESTS)


def fill(ctx: Context, password_hash: str) -> Iterator[str]:
    """Tell the story in the open transaction, so that it is told whole or not at all; say what was made, one by one."""
    now, today = ctx.now, datetimes.to_local(ctx.now, PROFILE["time_zone"]).date()
    ctx.now = now - BEGAN
    ctx.actor = _owner(ctx, password_hash)
    placed = {"own": primary_calendar(ctx).id}
    for name, fields in CALENDARS.items():
        placed[name] = calendars.create(ctx, Form(fields).read(CalendarInput)).id
        yield fields["name"]
    made = {}
    for happening in HAPPENINGS:
        made[happening.title] = _happen(ctx, happening, today, placed[happening.calendar])
        _answer(ctx, happening, made[happening.title], now)
        yield happening.title
    _confirm(ctx)
    for number, remark in enumerate(REMARKS):
        _say(ctx, made, remark, now - (len(REMARKS) - number) * 5 * HOUR)
        yield remark[2]
    for name, country, phone, tags in GUESTS:
        _know(ctx, name, country=country, phone_number=phone, tag_list=tags)
        yield name
    ctx.now = now


def _owner(ctx: Context, password_hash: str) -> Actor:
    try:
        profile = Form(PROFILE).read(Profile)
        user_id = users.insert(ctx, profile, password_hash, verified=True)
    except UniqueViolation:
        raise errors.Conflict("The example is here already: there is a user called demo, or with its address.") from None
    return Actor(user_id, profile.user_name, profile.email_address, profile.name, profile.time_zone, verified_at=ctx.now)


def _happen(ctx: Context, happening: Happening, today: date, calendar_id: int) -> int:
    """Make the event, with all its repetitions; of those, answer the next one."""
    fields = _times(happening, today) | {
        "title": happening.title,
        "calendar_id": calendar_id,
        "time_zone": happening.zone,
        "location": happening.place,
        "tag_list": happening.tags,
        "description": DESCRIPTIONS.get(happening.title),
    }
    event = create_event(ctx, Form(fields).read(EventInput))
    if happening.title in SERIES:
        frequency, interval, days = SERIES[happening.title]
        end_date = None if days is None else (today + timedelta(days=days)).isoformat()
        rule = {"frequency": frequency, "interval": interval, "end_date": end_date}
        series_id = series.repeat(ctx, event.id, Form(rule).read(RepeatInput)).series_id
        query = {"series_id": series_id, "start_time": today.isoformat(), "limit": 1}
        return events.index(ctx, Form(query).read(EventQuery)).events[0].id
    return event.id


def _times(happening: Happening, today: date) -> dict[str, Any]:
    """When it begins and ends, on the clocks of its place."""
    first = today + timedelta(days=happening.day)
    if happening.at is None:
        return {"start_time": first.isoformat(), "end_time": (first + timedelta(days=happening.lasts - 1)).isoformat()}
    start = datetime.fromisoformat(f"{first}T{happening.at}")
    return {"start_time": start.isoformat(), "end_time": (start + timedelta(hours=happening.lasts)).isoformat()}


def _answer(ctx: Context, happening: Happening, event_id: int, now: int) -> None:
    """So many guests answer, each a few hours after the other; most of them come."""
    for number in range(happening.answers):
        name = GUESTS[(number + len(happening.title)) % len(GUESTS)][0]
        given = {
            "event_id": event_id,
            "name": name,
            "email_address": _address(name),
            "response": ("YES", "YES", "MAYBE", "YES", "NO")[(number + happening.day) % 5],
            "plus_n": number % BRINGS_SOME // 2,
            "comment": NOTES[(number + happening.answers) % len(NOTES)],
            "opt_in": number % OPTS_IN == 0,
        }
        with _as(ctx, None, now - (happening.answers - number) * 7 * HOUR):
            responses.create(ctx, Form(given).given(ResponseInput))


def _confirm(ctx: Context) -> None:
    """Those who opted in have followed the links; the messages that would carry them are not sent."""
    me = user(ctx).id
    ctx.tx.run("UPDATE subscribers SET confirmed_at = consented_at WHERE owner_id = :me", me=me)
    ctx.tx.run("DELETE FROM deliveries WHERE owner_id = :me AND kind = 'confirm'", me=me)


def _say(ctx: Context, made: dict[str, int], remark: tuple[str, str, str, bool], now: int) -> None:
    """A guest says something, and Ana approves it or has not done so yet."""
    title, name, words, approved = remark
    with _as(ctx, None, now):
        said = comments.create(ctx, CommentInput(event_id=made[title], name=name, email_address=_address(name), comment=words))
    if approved:
        with _as(ctx, ctx.actor, now + HOUR):
            comments.update(ctx, said.id, Form({"approved": True}).changes(CommentFields))


@contextmanager
def _as(ctx: Context, actor: Actor | None, now: int) -> Iterator[None]:
    """Somebody else acts, or at another time."""
    before = ctx.actor, ctx.now
    ctx.actor, ctx.now = actor, now
    yield
    ctx.actor, ctx.now = before


def _know(ctx: Context, name: str, **fields: str) -> None:
    first_name, last_name = name.split()
    given = fields | {"first_name": first_name, "last_name": last_name, "email_address": _address(name)}
    contacts.insert(ctx, Form(given).read(ContactInput))


def _address(name: str) -> str:
    return f"{fold(name).replace(' ', '.')}@example.org"
