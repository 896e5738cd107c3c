"""The rail beside a calendar: a small month with marks, and the calendars with ticks. And the entries of the calendar."""

import re
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct, structs

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.records.calendar import NamedCalendar
from kalends.core.values.datetimes import to_local
from kalends.features.calendar_view import store
from kalends.features.calendar_view.model import BIRTHDAYS, GREY, MINE, MINE_COLOR, Entry, Timed
from kalends.features.calendar_view.rules.days import DAY, MONTH, Days, date_range
from kalends.features.calendar_view.rules.month import MiniMonth
from kalends.features.calendar_view.steps.search import Overview
from kalends.features.contacts import store as contacts
from kalends.features.contacts.rules.birthday import COLOR as BIRTHDAY_COLOR
from kalends.http.context import Context
from kalends.web import labels

# The calendars that a reader does not want to see, remembered by the browser for a year.
COOKIE = "kalends_hidden"
YEAR = 365 * 86_400
_ID = re.compile(r"-?[0-9]{1,19}")
# What a cookie has room for.
MAX_IDS = 200
LAYER = gettext("Invited and going")
BIRTHDAY_LAYER = gettext("Birthdays")
# Of how many organisers the public calendars are listed, and how many of them.
MAX_ORGANISERS = 24
MAX_CALENDARS = 60


class Group(Struct, frozen=True):
    """Calendars under one heading."""

    title: str
    calendars: Sequence[NamedCalendar]


def mini_month(month: Days, view: str, overview: Overview) -> MiniMonth:
    """The month beside a view."""
    marked = set(overview.starts)
    for bar in overview.bars:
        marked.update(date_range(max(bar.first, month.first), min(bar.last, month.last)))
    return MiniMonth(month, marked, DAY if view == MONTH else view)


def group_calendars(ctx: Context, own: Sequence[NamedCalendar], selected: Sequence[NamedCalendar]) -> list[Group]:
    """The calendars to choose from: the reader's own and those shared with them, or the public ones for a guest, and the selected ones."""
    if ctx.actor is None:
        people = policy.organisers(ctx, 0, MAX_ORGANISERS)
        public = policy.public_calendars(ctx, [person.id for person in people], MAX_CALENDARS)
        groups = [Group(gettext("Public calendars"), public)]
    else:
        mine = [structs.replace(calendar, name=labels.calendar_name(ctx, calendar.name)) for calendar in own if calendar.role == "owner"]
        # An event that is both on one of these and among what the reader goes to is shown as one of their own.
        layers = [] if selected else [_layer(ctx, MINE, LAYER, MINE_COLOR)]
        if not selected and contacts.has_birthdays(ctx, policy.user(ctx).id):
            layers.append(_layer(ctx, BIRTHDAYS, BIRTHDAY_LAYER, BIRTHDAY_COLOR))
        groups = [
            Group(gettext("My calendars"), mine + layers),
            Group(gettext("Shared with you"), [calendar for calendar in own if calendar.role != "owner"]),
        ]
    known = {calendar.id for group in groups for calendar in group.calendars}
    groups.append(Group(gettext("Other calendars"), [calendar for calendar in selected if calendar.id not in known]))
    return [group for group in groups if group.calendars]


def _layer(ctx: Context, layer_id: int, name: Text, color: str) -> NamedCalendar:
    return NamedCalendar(layer_id, ctx.locale.translate(name), color, "UTC", "viewer", public=False)


def hidden_ids(ctx: Context) -> frozenset[int]:
    """The ids of the hidden calendars."""
    parts = ctx.caller.cookie(COOKIE).split(".")[:MAX_IDS]
    return frozenset(int(part) for part in parts if _ID.fullmatch(part))


def remember(ctx: Context, offered: Iterable[int], ticked: Iterable[int]) -> None:
    """Store the choice: of the offered calendars, those without a tick are hidden. Others stay as they were."""
    unticked = set(offered) - set(ticked)
    hidden = sorted(unticked) + sorted(hidden_ids(ctx) - set(offered))
    ctx.set_cookie(COOKIE, ".".join(map(str, hidden[:MAX_IDS])), YEAR if hidden else 0)


def mark(ctx: Context, entries: Iterable[Entry], calendars: Sequence[NamedCalendar], zone: str) -> None:
    """Add to each entry its clock time in the zone, and the colour and name of the calendar on which it was found; or else of the first
    of these calendars that holds it, or of any that the reader sees."""
    clock = ctx.locale.formats.clock
    by_id: dict[int | None, NamedCalendar] = {calendar.id: calendar for calendar in calendars}
    others: dict[int, list[Entry]] = {}
    for entry in entries:
        entry.clock = "" if entry.all_day else clock(to_local(entry.start_at, zone))
        calendar = by_id.get(entry.calendar_id)
        if calendar is None:
            others.setdefault(entry.id, []).append(entry)
        else:
            entry.color, entry.calendar = calendar.color, calendar.name
    if others:
        for event_id, _, color, name in _find_calendars(ctx, list(others), by_id):
            for entry in others[event_id]:
                entry.color, entry.calendar = color, name


def find_colors(ctx: Context, events: Iterable[Timed], calendars: Sequence[NamedCalendar]) -> dict[int, str]:
    """The colour of each event, by its id: that of the same calendar."""
    by_id: dict[int | None, str] = {calendar.id: calendar.color for calendar in calendars}
    colors = {event_id: by_id.get(calendar_id, "") for _, event_id, _, _, _, calendar_id in events}
    others = [event_id for event_id, color in colors.items() if not color]
    if others:
        colors |= dict.fromkeys(others, GREY)
        colors |= {event_id: color for event_id, _, color, _ in _find_calendars(ctx, others, by_id)}
    return colors


def _find_calendars(ctx: Context, event_ids: list[int], preferred: Container[int | None]) -> list[store.Row]:
    """The calendars of events that the reader sees; of each event, the one to show is the last."""
    return sorted(store.find_calendars(ctx, event_ids), key=lambda row: row[1] in preferred)
