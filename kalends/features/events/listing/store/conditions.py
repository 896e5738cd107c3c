"""The conditions of an event query as SQL."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field, structs

from kalends.core import errors
from kalends.core.values import datetimes
from kalends.core.values.datetimes import DAY_SECONDS
from kalends.db import text_search
from kalends.features.events import uid_store as by_uid
from kalends.features.events.listing.query_model import EventQuery, decode_cursor
from kalends.features.events.listing.store import search
from kalends.http.context import Context

# Longer events are rare, and have partial indexes. The schema repeats this number, and the condition.
LONG_SECONDS = 2_678_400
TAKES_DAYS = f"(e.all_day OR e.until_at - e.start_at >= {DAY_SECONDS})"
# The indexes of all public events, of those that last more than LONG_SECONDS, and of those that take days.
IN_PUBLIC, LASTING, TAKING_DAYS = "events_in_public", "events_lasting_in_public", "events_taking_days_in_public"

_OVERLAP = "(e.until_at > :start OR e.start_at >= :start)"
_SEARCHED = ("text", *search.TEXT_FIELDS)


class Conditions(Struct):
    """Conditions on an event `e`. The bounds on its position in the list have placeholders {start} and {id} for the columns.

    is_overlap: events that began long before may match too; `split` tells them from the others.
    index: the index of public events to read, if it is not that of all of them."""

    on_event: list[str] = field(default_factory=list)
    on_text: list[str] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    literals: list[str] = field(default_factory=list)
    is_overlap: bool = False
    latest_first: bool = False
    index: str | None = None

    def sql(self, start: str, event_id: str, *more: str) -> str:
        """All conditions and `more`.

        All text searches are one opaque condition. Query planners take each LIKE for very selective, and would sort all events rather than
        read a page in order; of an opaque condition they expect that it holds for every second row."""
        text = [f"CASE WHEN {all_of(self.on_text)} THEN TRUE ELSE FALSE END"] if self.on_text else []
        return all_of([*more, *self._bounds(start, event_id), *self.on_event, *text])

    def bounded(self, start: str, event_id: str, *more: str) -> str:
        """The bounds and `more`."""
        return all_of([*more, *self._bounds(start, event_id)])

    def _bounds(self, start: str, event_id: str) -> list[str]:
        return [bound.format(start=start, id=event_id) for bound in self.bounds]


def all_of(conditions: Sequence[str]) -> str:
    """The conditions joined by AND, as a balanced tree: databases limit the depth of expressions."""
    if len(conditions) <= 2:
        return " AND ".join(conditions) or "1 = 1"
    middle = len(conditions) // 2
    return f"({all_of(conditions[:middle])}) AND ({all_of(conditions[middle:])})"


def build(ctx: Context, query: EventQuery, zone: str) -> Conditions:
    """The conditions of the query; times without an offset are in the zone."""
    conditions = Conditions(latest_first=query.order == "-start_time")
    if conditions.latest_first and query.overlaps:
        raise errors.invalid("order", "must be start_time where overlaps is true", "conflict")
    _add_times(conditions, query, query.time_zone or zone)
    if query.series_id is not None:
        conditions.on_event.append("e.series_id = :series_id")
        conditions.params["series_id"] = query.series_id
    if query.status is not None:
        # A literal, so that the partial index of events that are not planned can be used.
        conditions.on_event.append(f"e.status = '{query.status}'")
        conditions.on_event += ["e.status <> 'planned'"] if query.status != "planned" else []
    if query.ids is not None:
        conditions.on_event.append(f"e.id {ctx.db.in_list('ids')}")
        conditions.params["ids"] = query.ids
    if query.ids is not None and query.uid is not None:
        sql, params = by_uid.select_ids(ctx, query.uid)
        conditions.on_event.append(f"e.id IN ({sql})")
        conditions.params |= params
    _add_searches(ctx, conditions, query)
    return conditions


def _add_searches(ctx: Context, conditions: Conditions, query: EventQuery) -> None:
    for name in _SEARCHED:
        if value := getattr(query, name):
            try:
                searches = search.parse_query(name, value)
                text_search.check_term_count(len(conditions.on_text) + len(searches))
            except ValueError as error:
                raise errors.invalid(name, error.args[0]) from None
            # The empty suffix keeps planners from using the text index here: `listing` decides when to use it.
            conditions.on_text += text_search.where(ctx.db, "e.search || ''", searches, conditions.params)
            conditions.literals += [literal for condition in searches for literal in condition.literals]


def _add_times(conditions: Conditions, query: EventQuery, zone: str) -> None:
    start = datetimes.parse(query.start_time).to_instant(zone) if query.start_time else None
    last = datetimes.parse(query.end_time) if query.end_time else None
    end = last.to_end(zone) if last else None
    if query.overlaps:
        _add_overlap(conditions, start, end)
    else:
        if start is not None:
            conditions.bounds.append("{start} >= :start")
        if last:
            # The midnight that ends a date belongs to the next day.
            conditions.bounds.append("{start} < :end" if last.is_date else "{start} <= :end")
            conditions.on_event.append("coalesce(e.end_at, e.start_at) <= :end")
    conditions.params |= {name: value for name, value in (("start", start), ("end", end)) if value is not None}


def add_cursor(conditions: Conditions, after: str) -> None:
    """Add bounds for the events after the cursor."""
    start_at, event_id = decode_cursor(after)
    operator = "<" if conditions.latest_first else ">"
    conditions.bounds += [f"{{start}} {operator}= :after_start", f"({{start}}, {{id}}) {operator} (:after_start, :after_id)"]
    conditions.params |= {"after_start": start_at, "after_id": event_id}


def up_to(conditions: Conditions, last: tuple[int, int]) -> Conditions:
    """The conditions for the events up to this one."""
    operator = ">" if conditions.latest_first else "<"
    bounds = [f"{{start}} {operator}= :last_start", f"({{start}}, {{id}}) {operator}= (:last_start, :last_id)"]
    others = [bound for bound in conditions.bounds if bound not in bounds]
    params = conditions.params | {"last_start": last[0], "last_id": last[1]}
    return structs.replace(conditions, bounds=[*others, *bounds], params=params)


def _add_overlap(conditions: Conditions, start: int | None, end: int | None) -> None:
    if end is not None:
        conditions.bounds.append("{start} < :end")
    if start is not None:
        conditions.on_event.append(_OVERLAP)
        conditions.params |= {"recent": start - LONG_SECONDS, "yesterday": start - DAY_SECONDS}
        conditions.is_overlap = True


def split(conditions: Conditions, *, in_public: bool) -> list[Conditions]:
    """The conditions for the events of an overlap by when they began, the earliest first: long before its start, then the others. Among all
    public events, also those that began a day and more before it: they take days, and the index of these is far smaller."""
    long_running = _began_before(conditions, LASTING, "{start} < :recent", f"e.until_at - e.start_at > {LONG_SECONDS}")
    if not in_public:
        return [long_running, _bounded(conditions, "{start} >= :recent")]
    taking_days = _began_before(conditions, TAKING_DAYS, "{start} >= :recent", "{start} < :yesterday", TAKES_DAYS)
    return [long_running, taking_days, _bounded(conditions, "{start} >= :yesterday")]


def _began_before(conditions: Conditions, index: str, *bounds: str) -> Conditions:
    """Planners would take a condition that says the same twice for a rare one, and sort all that match."""
    on_event = [condition for condition in conditions.on_event if condition is not _OVERLAP]
    return structs.replace(_bounded(conditions, *bounds, "e.until_at > :start"), on_event=on_event, index=index)


def _bounded(conditions: Conditions, *bounds: str) -> Conditions:
    return structs.replace(conditions, bounds=[*conditions.bounds, *bounds])
