"""What the actor can see that has some words, on their own calendars and in public: what is coming up, and what is past."""

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import MemberCalendars
from kalends.core.records.event import EventRow
from kalends.core.values import timestamps
from kalends.features.events import present
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import listing
from kalends.features.events.listing.store.cards import find_rules
from kalends.features.events.model import EventItem
from kalends.features.events.rules.location import shorten
from kalends.features.events.series.model import Repeat
from kalends.http.context import Context
from kalends.web import labels

# How many results are shown of each part, and how many events are read for them: of a series only one date is shown.
MAX_SHOWN, MAX_READ = 20, 100


class Result(Struct, frozen=True):
    """An event that was found; of a series, the date that is nearest to now, with its rule.

    place: where it is, in few words; calendar: the name of the actor's calendar on which it is, if it is on one."""

    event: EventItem
    place: str
    calendar: str | None
    repeat: Repeat | None


class Results(Struct, frozen=True):
    """The nearest results, and whether there are more."""

    shown: list[Result]
    has_more: bool


def find(ctx: Context, text: str, zone: str) -> tuple[Results, Results]:
    """What is running or coming up, the next first, and what is past, the latest first."""
    now = timestamps.format_utc(ctx.now)
    calendars = (
        {calendar.id: labels.calendar_name(ctx, calendar.name) for calendar in policy.named_member_calendars(ctx)} if ctx.actor else {}
    )
    coming = _find_rows(ctx, EventQuery(text=text, start_time=now, overlaps=True, limit=MAX_READ), zone)
    past = _find_rows(ctx, EventQuery(text=text, end_time=now, order="-start_time", limit=MAX_READ), zone)
    # An event that takes days may begin and end, as the list of the API has it, at the midnight of today.
    past = {event_id: row for event_id, row in past.items() if event_id not in coming}
    return _results(ctx, coming, calendars), _results(ctx, past, calendars)


def _find_rows(ctx: Context, query: EventQuery, zone: str) -> dict[int, EventRow]:
    """The first events of all that is public and of the actor's calendars, in the order of the query."""
    rows: dict[int, EventRow] = {}
    for calendars in [None, MemberCalendars()] if ctx.actor else [None]:
        examined = listing.examine(ctx, query, calendars, zone)
        rows |= {row.id: row for row in listing.find(ctx, query, calendars, zone, examined=examined)}
    ordered = sorted(rows.values(), key=lambda row: (row.start_at, row.id), reverse=query.order == "-start_time")
    return {row.id: row for row in ordered[: query.fetch]}


def _results(ctx: Context, rows: dict[int, EventRow], calendars: dict[int, str]) -> Results:
    """The first date of each series and all other events."""
    first_dates: dict[int, EventRow] = {}
    for row in rows.values():
        first_dates.setdefault(row.series_id or -row.id, row)
    shown = list(first_dates.values())[:MAX_SHOWN]
    rules = find_rules(ctx, [row.series_id for row in shown if row.series_id])
    results = [
        Result(
            item,
            shorten(row.location or ""),
            next((calendars[each] for each in item.calendar_ids if each in calendars), None),
            rules.get(row.series_id or 0),
        )
        for row, item in zip(shown, present.items(ctx.settings, shown), strict=True)
    ]
    return Results(results, has_more=len(rows) > MAX_READ or len(first_dates) > MAX_SHOWN)
