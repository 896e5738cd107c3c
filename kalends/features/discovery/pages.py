"""What search engines, feed readers and phones read: robots.txt, sitemap.xml, RSS, Atom and manifest.json."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.values import timestamps
from kalends.features.discovery import sitemap_store as sitemap
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.steps import upcoming
from kalends.features.events.model import EventItem
from kalends.features.home.search_model import Search, to_filters, to_query, to_span, to_url
from kalends.http.context import Context
from kalends.http.endpoint import FORMATS, Document, endpoint
from kalends.http.input.types import Id
from kalends.policy import Right
from kalends.policy import site as sites
from kalends.web.accent_pages import DEFAULT_ACCENT
from kalends.web.render import render_text, static_url
from kalends.web.times import reader_zone

XML = f"{FORMATS['xml']}; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"
ATOM = "application/atom+xml; charset=utf-8"
FEED_SIZE = 50
# How many pages of events are looked at to fill a feed, where most events come from sources that do not allow it.
FEED_PAGES = 5
HOUR = "public, max-age=3600"
PAPER = "#faf7f2"
# What is not for search engines: forms, embedded copies of pages, and what belongs to one person.
DISALLOWED = ("/api/", "/embed/", "/r/", "/u/", "/c/", "/sign-in", "/sign-up", "/account", "/calendar?")


class Icon(Struct, frozen=True):
    """A picture of the installed app."""

    src: str
    sizes: str
    type: str
    purpose: str


class Manifest(Struct, frozen=True):
    """The web app manifest: how the site looks among the apps of a phone."""

    name: str
    short_name: str
    id: str
    start_url: str
    display: str
    background_color: str
    theme_color: str
    icons: list[Icon]


class SitemapPart(Struct, kw_only=True):
    """Which part of the sitemap."""

    part: (
        Annotated[int, Meta(ge=0, le=sitemap.MAX_PARTS, description="Events whose ids are in this part; without it, the list of parts.")]
        | None
    ) = None


@endpoint("GET", "/robots.txt", guests=True, transaction=False, credentials=False, format="txt")
def robots(ctx: Context) -> Document:
    """What search engines may read, and where the sitemap is."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED), f"Sitemap: {ctx.settings.url}/sitemap.xml"]
    ctx.headers["Cache-Control"] = HOUR
    return Document("\n".join([*lines, ""]).encode(), f"{FORMATS['txt']}; charset=utf-8")


@endpoint("GET", "/sitemap.xml", guests=True, credentials=False, format="xml")
def show(ctx: Context, params: SitemapPart) -> Document:
    """The URLs of all public events, in parts of equal ranges of ids."""
    ctx.headers["Cache-Control"] = HOUR
    if params.part is None:
        body = render_text("discovery/sitemap_index.xml", url=ctx.settings.url, parts=range(sitemap.count_parts(ctx)))
    else:
        body = render_text("discovery/sitemap.xml", url=ctx.settings.url, events=sitemap.find(ctx, params.part))
    return Document(body.encode(), XML)


class FeedQuery(Search, kw_only=True):
    """Which events a feed has: those of the start page, or of a public calendar."""

    calendar_id: Annotated[Id, Meta(description="A public calendar.")] | None = None


@endpoint("GET", "/feed.xml", guests=True, credentials=False, format="xml")
def feed(ctx: Context, params: FeedQuery) -> Document:
    """The events of the start page as RSS, for the same words, tags and days, or those of a calendar."""
    return _render_feed(ctx, params, "feed.xml", RSS)


@endpoint("GET", "/atom.xml", guests=True, credentials=False, format="xml")
def atom(ctx: Context, params: FeedQuery) -> Document:
    """The events of the start page as Atom, for the same words, tags and days, or those of a calendar."""
    return _render_feed(ctx, params, "atom.xml", ATOM)


def _render_feed(ctx: Context, params: FeedQuery, name: str, content_type: str) -> Document:
    zone = reader_zone(ctx)
    span = to_span(params, ctx.now, zone)
    calendar = policy.calendar(ctx, params.calendar_id, to=Right.SEE) if params.calendar_id else None
    events = _find_events(ctx, to_query(params, span, FEED_SIZE), span.since, zone, [calendar] if calendar else None)
    filters = to_filters(params) | ({"calendar_id": str(calendar.id)} if calendar else {})
    site_name = sites.get(ctx).name
    body = render_text(
        f"discovery/{name}",
        name=f"{calendar.name} · {site_name}" if calendar else site_name,
        self_url=f"{ctx.settings.url}{to_url(f'/{name}', filters)}",
        page_url=f"{ctx.settings.url}{f'/calendars/{calendar.id}' if calendar else to_url('/', filters)}",
        events=events,
        updated=max((event.updated_at for event in events), default=timestamps.format_utc(ctx.now)),
        to_http_date=_format_date,
    )
    ctx.headers["Cache-Control"] = "public, max-age=300"
    return Document(body.encode(errors="replace"), content_type)


def _find_events(ctx: Context, query: EventQuery, since: int, zone: str, calendars: list[Calendar] | None) -> list[EventItem]:
    """The first events of the query that may be in a public feed."""
    events: list[EventItem] = []
    for _ in range(FEED_PAGES):
        cards, position = upcoming.find(ctx, query, since, zone, calendars)
        events += policy.without_withheld(ctx, [card.event for card in cards])
        if position is None or len(events) >= FEED_SIZE:
            break
        query = structs.replace(query, after=position)
    return events[:FEED_SIZE]


@endpoint("GET", "/manifest.json", guests=True, credentials=False)
def manifest(ctx: Context) -> Manifest:
    """The web app manifest."""
    site = sites.get(ctx)
    icons = [
        Icon(static_url("mark.svg"), "any", "image/svg+xml", "any"),
        Icon(static_url("icon-192.png"), "192x192", "image/png", "any"),
        Icon(static_url("icon-512.png"), "512x512", "image/png", "any"),
        Icon(static_url("icon-maskable-512.png"), "512x512", "image/png", "maskable"),
    ]
    return Manifest(site.name, site.name[:12], "/", "/", "standalone", PAPER, site.accent_color or DEFAULT_ACCENT, icons)


def _format_date(updated_at: str) -> str:
    instant = timestamps.parse_instant(updated_at)
    assert instant is not None
    return timestamps.format_http_date(instant)
