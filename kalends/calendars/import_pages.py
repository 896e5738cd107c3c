"""Pages on which the events of a calendar file are put on a calendar."""

from kalends import errors, policy
from kalends.context import Context
from kalends.events import api as events
from kalends.events.model import EventImport, EventInput
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState, submit
from kalends.web.render import render


@endpoint("GET", "/calendars/{calendar_id}/import", format="html")
def choose(ctx: Context, calendar_id: int) -> Document:
    """The form to import a calendar file."""
    return _form(ctx, calendar_id, FormState())


@endpoint("POST", "/calendars/{calendar_id}/import", transaction=False, pool="upload", format="html")
def import_(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Put the events of a file on the calendar, and tell what of it could not be kept."""

    def act() -> Document:
        if params.file("file") is None:
            raise errors.invalid("file", "choose an .ics file", "required")
        chosen = {name: params.values.get(name) for name in ("file", "public")}
        made = events.create(ctx, Form(chosen | {"calendar_id": calendar_id}).read(EventInput))
        assert isinstance(made, EventImport)
        return render("calendars/imported.html", ctx, title="Imported events", made=made, calendar_id=calendar_id)

    return submit(ctx, params, act, lambda state: _form(ctx, calendar_id, state), write=False)


def _form(ctx: Context, calendar_id: int, state: FormState) -> Document:
    calendar = policy.calendar(ctx, calendar_id, to=Right.EDIT)
    return render("calendars/import.html", ctx, title=f"Import into {calendar.name}", form=state, calendar=calendar)
