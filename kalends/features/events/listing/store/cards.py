"""The SQL of what cards of events show beside the event: the rule of its series, and how many people come."""

from kalends.core.records.event import EventRow
from kalends.features.events.listing.query_model import decode_cursor
from kalends.features.events.model import CardDetail
from kalends.features.events.series.model import Repeat, build_repeat
from kalends.features.responses.seat_store import OFFERED_SEATS
from kalends.http.context import Context
from kalends.web.drawings import DEFAULT_COLOR


def find_earlier_series(ctx: Context, rows: list[EventRow], since: int, after: str | None) -> set[tuple[int, bool]]:
    """The series of these events that an earlier page has shown, and whether by a cancelled date."""
    ids = list({row.series_id for row in rows if row.series_id})
    if after is None or not ids:
        return set()
    start_at, event_id = decode_cursor(after)
    series = ctx.tx.rows(
        f"""SELECT DISTINCT series_id, status = 'cancelled' FROM events WHERE series_id {ctx.db.in_list("ids")} AND public
            AND start_at >= :since AND (start_at, id) <= (:start_at, :event_id)""",
        ids=ids,
        since=since,
        start_at=start_at,
        event_id=event_id,
    )
    return {(series_id, bool(is_cancelled)) for series_id, is_cancelled in series}


def find_rules(ctx: Context, series_ids: list[int]) -> dict[int, Repeat]:
    """The rule of each series."""
    if not series_ids:
        return {}
    rows = ctx.tx.rows(f"SELECT r.id, r.rrule, r.start_date FROM series r WHERE r.id {ctx.db.in_list('ids')}", ids=series_ids)
    return {row[0]: build_repeat(*row[1:]) for row in rows}


def find_details(ctx: Context, event_ids: list[int]) -> dict[int, CardDetail]:
    """What else the cards of these events show. Those who wait for a spot are not counted as coming."""
    if not event_ids:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT e.id, CASE WHEN c.public THEN c.color ELSE :color END,
                   CASE WHEN NOT coalesce(s.show_counts, TRUE) THEN 0 WHEN s.capacity IS NULL THEN coalesce(t.people, 0)
                       ELSE s.taken - {OFFERED_SEATS} END,
                   coalesce(s.taken >= s.capacity, FALSE)
            FROM events e JOIN calendars c ON c.id = e.calendar_id
            LEFT JOIN response_tallies t ON t.event_id = e.id LEFT JOIN response_settings s ON s.event_id = e.id
            WHERE e.id {ctx.db.in_list("ids")}""",
        ids=event_ids,
        color=DEFAULT_COLOR,
    )
    return {row[0]: CardDetail(row[1], row[2], bool(row[3])) for row in rows}
