"""What the page of an event shows of responding: the form, or the ticket of who has responded, and the other dates of a series."""

from contextlib import suppress
from datetime import date

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import Text, gettext
from kalends.core.records.event import Event, EventWithCounts
from kalends.core.values.timestamps import parse_instant
from kalends.features.events.model import EventDetail
from kalends.features.events.rules.span import format_times
from kalends.features.events.series.model import Repeat
from kalends.features.responses import present as response_present
from kalends.features.responses.rules import ticket
from kalends.features.responses.rules.ticket import Ticket, TicketPlace
from kalends.features.responses.steps import guest_cookie
from kalends.features.responses.steps.guest_cookie import Guest, OwnResponse
from kalends.http.context import Context

# The dates that the page links to at first, and all that it can.
FEW_DATES, MANY_DATES = 4, 200
WEEKDAYS = (
    gettext("All Mondays"),
    gettext("All Tuesdays"),
    gettext("All Wednesdays"),
    gettext("All Thursdays"),
    gettext("All Fridays"),
    gettext("All Saturdays"),
    gettext("All Sundays"),
)


class Date(Struct, frozen=True):
    """Another date of the series."""

    path: str
    start_time: str


class Card(Struct, frozen=True, kw_only=True):
    """own: what the reader responded; guest: the person whom the browser remembers; dates: the other dates of the series that are to come;
    all_dates: what a response to all of them is called, None if there is no other; limit: the most people of one response."""

    own: OwnResponse | None
    ticket: Ticket | None
    guest: Guest
    dates: list[Date]
    has_more_dates: bool
    first_date: str
    all_dates: Text | None
    limit: int


def build(ctx: Context, event: EventWithCounts, detail: EventDetail, *, with_all_dates: bool) -> Card:
    """The card of the event for its reader; the page with what a guest responded is not cached."""
    guest = guest_cookie.read(ctx) if ctx.actor is None else guest_cookie.NOBODY
    if guest != guest_cookie.NOBODY:
        ctx.headers["Cache-Control"] = "no-store"
    own = _find_own(ctx, event.id, guest)
    number = MANY_DATES if with_all_dates else FEW_DATES + 2
    coming = policy.next_dates(ctx, event.series_id, number) if event.series_id is not None else []
    others = [Date(_path(ctx, each), format_times(each)[0]) for each in coming if each.id != event.id]
    return Card(
        own=own,
        ticket=ticket.describe(own.response, own.people, own.place, detail.owner.name, is_series=own.is_series) if own else None,
        guest=guest,
        dates=others if with_all_dates else others[:FEW_DATES],
        has_more_dates=not with_all_dates and len(others) > FEW_DATES,
        first_date=format_times(coming[0])[0] if coming else detail.start_time,
        all_dates=_name_all_dates(detail.repeat, detail.start_time) if others else None,
        limit=event.page_limit,
    )


def open_own(ctx: Context, event_id: int) -> bool:
    """Let the request know what a guest may who has the personal link to a response in a cookie. False: there is no such link."""
    own = guest_cookie.find(ctx, event_id) if ctx.actor is None else None
    if own is None or not own.token:
        return False
    with suppress(errors.NotFound):
        policy.linked_response(ctx, own.token)
    return True


def _find_own(ctx: Context, event_id: int, guest: Guest) -> OwnResponse | None:
    """What the reader responded: a member by the account, a guest by the cookie, which knows what a newcomer gets, or has the link to what
    is stored."""
    own = guest.events.get(event_id)
    if ctx.actor:
        row = policy.my_response(ctx, event_id)
        own = OwnResponse(row.response) if row else None
    elif own and own.token:
        try:
            row, _ = policy.linked_response(ctx, own.token, of_hidden=True)
        except errors.NotFound:
            return None
    else:
        return own and structs.replace(own, place=_as_of_now(ctx, own.place))
    if row is None or own is None:
        return None
    place = ticket.place_of(response_present.find_places(ctx, [row]).get(row.id))
    return structs.replace(own, response=row.response, people=row.number + row.plus_n, place=place)


def _as_of_now(ctx: Context, place: TicketPlace | None) -> TicketPlace | None:
    """What a newcomer got, as long as it lasts without a confirmation; afterwards the mail alone says what holds."""
    until = place.until if place else None
    return None if until and ctx.now >= (parse_instant(until) or 0) else place


def _path(ctx: Context, other: Event) -> str:
    return policy.guest_url(ctx.settings, other).removeprefix(ctx.settings.url) if ctx.linked else f"/events/{other.id}"


def _name_all_dates(repeat: Repeat | None, start_time: str) -> Text:
    """What a response to all dates is called: by the weekday, of a series that has no other."""
    if repeat is None or repeat.frequency != "WEEKLY" or repeat.interval != 1 or len(repeat.by_day) > 1 or repeat.also:
        return gettext("All dates")
    return WEEKDAYS[date.fromisoformat(start_time[:10]).weekday()]
