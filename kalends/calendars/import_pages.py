"""Pages on which the events of a calendar file are put on a calendar."""

from kalends import errors, policy
from kalends.context import Context
from kalends.events import api as events
from kalends.events.input import EventInput
from kalends.events.model import EventImport
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.render import render


@page("GET", "/calendars/{calendar_id}/import")
def choose(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """The form to import a calendar file."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    return render("calendars/import.html", ctx, title=gettext("Import into %(name)s", name=calendar.name), form=form, calendar=calendar)


@page("POST", "/calendars/{calendar_id}/import", again=choose, pool="upload")
def import_(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Put the events of a file on the calendar, and list what could not be imported."""
    if params.file("file") is None:
        raise errors.invalid("file", gettext("choose an .ics file"), "required")
    values = {name: params.values.get(name) for name in ("file", "public")}
    result = events.create(ctx, Form(values | {"calendar_id": calendar_id}).read(EventInput))
    assert isinstance(result, EventImport)
    return render("calendars/imported.html", ctx, title=gettext("Imported events"), result=result, calendar_id=calendar_id)
