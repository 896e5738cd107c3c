"""The pages on which owners add, change and remove the reminders that the events of a calendar have."""

from kalends import policy
from kalends.calendars.reminders import api
from kalends.context import Context
from kalends.events.reminders import editor
from kalends.events.reminders.editor import Owner
from kalends.events.reminders.model import ReminderFields
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/calendars/{calendar_id}/reminders")
def index(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """The reminders of a calendar, and the form to add one."""
    return editor.index(ctx, _load(ctx, calendar_id), form)


@page("POST", "/calendars/{calendar_id}/reminders", again=index)
def create(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Add a reminder to a calendar."""
    api.add_calendar_reminder(ctx, calendar_id, Form(editor.params(params)).read(ReminderFields))
    return redirect(ctx, f"/calendars/{calendar_id}/reminders", done="saved", can_undo=True)


@page("GET", "/calendars/{calendar_id}/reminders/{reminder_id}/edit")
def edit(ctx: Context, calendar_id: int, reminder_id: int, form: FormState | None = None) -> Document:
    """The form to change a reminder."""
    return editor.edit(ctx, _load(ctx, calendar_id), reminder_id, form)


@page("POST", "/calendars/{calendar_id}/reminders/{reminder_id}/edit", again=edit)
def update(ctx: Context, calendar_id: int, reminder_id: int, params: Form) -> Document:
    """Change a reminder."""
    api.update_calendar_reminder(ctx, calendar_id, reminder_id, Form(editor.params(params)).changes(ReminderFields))
    return redirect(ctx, f"/calendars/{calendar_id}/reminders", done="saved", can_undo=True)


def index_again(ctx: Context, calendar_id: int, reminder_id: int, form: FormState) -> Document:
    """The page, with what is wrong."""
    return index(ctx, calendar_id, FormState(editor.NEW, problem=form.problem))


@page("POST", "/calendars/{calendar_id}/reminders/{reminder_id}/delete", again=index_again)
def destroy(ctx: Context, calendar_id: int, reminder_id: int, params: Form) -> Document:
    """Delete a reminder of a calendar."""
    api.delete_calendar_reminder(ctx, calendar_id, reminder_id)
    return redirect(ctx, f"/calendars/{calendar_id}/reminders", done="deleted", can_undo=True)


def _load(ctx: Context, calendar_id: int) -> Owner:
    calendar = policy.calendar(ctx, calendar_id, to=Right.OWN)
    return Owner(f"/calendars/{calendar.id}", calendar.name, api.calendar_reminders(ctx, calendar_id, Paging()).reminders)
