"""The rail beside a calendar: a small month with marks, and the calendars with ticks."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from kalends import policy
from kalends.calendar_view.days import DAY, MONTH, Days, date_range
from kalends.calendar_view.search import Overview
from kalends.context import Context
from kalends.i18n import gettext
from kalends.records.calendar import NamedCalendar

# Of how many organisers the public calendars are listed, and how many of them.
MAX_ORGANISERS = 24
MAX_CALENDARS = 60


class MiniMonth(Struct, frozen=True):
    """A month, the days that have events, and the view to which its days lead."""

    days: Days
    marked: set[date]
    view: str


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
        mine = [calendar for calendar in own if calendar.role == "owner"]
        groups = [
            Group(gettext("Calendars"), mine),
            Group(gettext("Shared with you"), [calendar for calendar in own if calendar.role != "owner"]),
        ]
    known = {calendar.id for group in groups for calendar in group.calendars}
    groups.append(Group(gettext("Other calendars"), [calendar for calendar in selected if calendar.id not in known]))
    return [group for group in groups if group.calendars]
