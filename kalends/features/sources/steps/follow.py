"""Begin to follow an address: read it, say what was found, and apply it for the first time."""

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.source import NewSource, Source
from kalends.core.values import timestamps
from kalends.db import UniqueViolation
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.sources import store
from kalends.features.sources.model import MAX_SOURCES, MAX_SOURCES_OF_SITE, Found, SourceInput
from kalends.features.sources.rules import address
from kalends.features.sources.steps.fetch import Fetched, FetchFailed, discover
from kalends.features.sources.steps.read import Feed, Unreadable, read
from kalends.features.sources.steps.run import run
from kalends.http import rate_limit
from kalends.http.context import Context
from kalends.http.csv_file import limit_remarks
from kalends.http.rate_limit import Limit
from kalends.policy import Right, quotas

MAX_TITLES = 5
MAX_REMARKS = 20
# Each one is a request to a server that somebody chose.
LOOK_UPS = Limit("look-ups", 60, 3600, gettext("You can look at %(max)s addresses an hour. Try again later."))


class Reading(Struct, frozen=True):
    """What was read at an address."""

    url: str
    fetched: Fetched
    feed: Feed
    found: Found


def look_up(ctx: Context, params: SourceInput) -> Reading:
    """What is at the address now. No transaction is open meanwhile. Raises Invalid with what was found instead."""
    url, fetched, zone = fetch_address(ctx, params.url, params.calendar_id)
    try:
        feed = read(ctx, fetched.content or "", fetched.headers, zone, params.title_contains, params.tag_list)
    except Unreadable as failure:
        raise _unusable(failure.reason) from None
    return Reading(url, fetched, feed, _found(ctx, fetched, feed, url))


def fetch_address(ctx: Context, pasted: str, calendar_id: int | None) -> tuple[str, Fetched, str]:
    """The address to fetch, what is there, and the time zone of the calendar here. Raises Invalid if nothing can be used."""
    with ctx.read():
        policy.require_sources(ctx)
        zone = policy.target_calendar(ctx, calendar_id).time_zone
    _count_look_up(ctx)
    try:
        url = address.normalise(pasted)
    except ValueError as error:
        raise errors.invalid("url", error.args[0], "invalid_format") from None
    try:
        return url, discover(ctx.settings, url), zone
    except FetchFailed as failure:
        raise _unusable(failure.reason) from None


def _count_look_up(ctx: Context) -> None:
    """Count it, or raise TooMany. A dry run is counted, too, and undoes only what is in its own transaction."""
    if ctx.settings.rate_limits == "on":
        counting = Context(ctx.db, ctx.settings, ctx.now)
        with counting.write():
            rate_limit.count(counting, LOOK_UPS, str(policy.user(ctx).id))


def _unusable(reason: str) -> errors.Invalid:
    return errors.invalid("url", gettext("can’t be followed. %(reason)s", reason=reason))


def follow(ctx: Context, params: SourceInput, reading: Reading) -> int:
    """Store the source, and apply what was read; returns its id."""
    with ctx.write(is_last=False):
        source = _insert(ctx, params, reading)
    if not ctx.is_dry_run:
        run(ctx, source, reading.fetched, reading.feed)
    return source.id


def _insert(ctx: Context, params: SourceInput, reading: Reading) -> Source:
    user = policy.user(ctx)
    store.lock_new(ctx)
    if store.count_of_user(ctx, user.id) >= MAX_SOURCES:
        raise errors.QuotaReached(gettext("You follow %(max)s calendars, which is the limit. End one first.", max=MAX_SOURCES))
    if store.count_all(ctx) >= MAX_SOURCES_OF_SITE:
        raise errors.QuotaReached(gettext("This site follows %(max)s calendars, which is the limit.", max=MAX_SOURCES_OF_SITE))
    name = params.name or reading.found.name
    new = NewSource(
        calendar_id=_calendar(ctx, params, name),
        user_id=user.id,
        url=reading.url,
        feed_url=reading.fetched.feed_url,
        kind=reading.fetched.kind,
        name=name,
        public=params.public,
        republish=params.republish,
        tag_list=params.tag_list,
        title_contains=params.title_contains,
        every=params.interval,
        suggested=reading.feed.suggested,
    )
    try:
        source = store.get(ctx, store.insert(ctx, new))
    except UniqueViolation:
        raise errors.Conflict(gettext("This calendar follows that address already.")) from None
    assert source is not None
    return source


def _calendar(ctx: Context, params: SourceInput, name: str) -> int:
    if params.calendar_id is not None:
        with errors.naming("calendar_id"):
            return policy.calendar(ctx, params.calendar_id, to=Right.EDIT).id
    user = policy.user(ctx)
    quotas.reserve(ctx, user.id, "calendars", 1)
    color = calendars.find_free_color(ctx, user.id)
    return calendars.insert(ctx, user.id, CalendarInput(name=name, public=params.public, color=color, time_zone=user.time_zone))


def _found(ctx: Context, fetched: Fetched, feed: Feed, url: str) -> Found:
    events = [event for item in feed.items.values() for event in item.incoming.events.values()]
    events.sort(key=lambda event: event.span.start_at)
    following = [event for event in events if event.span.start_at > ctx.now] or events
    titles = dict.fromkeys(event.content.columns["title"] for event in following)
    return Found(
        kind=fetched.kind,
        name=feed.name or address.host_of(url),
        events=len(events),
        first=timestamps.format_utc(events[0].span.start_at) if events else None,
        last=timestamps.format_utc(events[-1].span.start_at) if events else None,
        titles=list(titles)[:MAX_TITLES],
        skipped=feed.skipped,
        remarks=limit_remarks(feed.remarks)[:MAX_REMARKS],
    )
