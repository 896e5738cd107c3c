"""Pages of calendars: the list, one with its events and its feed, and changing them."""

from msgspec import structs

from kalends import policy
from kalends.calendars import api
from kalends.calendars.model import CalendarInput
from kalends.context import Context
from kalends.events import api as events
from kalends.events import days, upcoming
from kalends.events.query import EventQuery
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.reader_zone import reader_zone
from kalends.web.redirects import redirect
from kalends.web.render import render

UPCOMING = 12


@page("GET", "/calendars")
def index(ctx: Context, params: Paging) -> Document:
    """The calendars that one owns or that are shared with one."""
    calendars = api.index(ctx, params)
    return render("calendars/index.html", ctx, title="Calendars", calendars=calendars.calendars, next_page=calendars.next)


@page("GET", "/calendars/new")
def new(ctx: Context, form: FormState | None = None) -> Document:
    """The form to make a calendar."""
    return render("calendars/new.html", ctx, title="New calendar", form=filled(api.new(ctx), form), zones=sorted(known_zones()))


@page("POST", "/calendars", again=new)
def create(ctx: Context, params: Form) -> Document:
    """Make a calendar."""
    calendar = api.create(ctx, params.read(CalendarInput))
    return redirect(ctx, f"/calendars/{calendar.id}", done="created")


@page("GET", "/calendars/{calendar_id}", guests=True)
def show(ctx: Context, calendar_id: int) -> Document:
    """A calendar: what it is, what is to come, and how to subscribe to it."""
    calendar = api.show(ctx, calendar_id)
    zone = reader_zone(ctx)
    calendars = policy.visible_calendars(ctx, [calendar_id])
    cards, position = upcoming.find(ctx, EventQuery(limit=UPCOMING), ctx.now, zone, calendars)
    by_day = days.group(cards, ctx.now, ctx.now, zone)
    return render("calendars/show.html", ctx, title=calendar.name, calendar=calendar, days=by_day, has_more=position is not None)


@page("GET", "/calendars/{calendar_id}/edit")
def edit(ctx: Context, calendar_id: int, form: FormState | None = None, share: FormState | None = None) -> Document:
    """The forms to change a calendar and to share it."""
    forms = {
        "fields": filled(api.edit(ctx, calendar_id), form),
        "share": structs.replace(share or FormState(), prefix="share-"),
    }
    calendar = api.show(ctx, calendar_id)
    return render("calendars/edit.html", ctx, title=f"Edit {calendar.name}", calendar=calendar, forms=forms, zones=sorted(known_zones()))


@page("POST", "/calendars/{calendar_id}/edit", again=edit)
def update(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Change a calendar."""
    api.update(ctx, calendar_id, params.changes(CalendarInput))
    return redirect(ctx, f"/calendars/{calendar_id}", done="saved", can_undo=True)


@page("GET", "/calendars/{calendar_id}/delete")
def ask(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """Ask before a calendar is deleted."""
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    calendar = api.show(ctx, calendar_id)
    contents = events.index(ctx, EventQuery(calendar_id=calendar_id, limit=0, count=True))
    return render("calendars/delete.html", ctx, title=f"Delete {calendar.name}", form=form, calendar=calendar, contents=contents)


@page("POST", "/calendars/{calendar_id}/delete", again=ask, transaction=False)
def destroy(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Delete a calendar."""
    api.destroy(ctx, calendar_id)
    with ctx.read():
        return redirect(ctx, "/calendars", done="deleted", can_undo=True)
