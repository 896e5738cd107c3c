"""What an event or a calendar has several of, such as questions and reminders: the dates of a series have copies of each other's."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.events import store
from kalends.features.events.series.steps import scope
from kalends.http.context import Context
from kalends.policy import Right


class Part(Protocol):
    """A question or a reminder. Copies have the same origin."""

    @property
    def id(self) -> int: ...

    @property
    def origin(self) -> int: ...


P = TypeVar("P", bound=Part)
Load = Callable[[Context, list[int]], list[P]]


class Owner(Struct, frozen=True):
    """The event or the calendar that has the questions or reminders."""

    name: str
    # The calendar itself, or the home calendar of the event.
    calendar_id: int
    event: Event | None = None

    @property
    def event_id(self) -> int | None:
        return self.event.id if self.event else None

    @property
    def path(self) -> str:
        """The path of its page."""
        return f"/events/{self.event.id}" if self.event else f"/calendars/{self.calendar_id}"

    @property
    def key(self) -> dict[str, int]:
        """The column that refers to it, and its id."""
        return {"event_id": self.event.id} if self.event else {"calendar_id": self.calendar_id}

    @property
    def time_zone(self) -> str:
        return self.event.time_zone if self.event else ""

    @property
    def is_repeated(self) -> bool:
        return self.event is not None and self.event.series_id is not None


def event_owner(event: Event) -> Owner:
    return Owner(event.title, event.calendar_id, event)


def calendar_owner(calendar: Calendar) -> Owner:
    return Owner(calendar.name, calendar.id)


def load(ctx: Context, event_id: int, calendar_id: int) -> Owner:
    """The event for its editors, or the calendar for its owner and managers: the other id is 0."""
    if event_id:
        return event_owner(policy.event(ctx, event_id, to=Right.EDIT))
    return calendar_owner(policy.calendar(ctx, calendar_id, to=Right.MANAGE))


def lock(ctx: Context, event_id: int = 0, calendar_id: int = 0) -> Owner:
    """Load the event or calendar; nobody else changes its parts, or the event's responses, until the transaction ends."""
    if event_id:
        store.lock(ctx, [event_id])
    else:
        ctx.tx.advisory_lock(f"calendar {calendar_id}")
    return load(ctx, event_id, calendar_id)


def find_other_dates(ctx: Context, owner: Owner, which: str) -> list[int]:
    """The ids of the other events of the scope, which are locked."""
    if owner.event is None:
        return []
    dates = scope.find_events(ctx, owner.event, which)
    if len(dates) > 1:
        store.lock_events(ctx, [each.id for each in dates])
    return [each.id for each in dates if each.id != owner.event.id]


def with_copies(ctx: Context, owner: Owner, part: P, which: str, of_events: Load[P]) -> list[int]:
    """The ids of the part, and of its copies on the other dates of the scope."""
    dates = find_other_dates(ctx, owner, which)
    return [part.id, *(each.id for each in of_events(ctx, dates) if each.origin == part.origin)] if dates else [part.id]


def find(parts: list[P], part_id: int, name: str) -> P:
    """The part with this id, of those of one event or calendar."""
    for part in parts:
        if part.id == part_id:
            return part
    raise errors.NotFound(f"There is no such {name} here. The {name}s of a calendar are changed under /api/calendars.")
