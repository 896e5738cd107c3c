"""A series to which a guest has responded as a whole: its rule in words, its dates with the guest's answers, and its calendar file."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta

from msgspec import Struct, structs

from kalends import policy
from kalends.core.i18n import Text, gettext, pgettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.events import store as events
from kalends.features.events.feeds.steps import feed, ical
from kalends.features.events.series import store as event_series
from kalends.features.events.series.model import build_repeat
from kalends.features.events.series.steps.scope import slot_of
from kalends.features.events.series.store import Series
from kalends.features.responses import present
from kalends.features.responses import series_response_store as series_store
from kalends.features.responses.model import PlaceState
from kalends.features.responses.series_response_store import StandingResponse
from kalends.http.context import Context
from kalends.http.input.types import Scope

ANSWERS = {"YES": pgettext("rsvp", "Going"), "MAYBE": pgettext("rsvp", "Maybe"), "NO": pgettext("rsvp", "Can’t go")}
PLACES: dict[PlaceState, Text] = {
    "waiting": gettext("Waiting list"),
    "partly": gettext("Waiting list"),
    "offered": gettext("Waiting list"),
    "lapsed": gettext("Offer expired"),
    "pending": gettext("Awaiting approval"),
    "unconfirmed": gettext("Not confirmed"),
}
REACHES = {
    "all": gettext("It counts for all dates of the series."),
    "following": gettext("It counts for this date and all later ones."),
}
# The answers of guests in whose calendar a date belongs.
COMING = frozenset(("YES", "MAYBE"))


class OwnDate(Struct, frozen=True):
    """A date of the series that the guest sees, with the guest's response to it and what that is now."""

    event: Event
    response: Response
    state: Text


class OwnSeries(Struct, frozen=True):
    """The standing response, and the dates with a response in the order of their start; there is at least one.

    series: from the first of the dates on to which the guest comes."""

    series: Series
    exceptions: set[str]
    standing: StandingResponse
    dates: list[OwnDate]

    @property
    def rule(self) -> Text:
        """The rule as a sentence."""
        return _describe(self.series)

    @property
    def reach(self) -> Text:
        """What the response counts for, as a sentence."""
        return REACHES["following" if self.standing.from_date else "all"]

    def covers(self, event: Event, response: Response) -> bool:
        """Whether the response to this date is that to the series."""
        standing = self.standing
        people = standing.number + standing.plus_n if standing.response == "YES" else 0
        return (response.response, response.people) == (standing.response, people) and slot_of(event) >= standing.from_date

    def departures(self, now: int, response: Response) -> list[OwnDate]:
        """The dates to come on which the guest's answer or place is not that of this response."""
        state = next((each.state for each in self.dates if each.response.id == response.id), None)
        return [each for each in self.dates if each.event.start_at > now and each.state != state]


def find(ctx: Context, event: Event, email_address: str) -> OwnSeries | None:
    """The series of the event, if the address has responded to it as a whole and sees dates of it."""
    standing = series_store.of_address(ctx, event.series_id, email_address) if event.series_id is not None else None
    dates = _find_dates(ctx, standing.series_id, email_address) if standing else []
    if standing is None or not dates:
        return None
    found, exceptions = feed.load_series(ctx, [standing.series_id])
    coming = [each for each in dates if each.response.response in COMING] or dates
    series = _limit(found[standing.series_id], standing, [slot_of(each.event) for each in coming])
    return OwnSeries(series, exceptions.get(series.id, set()), standing, dates)


def _find_dates(ctx: Context, series_id: int, email_address: str) -> list[OwnDate]:
    rows = {row.event_id: row for row in series_store.of_dates(ctx, series_id, email_address)}
    visible = [date for date in events.find_by_ids(ctx, list(rows)) if policy.sees_event(ctx, rows[date.id], date)]
    places = present.find_places(ctx, list(rows.values()))
    dates = []
    for event in sorted(policy.reveal_to_address(ctx, visible, email_address), key=lambda each: each.start_at):
        row = rows[event.id]
        place = places.get(row.id)
        state = PLACES.get(place.place, ANSWERS[row.response]) if place else ANSWERS[row.response]
        dates.append(OwnDate(policy.guest_view(event), row, state))
    return dates


def _limit(series: Series, standing: StandingResponse, slots: Sequence[str]) -> Series:
    """The series from the first of the dates on. Dates that will be created later belong to the guest unless the answer is NO."""
    rule = series.rule.begin_at(date.fromisoformat(min(slots)))
    if standing.response == "NO":
        rule = rule.end_before(date.fromisoformat(max(slots)) + timedelta(days=1))
    return series.with_rule(rule)


def describe_proposed(ctx: Context, event: Event, scope: Scope) -> Text | None:
    """The rule of the dates to which a response with this scope would be, as a sentence; None for one date."""
    if scope == "this" or event.series_id is None:
        return None
    series = event_series.get(ctx, event.series_id)
    return _describe(series.with_rule(series.rule.begin_at(date.fromisoformat(slot_of(event)))) if scope == "following" else series)


def _describe(series: Series) -> Text:
    sentence = build_repeat(series.rrule, series.start_date).sentence
    return gettext("%(sentence)s.", sentence=sentence)


def build_feed(ctx: Context, event: Event, response: Response) -> bytes:
    """The calendar file of the dates to which the guest has said YES: those of the series, else of the event."""
    rows = [response] if event.series_id is None else series_store.of_dates(ctx, event.series_id, response.email_address)
    going = {row.event_id: row for row in rows if row.response == "YES"}
    visible = [date for date in events.find_by_ids(ctx, sorted(going)) if policy.sees_event(ctx, going[date.id], date)]
    return build_file(ctx, policy.reveal_to_address(ctx, visible, response.email_address), response.email_address, ("YES",))


def build_file(ctx: Context, listed: Sequence[Event], email_address: str, answers: Collection[str] = COMING) -> bytes:
    """The calendar file with these events for the guest: of a series to which the address has responded as a whole, all dates with one
    of these answers, under the UID of the series; without any, the series as cancelled."""
    dates = {event.series_id: event for event in listed if event.series_id is not None}
    whole = {series_id: series for series_id, event in dates.items() if (series := find(ctx, event, email_address))}
    components: list[str] = []
    years: ical.Years = {}
    for series in whole.values():
        components += _format(ctx, series, answers, years)
    for event in listed:
        if event.series_id not in whole:
            uid, url = ical.event_uid(event, ctx.settings), policy.guest_url(ctx.settings, event)
            components.append(ical.format_event(policy.guest_view(event), ctx.settings, uid, url=url))
            ical.add_years(years, event)
    return ical.join_file(components, years)


def _format(ctx: Context, own: OwnSeries, answers: Collection[str], years: ical.Years) -> list[str]:
    changed_at = max(each.response.updated_at for each in own.dates)
    dates = [each.event for each in own.dates if each.response.response in answers]
    dates = dates or [structs.replace(each.event, status="cancelled") for each in own.dates]
    # The answers are a change for the programs that have an earlier file.
    dates = [structs.replace(each, updated_at=max(each.updated_at, changed_at)) for each in dates]
    components, more = feed.format_loaded(ctx, dates, {own.series.id: own.series}, {own.series.id: own.exceptions}, lambda _: ())
    for zone, needed in more.items():
        years.setdefault(zone, set()).update(needed)
    return [ical.set_url(each, policy.guest_url(ctx.settings, dates[0])) for each in components]
