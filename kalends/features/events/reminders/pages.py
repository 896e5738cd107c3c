"""The pages on which organisers add, change and remove the reminders of an event or of a calendar."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.events.reminders import api
from kalends.features.events.reminders.model import EventReminderFields, ReminderScope
from kalends.features.events.reminders.rules import due as rules
from kalends.features.events.reminders.rules import editor_form
from kalends.features.events.series.steps import copies
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/events/{event_id}/reminders")
@page("GET", "/calendars/{calendar_id}/reminders")
def index(ctx: Context, event_id: int = 0, calendar_id: int = 0, form: FormState | None = None) -> Document:
    """The reminders of an event or calendar, and the form to add one."""
    owner = copies.load(ctx, event_id, calendar_id)
    return render(
        "reminders/index.html",
        ctx,
        title=gettext("Reminders for %(name)s", name=owner.name),
        owner=owner,
        reminders=api.items(ctx, owner),
        form=form or FormState(editor_form.NEW),
        choices=editor_form.WHEN,
        groups=editor_form.GROUPS,
        describe=editor_form.describe,
    )


@page("POST", "/events/{event_id}/reminders", again=index)
@page("POST", "/calendars/{calendar_id}/reminders", again=index)
def create(ctx: Context, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Add a reminder to an event or calendar."""
    fields = Form(editor_form.params(params)).read(EventReminderFields)
    rules.check(fields)
    owner = copies.lock(ctx, event_id, calendar_id)
    api.insert(ctx, owner, fields, fields.scope)
    return redirect(ctx, f"{owner.path}/reminders", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/reminders/{reminder_id}/edit")
@page("GET", "/calendars/{calendar_id}/reminders/{reminder_id}/edit")
def edit(ctx: Context, reminder_id: int, event_id: int = 0, calendar_id: int = 0, form: FormState | None = None) -> Document:
    """The form to change a reminder of the event or calendar itself."""
    owner = copies.load(ctx, event_id, calendar_id)
    item = next((each for each in api.items(ctx, owner) if each.id == reminder_id and each.event_id == owner.event_id), None)
    if item is None:
        raise errors.NotFound
    return render(
        "reminders/edit.html",
        ctx,
        title=gettext("Edit a reminder for %(name)s", name=owner.name),
        owner=owner,
        reminder_id=reminder_id,
        form=form or FormState(editor_form.values_of(item)),
        choices=editor_form.choices(item),
        groups=editor_form.GROUPS,
    )


@page("POST", "/events/{event_id}/reminders/{reminder_id}/edit", again=edit)
@page("POST", "/calendars/{calendar_id}/reminders/{reminder_id}/edit", again=edit)
def update(ctx: Context, reminder_id: int, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Change a reminder."""
    changes = Form(editor_form.params(params)).changes(EventReminderFields)
    owner = copies.lock(ctx, event_id, calendar_id)
    api.update(ctx, owner, reminder_id, changes)
    return redirect(ctx, f"{owner.path}/reminders", done="saved", can_undo=True)


def index_again(ctx: Context, reminder_id: int, form: FormState, event_id: int = 0, calendar_id: int = 0) -> Document:
    """The page, with what is wrong."""
    return index(ctx, event_id, calendar_id, FormState(editor_form.NEW, problem=form.problem))


@page("POST", "/events/{event_id}/reminders/{reminder_id}/delete", again=index_again)
@page("POST", "/calendars/{calendar_id}/reminders/{reminder_id}/delete", again=index_again)
def destroy(ctx: Context, reminder_id: int, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Delete a reminder; of a series, for the dates that are chosen beside it."""
    which = Form({"scope": params.text("dates")}).read(ReminderScope).scope if event_id else "this"
    owner = copies.lock(ctx, event_id, calendar_id)
    api.delete(ctx, owner, reminder_id, which)
    return redirect(ctx, f"{owner.path}/reminders", done="deleted", can_undo=True)
