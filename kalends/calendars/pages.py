"""Pages of calendars: the list, one with its events and its feed, and changing them."""

from msgspec import Struct, structs

from kalends.calendars import api
from kalends.calendars.model import CalendarInput
from kalends.context import Context
from kalends.events import api as events
from kalends.events.model import EventIndex, EventQuery
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.values import timestamps
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState, filled, submit
from kalends.web.render import redirect, render

UPCOMING = 12


@endpoint("GET", "/calendars", format="html")
def index(ctx: Context, params: Paging) -> Document:
    """The calendars that one owns or that are shared with one."""
    found = api.index(ctx, params)
    return render("calendars/index.html", ctx, title="Calendars", calendars=found.calendars, next_page=found.next)


@endpoint("GET", "/calendars/new", format="html")
def new(ctx: Context) -> Document:
    """The form to make a calendar."""
    return _form(ctx, filled(api.new(ctx)))


@endpoint("POST", "/calendars", transaction=False, format="html")
def create(ctx: Context, params: Form) -> Document:
    """Make a calendar."""

    def act() -> Document:
        made = api.create(ctx, params.read(CalendarInput))
        return redirect(ctx, f"/calendars/{made.id}", done="created")

    return submit(ctx, params, act, lambda state: _form(ctx, _over(api.new(ctx), state)))


@endpoint("GET", "/calendars/{calendar_id}", guests=True, format="html")
def show(ctx: Context, calendar_id: int) -> Document:
    """A calendar: what it is, what is to come, and how to subscribe to it."""
    calendar = api.show(ctx, calendar_id)
    upcoming = _events(ctx, EventQuery(calendar_id=calendar_id, start_time=timestamps.format_utc(ctx.now), overlaps=True, limit=UPCOMING))
    return render("calendars/show.html", ctx, title=calendar.name, calendar=calendar, events=upcoming.events, has_more=upcoming.next)


@endpoint("GET", "/calendars/{calendar_id}/edit", format="html")
def edit(ctx: Context, calendar_id: int) -> Document:
    """The forms to change a calendar."""
    return editing(ctx, calendar_id)


@endpoint("POST", "/calendars/{calendar_id}/edit", transaction=False, format="html")
def update(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Change a calendar."""

    def act() -> Document:
        api.update(ctx, calendar_id, params.changes(CalendarInput))
        return redirect(ctx, f"/calendars/{calendar_id}", done="saved")

    return submit(ctx, params, act, lambda state: editing(ctx, calendar_id, fields=state))


@endpoint("GET", "/calendars/{calendar_id}/delete", format="html")
def ask(ctx: Context, calendar_id: int) -> Document:
    """Ask before a calendar is deleted."""
    return _asking(ctx, calendar_id, FormState())


@endpoint("POST", "/calendars/{calendar_id}/delete", transaction=False, format="html")
def destroy(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Delete a calendar."""

    def act() -> Document:
        api.destroy(ctx, calendar_id)
        return redirect(ctx, "/calendars", done="deleted")

    return submit(ctx, params, act, lambda state: _asking(ctx, calendar_id, state), write=False)


def editing(ctx: Context, calendar_id: int, **states: FormState) -> Document:
    """The page to change a calendar, with its forms as they stand."""
    fields = api.edit(ctx, calendar_id)
    forms = {
        "fields": _over(fields, states.get("fields", FormState())),
        "share": structs.replace(states.get("share", FormState()), prefix="share-"),
    }
    calendar = api.show(ctx, calendar_id)
    return render("calendars/edit.html", ctx, title=f"Edit {calendar.name}", calendar=calendar, forms=forms, zones=sorted(known_zones()))


def _form(ctx: Context, state: FormState) -> Document:
    return render("calendars/new.html", ctx, title="New calendar", form=state, zones=sorted(known_zones()))


def _over(record: Struct, state: FormState) -> FormState:
    """The record's fields with what was typed in their place."""
    return structs.replace(state, values=structs.asdict(record) | dict(state.values))


def _asking(ctx: Context, calendar_id: int, state: FormState) -> Document:
    api.edit(ctx, calendar_id)
    calendar = api.show(ctx, calendar_id)
    held = _events(ctx, EventQuery(calendar_id=calendar_id, limit=0, count=True))
    return render("calendars/ask.html", ctx, title=f"Delete {calendar.name}", form=state, calendar=calendar, held=held)


def _events(ctx: Context, query: EventQuery) -> EventIndex:
    return events.index(ctx, query)
