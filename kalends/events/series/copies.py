"""What an event or a calendar has several of, such as questions and reminders: the dates of a series have copies of each other's."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from kalends import errors, policy
from kalends.context import Context
from kalends.events import store
from kalends.events.series import scope
from kalends.policy import Right
from kalends.records.event import Event


class Part(Protocol):
    """A question or a reminder. Copies have the same origin."""

    @property
    def id(self) -> int: ...

    @property
    def origin(self) -> int: ...


P = TypeVar("P", bound=Part)
Load = Callable[[Context, list[int]], list[P]]


def lock_event(ctx: Context, event_id: int) -> Event:
    """The event, for its editors; nobody else changes its parts and responses until the transaction ends."""
    store.lock(ctx, [event_id])
    return policy.event(ctx, event_id, to=Right.EDIT)


def lock_calendar(ctx: Context, calendar_id: int) -> None:
    """Require the owner, and let nobody else change the parts of the calendar until the transaction ends."""
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    policy.calendar(ctx, calendar_id, to=Right.OWN)


def find_other_dates(ctx: Context, event: Event, which: str) -> list[int]:
    """The ids of the other events of the scope, which are locked."""
    dates = scope.find_events(ctx, event, which)
    if len(dates) > 1:
        store.lock_events(ctx, [each.id for each in dates])
    return [each.id for each in dates if each.id != event.id]


def with_copies(ctx: Context, event: Event, part: P, which: str, of_events: Load[P]) -> list[P]:
    """The part, and its copies on the other dates of the scope."""
    dates = find_other_dates(ctx, event, which)
    return [part, *(each for each in of_events(ctx, dates) if each.origin == part.origin)] if dates else [part]


def find(parts: list[P], part_id: int, name: str) -> P:
    """The part with this id, of those of one event or calendar."""
    for part in parts:
        if part.id == part_id:
            return part
    raise errors.NotFound(f"There is no such {name} here. The {name}s of a calendar are changed under /api/calendars.")
