"""Pages of organisers: who publishes events here, and what each of them has to come."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.steps import upcoming
from kalends.features.events.rules import days
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.policy.site import reader_locale
from kalends.web.page import page
from kalends.web.render import render
from kalends.web.times import reader_zone

PAGE_SIZE = 24
# How many calendars a page has at most: those of one organiser, or of all in the list.
MAX_CALENDARS = 100


class Page(Struct, kw_only=True):
    """Which organisers to list."""

    after: Annotated[int, Meta(ge=0, description="The id of the last organiser of the page before.")] = 0


@page("GET", "/organisers", guests=True)
def index(ctx: Context, params: Page) -> Document:
    """The organisers who have a public calendar, the longest here first."""
    people = policy.organisers(ctx, params.after, PAGE_SIZE + 1)
    calendars = policy.public_calendars(ctx, [person.id for person in people[:PAGE_SIZE]], MAX_CALENDARS)
    rows = [(person, [each for each in calendars if each.owner_id == person.id]) for person in people[:PAGE_SIZE]]
    later = f"/organisers?after={rows[-1][0].id}" if len(people) > PAGE_SIZE else ""
    return render("organisers/index.html", ctx, title=gettext("Organisers"), organisers=rows, later=later)


@page("GET", "/organisers/{user_id}", guests=True)
def show(ctx: Context, user_id: int) -> Document:
    """An organiser: their public calendars, and what is to come on them."""
    organiser = policy.organiser(ctx, user_id)
    calendars = policy.public_calendars(ctx, [user_id], MAX_CALENDARS)
    zone = reader_zone(ctx)
    cards, position = upcoming.find(ctx, EventQuery(limit=PAGE_SIZE), ctx.now, zone, calendars)
    return render(
        "organisers/show.html",
        ctx,
        title=organiser.name,
        organiser=organiser,
        calendars=calendars,
        days=days.group(cards, ctx.now, ctx.now, zone, reader_locale(ctx).formats),
        has_more=position is not None,
    )
