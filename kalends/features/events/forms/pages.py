"""Pages on which events are created, changed and deleted."""

from datetime import date, datetime
from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events import api, present, store
from kalends.features.events.forms import store as form_store
from kalends.features.events.forms.rules import repeat_form
from kalends.features.events.forms.rules.form_values import find_changes, join_times, split_times
from kalends.features.events.forms.rules.quick_line import DEFAULT_LENGTH, QuickEvent
from kalends.features.events.forms.rules.quick_words import example_of
from kalends.features.events.forms.rules.repeat_form import NONE, PREVIEW, choice_of
from kalends.features.events.forms.steps import home_form, notice_question
from kalends.features.events.input_model import EventChanges, EventFields, EventInput
from kalends.features.events.model import STATUS, EventDetail
from kalends.features.events.reminders import store as reminders
from kalends.features.events.reminders.model import DAY_BEFORE
from kalends.features.events.rules import span
from kalends.features.events.series import api as series_api
from kalends.features.events.series.model import RepeatPreview
from kalends.features.events.series.rules import request
from kalends.features.events.series.steps import occurrences
from kalends.features.events.steps.create import create_event
from kalends.features.idempotency.steps import form_token
from kalends.features.idempotency.steps.form_token import FormToken
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.http.input.types import DateTime, Id, TimeZone
from kalends.policy import Right
from kalends.web import labels
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import local_path, redirect
from kalends.web.render import render

COMPARED = (
    *(
        "title",
        "start_time",
        "start_clock",
        "end_time",
        "end_clock",
        "time_zone",
        "location",
        "online_url",
        "price",
        "description",
        "tag_list",
        "image_url",
    ),
    "image_alt",
    *STATUS,
)
AUDIENCES = {"public": gettext("everyone"), "link": gettext("anyone with the link"), "members": gettext("people on its calendars")}
# Of a new event on its page; other programs get the calendar's.
DEFAULT_VISIBILITY = "link"
# The box that reminds guests a day before.
REMIND = "remind"
CHANGED = gettext("Someone else changed this event while you were editing. If you save now, your version replaces theirs.")


class Start(Struct, kw_only=True):
    """The values with which the form begins."""

    start_time: Annotated[DateTime, Meta(description="A day, or a time on it.")] | None = None
    time_zone: Annotated[TimeZone, Meta(description="The zone of that time; the reader's by default.")] | None = None
    calendar_id: Annotated[Id, Meta(description="The calendar.")] | None = None
    form_token: FormToken | None = None


def render_form(
    ctx: Context,
    form: FormState,
    event: Event | None = None,
    stored: FormState | None = None,
    preview: RepeatPreview | str | None = None,
    quick: QuickEvent | None = None,
    *,
    is_fresh: bool = False,
) -> Document:
    """The form of a new or an existing event.

    stored: the event as someone else has saved it in the meantime. preview: what the rule would do, or why that cannot be said.
    quick: what was read from one line. is_fresh: nothing is filled in, so a draft in the browser may be.
    """
    calendars = home_form.find_calendars(ctx, event)
    return render(
        "events/form.html",
        ctx,
        title=gettext("Edit event") if event else gettext("New event"),
        form=form,
        quick=quick,
        is_fresh=is_fresh,
        event=event,
        edits_home=event is not None and policy.edits_home(ctx, event),
        calendars=calendars,
        people=home_form.describe_people(ctx, calendars) if event is None else {},
        is_alone=event is not None and home_form.is_alone(ctx, event, calendars),
        differences=_differences(stored, form) if stored else [],
        locations=form_store.find_locations(ctx),
        example=example_of(ctx.locale.language),
        can_remind=policy.is_verified_sender(ctx),
        **({} if event else repeat_form.describe(_start_day(ctx, form), preview)),
    )


@page("GET", "/events/new")
def new(ctx: Context, params: Start) -> Document:
    """The form to create an event."""
    policy.user(ctx)
    if not params.form_token:
        return redirect(ctx, form_token.add_to(ctx.caller))
    calendar = chosen_calendar(ctx, params.calendar_id)
    values = structs.asdict(api.new(ctx)) | {"public": None, "visibility": DEFAULT_VISIBILITY, "calendar_id": calendar.id, REMIND: True}
    values[form_token.FIELD] = params.form_token
    if params.start_time:
        values |= {"start_time": params.start_time, "time_zone": params.time_zone or policy.user(ctx).time_zone}
    form = split_times(values | repeat_form.DEFAULTS)
    form = structs.replace(form, values={**form.values, "end_clock": _default_end(values["start_time"])})
    return render_form(ctx, form, is_fresh=not params.start_time and not params.calendar_id)


def _default_end(start_time: str) -> str:
    """The clock time at which a new event ends; none for whole days, and if it is on the next day, which a new start would leave behind."""
    try:
        start = datetime.fromisoformat(start_time[:16])
    except ValueError:
        return ""
    end = datetime.combine(date.min, start.time()) + DEFAULT_LENGTH
    return end.strftime("%H:%M") if "T" in start_time and end.date() == date.min else ""


@page("POST", "/events", again=render_form, pool="file")
def create(ctx: Context, params: Form) -> Document:
    """Create the event and, if a rule is chosen, the series; or show the form again with a preview of the dates."""
    ctx.page_path = "/events/new"
    policy.user(ctx)
    if not params.text(PREVIEW):
        home_form.save(ctx, params)
    with ctx.write():
        return _create(ctx, params)


def _create(ctx: Context, params: Form) -> Document:
    if params.text(PREVIEW):
        return render_form(ctx, FormState(params.values), preview=repeat_form.find_preview(params, lambda: _preview_new(ctx, params)))
    if path := form_token.find_path(ctx, params):
        return redirect(ctx, path, done="created-already")
    event = create_event(ctx, join_times(params.without("file", REMIND, form_token.FIELD, *repeat_form.FIELDS)).read(EventInput))
    if params.text(REMIND) == "true" and _needs_reminder(ctx, event):
        reminders.insert(ctx, DAY_BEFORE, event_id=event.id)
    if choice_of(params) != NONE:
        series_api.repeat(ctx, event.id, repeat_form.read(params, date.fromisoformat(event.start_time[:10])))
    form_token.insert_path(ctx, params, f"/events/{event.id}")
    return redirect(ctx, f"/events/{event.id}", done="published")


def _needs_reminder(ctx: Context, event: EventDetail) -> bool:
    """Whether the new event can have guests, whom nothing reminds."""
    return event.visibility != "members" and policy.is_verified_sender(ctx) and not reminders.of_calendars(ctx, event.calendar_ids)


@page("GET", "/events/{event_id}/edit")
def edit(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The form to change an event."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    stored = _stored(event)
    if form is None:
        return render_form(ctx, stored, event)
    typed = structs.replace(form, values={**stored.values, **form.values, "version": event.etag})
    is_stale = form.value("version") != event.etag
    return render_form(ctx, typed, event, stored if is_stale else None)


@page("POST", "/events/{event_id}", again=edit, pool="file")
def update(ctx: Context, event_id: int, params: Form) -> Document:
    """Change the event, or those of its series that were chosen; if that emails guests, ask first whether to."""
    with ctx.read():
        policy.event(ctx, event_id, to=Right.EDIT)
    home_form.save(ctx, params)
    if params.text(notice_question.KEEP):
        with ctx.read():
            return edit(ctx, event_id, FormState(params.values))
    try:
        with ctx.write():
            return _update(ctx, event_id, params)
    except notice_question.Unanswered as question:
        change = question.change
    with ctx.read():
        return notice_question.ask(ctx, f"/events/{event_id}", params, change)


def _update(ctx: Context, event_id: int, params: Form) -> Document:
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if params.text("version") != event.etag:
        raise errors.Conflict(CHANGED)
    fields = join_times(params.without(home_form.FIELD, "next"))
    changes = find_changes(present.editable(event), fields)
    if home_id := home_form.find_move(ctx, event, params):
        changes = Changes(EventChanges, changes.values | {home_form.FIELD: home_id})
    api.update(ctx, event_id, changes)
    (saved,) = store.find_by_ids(ctx, [event_id])
    notice_question.require_answer(ctx, params, notice_question.compare(ctx, event, saved))
    # One of the buttons leads on to the rule of the event.
    path = f"/events/{event_id}/repeat" if params.text("then") == "repeat" else f"/events/{event_id}"
    number = notice_question.count_for_notice(ctx, params)
    return redirect(ctx, local_path(params.text("next") or path), done="event-saved", count=number, can_undo=True)


def chosen_calendar(ctx: Context, calendar_id: int | None) -> Calendar:
    """The requested calendar, if it is one of the actor's, or else their primary one."""
    requested = [calendar for calendar in policy.member_calendars(ctx) if calendar.id == calendar_id] if calendar_id else []
    return requested[0] if requested else policy.primary_calendar(ctx)


def _differences(stored: FormState, typed: FormState) -> list[tuple[str, str, str]]:
    """The fields in which the stored event differs from the typed one: label, stored text, typed text."""
    pairs = [(labels.label(name), _text(stored, name), _text(typed, name)) for name in COMPARED]
    theirs, yours = (AUDIENCES.get(_text(state, "visibility"), "") for state in (stored, typed))
    pairs.append((labels.label("visibility"), theirs, yours))
    return [(label, theirs, yours) for label, theirs, yours in pairs if theirs != yours]


def _text(state: FormState, name: str) -> str:
    return state.value(name).replace("\r\n", "\n").strip()


def _stored(event: Event) -> FormState:
    """The form of a stored event."""
    more = {"version": event.etag, "scope": "this", home_form.FIELD: event.calendar_id}
    return split_times(structs.asdict(present.editable(event)) | more)


def _preview_new(ctx: Context, params: Form) -> RepeatPreview:
    names = Start.__struct_fields__
    start = Form({name: value for name, value in join_times(params).values.items() if name in names}).read(Start)
    if not start.start_time:
        raise errors.invalid("start_time", gettext("is required"), "required")
    fields = EventFields(title="", start_time=start.start_time, time_zone=start.time_zone)
    first = span.resolve(fields, chosen_calendar(ctx, start.calendar_id).time_zone)
    return occurrences.preview_new(ctx, first, request.read(repeat_form.read(params, local_day(first)), first))


def local_day(event: Event | span.Span) -> date:
    return datetimes.to_local(event.start_at, event.time_zone).date()


def _start_day(ctx: Context, form: FormState) -> date:
    """The day that was typed as the start of a new event; today if it is not a date."""
    try:
        return date.fromisoformat(form.value("start_time"))
    except ValueError:
        return datetimes.to_local(ctx.now, policy.user(ctx).time_zone).date()
