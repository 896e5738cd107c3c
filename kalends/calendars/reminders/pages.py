"""The page on which owners add and remove the reminders that the events of a calendar have."""

from kalends import policy
from kalends.calendars.reminders import api
from kalends.context import Context
from kalends.events.reminders import editor
from kalends.events.reminders.editor import Owner
from kalends.events.reminders.model import ReminderFields
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/calendars/{calendar_id}/reminders")
def index(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """The reminders of a calendar, and the form to add one."""
    calendar = policy.calendar(ctx, calendar_id, to=Right.OWN)
    owner = Owner(f"/calendars/{calendar.id}", calendar.name, api.calendar_reminders(ctx, calendar_id).reminders)
    return editor.index(ctx, owner, form)


@page("POST", "/calendars/{calendar_id}/reminders", again=index)
def create(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Add a reminder to a calendar."""
    api.add_calendar_reminder(ctx, calendar_id, Form(editor.params(params)).read(ReminderFields))
    return redirect(ctx, f"/calendars/{calendar_id}/reminders", done="saved", can_undo=True)


def index_again(ctx: Context, calendar_id: int, reminder_id: int, form: FormState) -> Document:
    """The page, with what is wrong."""
    return index(ctx, calendar_id, FormState(editor.NEW, problem=form.problem))


@page("POST", "/calendars/{calendar_id}/reminders/{reminder_id}/delete", again=index_again)
def destroy(ctx: Context, calendar_id: int, reminder_id: int, params: Form) -> Document:
    """Delete a reminder of a calendar."""
    api.delete_calendar_reminder(ctx, calendar_id, reminder_id)
    return redirect(ctx, f"/calendars/{calendar_id}/reminders", done="deleted", can_undo=True)
