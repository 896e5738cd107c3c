"""What a query asks of an event, as SQL."""

from typing import Any

from msgspec import Struct, field, structs

from kalends import errors
from kalends.context import Context
from kalends.db import text_search
from kalends.events import cursor, search
from kalends.events.query import EventQuery
from kalends.values import datetimes

# Events longer than this are few; the migrations have indexes of them, made with this very number.
LONG = 2_678_400

_SEARCHED = ("text", *search.TEXT_FIELDS)


class Conditions(Struct):
    """Conditions on an event `e`; bounds on its place in the list name the columns to compare as {start} and {id}.

    reaches_back: what began long before may match too; `lasting` and `recent` tell such events from the others."""

    on_event: list[str] = field(default_factory=list)
    on_text: list[str] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    literals: list[str] = field(default_factory=list)
    reaches_back: bool = False
    latest_first: bool = False

    def sql(self, start: str, event_id: str, *more: str) -> str:
        """All conditions, and more."""
        return all_of([*more, *self._bounds(start, event_id), *self.on_event, *self._text()])

    def bounded(self, start: str, event_id: str, *more: str) -> str:
        """The bounds alone, and more."""
        return all_of([*more, *self._bounds(start, event_id)])

    def _text(self) -> list[str]:
        """All searches of the text as one opaque condition: a planner may take each LIKE for very selective, and rather sort all
        events than read a page in order. What it cannot look into it expects to hold for every second row."""
        return [f"CASE WHEN {all_of(self.on_text)} THEN TRUE ELSE FALSE END"] if self.on_text else []

    def _bounds(self, start: str, event_id: str) -> list[str]:
        return [bound.format(start=start, id=event_id) for bound in self.bounds]


def all_of(conditions: list[str]) -> str:
    """Joined by AND, as a balanced tree: a long query must not become a deep one."""
    if len(conditions) <= 2:
        return " AND ".join(conditions) or "1 = 1"
    middle = len(conditions) // 2
    return f"({all_of(conditions[:middle])}) AND ({all_of(conditions[middle:])})"


def of(ctx: Context, query: EventQuery, zone: str) -> Conditions:
    """The conditions of the query; times without an offset are read in the zone."""
    chosen = Conditions(latest_first=query.order == "-start_time")
    if chosen.latest_first and query.overlaps:
        raise errors.invalid("order", "must be start_time where overlaps is true", "conflict")
    _add_times(chosen, query, query.time_zone or zone)
    if query.series_id is not None:
        chosen.on_event.append("e.series_id = :series_id")
        chosen.params["series_id"] = query.series_id
    if query.ids is not None:
        chosen.on_event.append(f"e.id IN {ctx.db.in_list('ids')}")
        chosen.params["ids"] = query.ids
    _add_searches(chosen, query)
    return chosen


def _add_searches(chosen: Conditions, query: EventQuery) -> None:
    for name in _SEARCHED:
        if value := getattr(query, name):
            try:
                found = search.conditions(name, value)
                text_search.check_term_count(len(chosen.on_text) + len(found))
            except ValueError as error:
                raise errors.invalid(name, str(error)) from None
            # Joined with nothing, so that no planner takes the index here: `listing` decides when to use it.
            chosen.on_text += text_search.where("e.search || ''", found, chosen.params)
            chosen.literals += [literal for condition in found for literal in condition.literals]


def _add_times(chosen: Conditions, query: EventQuery, zone: str) -> None:
    start = datetimes.parse(query.start_time).to_instant(zone) if query.start_time else None
    last = datetimes.parse(query.end_time) if query.end_time else None
    end = last.to_end(zone) if last else None
    if query.overlaps:
        _add_overlap(chosen, start, end)
    else:
        if start is not None:
            chosen.bounds.append("{start} >= :start")
        if last:
            # The midnight that ends a date belongs to the next.
            chosen.bounds.append("{start} < :end" if last.is_date else "{start} <= :end")
            chosen.on_event.append("coalesce(e.end_at, e.start_at) <= :end")
    chosen.params |= {name: value for name, value in (("start", start), ("end", end)) if value is not None}


def add_after(chosen: Conditions, after: str) -> None:
    """Only what comes after the event at which the page before ended."""
    start_at, event_id = cursor.decode(after)
    way = "<" if chosen.latest_first else ">"
    chosen.bounds += [f"{{start}} {way}= :after_start", f"({{start}}, {{id}}) {way} (:after_start, :after_id)"]
    chosen.params |= {"after_start": start_at, "after_id": event_id}


def _add_overlap(chosen: Conditions, start: int | None, end: int | None) -> None:
    if end is not None:
        chosen.bounds.append("{start} < :end")
    if start is not None:
        chosen.on_event.append("(e.until_at > :start OR e.start_at >= :start)")
        chosen.params["recent"] = start - LONG
        chosen.reaches_back = True


def lasting(chosen: Conditions) -> Conditions:
    """The same conditions on the events that began long before."""
    among = [f"e.until_at - e.start_at > {LONG}", "e.until_at > :start"]
    return structs.replace(chosen, on_event=[*chosen.on_event, *among], bounds=[*chosen.bounds, "{start} < :recent"])


def recent(chosen: Conditions) -> Conditions:
    """The same conditions on the other events."""
    return structs.replace(chosen, bounds=[*chosen.bounds, "{start} >= :recent"])
