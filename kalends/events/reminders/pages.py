"""The pages on which organisers add, change and remove the reminders of an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.reminders import api, editor, present
from kalends.events.reminders.editor import Owner
from kalends.events.reminders.model import EventReminderFields, ReminderScope
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/events/{event_id}/reminders")
def index(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The reminders of an event, and the form to add one."""
    return editor.index(ctx, _load(ctx, event_id), form)


@page("POST", "/events/{event_id}/reminders", again=index)
def create(ctx: Context, event_id: int, params: Form) -> Document:
    """Add a reminder to an event."""
    api.add_reminder(ctx, event_id, Form(editor.params(params)).read(EventReminderFields))
    return redirect(ctx, f"/events/{event_id}/reminders", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/reminders/{reminder_id}/edit")
def edit(ctx: Context, event_id: int, reminder_id: int, form: FormState | None = None) -> Document:
    """The form to change a reminder."""
    return editor.edit(ctx, _load(ctx, event_id), reminder_id, form)


@page("POST", "/events/{event_id}/reminders/{reminder_id}/edit", again=edit)
def update(ctx: Context, event_id: int, reminder_id: int, params: Form) -> Document:
    """Change a reminder."""
    api.update_reminder(ctx, event_id, reminder_id, Form(editor.params(params)).changes(EventReminderFields))
    return redirect(ctx, f"/events/{event_id}/reminders", done="saved", can_undo=True)


def index_again(ctx: Context, event_id: int, reminder_id: int, form: FormState) -> Document:
    """The page, with what is wrong."""
    return index(ctx, event_id, FormState(editor.NEW, problem=form.problem))


@page("POST", "/events/{event_id}/reminders/{reminder_id}/delete", again=index_again)
def destroy(ctx: Context, event_id: int, reminder_id: int, params: Form) -> Document:
    """Delete a reminder; of a series, for the dates that are chosen beside it."""
    api.delete_reminder(ctx, event_id, reminder_id, Form({"scope": params.text("dates")}).read(ReminderScope))
    return redirect(ctx, f"/events/{event_id}/reminders", done="deleted", can_undo=True)


def _load(ctx: Context, event_id: int) -> Owner:
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return Owner(
        f"/events/{event.id}",
        event.title,
        present.load(ctx, event),
        event.time_zone,
        calendar_id=event.calendar_id,
        event_id=event.id,
        is_repeated=event.series_id is not None,
    )
