"""The pages on which a calendar is made, also one for a public event, which moves to it."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.values.datetimes import known_zones
from kalends.features.calendars import api
from kalends.features.calendars.model import CalendarInput
from kalends.features.events import api as events
from kalends.features.events.input_model import EventChanges
from kalends.features.events.reminders import store as reminders
from kalends.features.events.reminders.model import DAY_BEFORE
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.http.input.types import Id
from kalends.policy import Right
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


class NewCalendar(Struct, frozen=True, kw_only=True):
    """What the calendar is for."""

    event_id: Annotated[Id, Meta(description="A public event that moves to the calendar.")] | None = None


FOR_ANYTHING = NewCalendar()


@page("GET", "/calendars/new")
def new(ctx: Context, params: NewCalendar = FOR_ANYTHING, form: FormState | None = None) -> Document:
    """The form to make a calendar; with an event, a public one."""
    values = structs.asdict(api.new(ctx)) | {"remind": True, "event_id": ""}
    if params.event_id is not None:
        event = policy.event(ctx, params.event_id, to=Right.EDIT)
        name = ctx.locale.translate(gettext("Events by %(name)s", name=policy.user(ctx).name or policy.user(ctx).user_name))
        values |= {"name": name, "public": True, "event_id": event.id}
    return render(
        "calendars/new.html",
        ctx,
        title=gettext("New calendar"),
        form=filled(values, form),
        zones=sorted(known_zones()),
        can_remind=policy.is_verified_sender(ctx),
    )


@page("POST", "/calendars", again=new)
def create(ctx: Context, params: Form) -> Document:
    """Make a calendar, whose guests are reminded if the box is ticked; the event that it is for moves to it, with its whole series."""
    calendar = api.create(ctx, params.without("remind", "event_id").params(CalendarInput))
    if params.text("remind") == "true" and policy.is_verified_sender(ctx):
        reminders.insert(ctx, DAY_BEFORE, calendar_id=calendar.id)
    if not params.text("event_id"):
        return redirect(ctx, f"/calendars/{calendar.id}", done="created")
    event = policy.event(ctx, Form({"event_id": params.text("event_id")}).read(NewCalendar).event_id or 0, to=Right.EDIT)
    scope = "this" if event.series_id is None else "all"
    events.update(ctx, event.id, Changes(EventChanges, {"calendar_id": calendar.id, "scope": scope}))
    return redirect(ctx, f"/events/{event.id}", done="calendar-for-event", can_undo=True)
