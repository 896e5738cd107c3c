"""The start page: the events that are going on or to come."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from msgspec import Struct, structs

from kalends.core.i18n import pgettext
from kalends.core.values import datetimes
from kalends.features.calendar_view.rules.days import DAY, MONTH, Links, around
from kalends.features.calendar_view.rules.month import MiniMonth
from kalends.features.calendar_view.rules.month_html import Drawing
from kalends.features.calendars import store as calendar_search
from kalends.features.events.feeds.rules.links import FollowLinks, build_follow_links
from kalends.features.events.listing.steps import upcoming
from kalends.features.events.rules import days
from kalends.features.home import facet_store as facets
from kalends.features.home.rules.featured import choose as choose_featured
from kalends.features.home.search_model import Search, to_calendar_url, to_filters, to_query, to_span, to_url
from kalends.features.my_events.steps.rows import find_next
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.policy import site as sites
from kalends.policy.site import reader_locale
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.redirects import redirect, redirect_permanently
from kalends.web.render import render
from kalends.web.times import reader_zone

PAGE_SIZE = 24
# How many earlier pages a URL remembers, and what stands for the first one.
MAX_TRAIL, FIRST = 20, "0"


@page("GET", "/api", guests=True, transaction=False, credentials=False)
def api(ctx: Context) -> Document:
    """Lead those who look for the API to its reference."""
    return redirect_permanently(ctx, "/docs")


@page("GET", "/", guests=True)
def show(ctx: Context, params: Search) -> Document:
    """The public events that are going on or to come, each series once, and the calendars that match the words. A new site welcomes its
    administrator instead."""
    if sites.get(ctx).is_new:
        return redirect(ctx, "/sign-up")
    if (params.text or "").casefold() in days.NAMES and not params.when:
        # Someone who types “tomorrow” means the day.
        params = structs.replace(params, text=None, when=(params.text or "").casefold())
    zone = reader_zone(ctx)
    span = to_span(params, ctx.now, zone)
    cards, position = upcoming.find(ctx, to_query(params, span, PAGE_SIZE), span.since, zone)
    calendars = calendar_search.find(ctx, params.text) if params.text and not params.after else []
    counts = None if params.text else facets.count(ctx, span.since, span.until)
    formats = reader_locale(ctx).formats
    featured = None if to_filters(params) or params.after else choose_featured(cards, ctx.now, zone, formats)
    listed = [card for card in cards if featured is None or card is not featured.card]
    return render(
        "home/show.html",
        ctx,
        title=sites.get(ctx).headline,
        my_next=None if to_filters(params) or params.after else find_next(ctx),
        form=filled(structs.asdict(params)),
        featured=featured,
        days=days.group(listed, span.since, ctx.now, zone, formats),
        choices=[_choice(params, "when", when, name) for when, name in [(None, pgettext("events", "All")), *days.NAMES.items()]],
        facets=_facets(params, counts) if counts else [],
        **_month(ctx, params, counts.starts if counts else [], zone),
        filters=list(to_filters(params).items()),
        follow_links=_follow(ctx, params),
        calendars=calendars,
        earlier=_earlier(params),
        later=_later(params, position) if position else "",
    )


def _month(ctx: Context, params: Search, starts: Sequence[int], zone: str) -> dict[str, Any]:
    """The template values of the small month, where the days with events lead to the calendar."""
    locale, today = reader_locale(ctx), datetimes.to_local(ctx.now, zone).date()
    day = date.fromisoformat(params.when) if params.when and params.when not in days.NAMES else today
    month, links = around(MONTH, day, locale), Links("/calendar")
    drawing = Drawing(locale, today, links)
    mini = MiniMonth(month, {datetimes.to_local(start, zone).date() for start in starts}, DAY)
    return {"mini": mini, "mini_weekdays": drawing.mini_weekdays(month), "mini_rows": drawing.mini(mini, month), "links": links}


def _follow(ctx: Context, params: Search) -> FollowLinks:
    """How to follow the list, as it is narrowed."""
    name = sites.get(ctx).name
    return build_follow_links(
        ctx.settings, name, to_calendar_url(params, ctx.settings.url), to_url("", to_filters(params)).removeprefix("?")
    )


class Choice(Struct, frozen=True):
    """A link that narrows the list or, if it is chosen already, widens it again."""

    url: str
    name: str
    is_chosen: bool
    count: int | None = None


def _facets(params: Search, counts: facets.Facets) -> list[Choice]:
    """The tags, the cities and what takes place online; one that is chosen is among them, whatever the numbers."""
    selected = [_choice(params, field, value, value) for field in ("tags", "city") if (value := getattr(params, field))]
    items = [
        *(_choice(params, "tags", tag.name, tag.name, tag.count) for tag in counts.tags),
        *(_choice(params, "city", city.name, city.name, city.count) for city in counts.cities),
        *([_choice(params, "online", True, "Online", counts.online)] if counts.online or params.online else []),
    ]
    return [each for each in selected if each.url not in {item.url for item in items}] + items


def _choice(params: Search, field: str, value: str | bool | None, name: str, count: int | None = None) -> Choice:
    is_chosen = getattr(params, field) == value
    return Choice(_url(structs.replace(params, **{field: None if is_chosen else value})), name, is_chosen, count)


def _later(params: Search, position: str) -> str:
    """The URL of the next page, with the way back."""
    passed = [*(params.trail or "").split(","), params.after or FIRST]
    return _url(params, after=position, trail=",".join(filter(None, passed[-MAX_TRAIL:])))


def _earlier(params: Search) -> str:
    """The URL of the page before; the first one, if the way back is not known."""
    if params.after is None:
        return ""
    *passed, before = (params.trail or FIRST).split(",")
    return _url(params, after="" if before == FIRST else before, trail=",".join(passed))


def _url(params: Search, **position: str) -> str:
    """The first page of the list or, with a position, another one."""
    return to_url("/", to_filters(params) | {name: value for name, value in position.items() if value})
