"""Forms of a new event that are filled in: from one line, or from an event that is held again."""

from datetime import date, timedelta
from typing import Any

from msgspec import Struct, structs

from kalends import policy
from kalends.core.errors import FieldError
from kalends.core.values import datetimes
from kalends.features.events import present
from kalends.features.events.forms.pages import DEFAULT_VISIBILITY, Start, chosen_calendar, render_form
from kalends.features.events.forms.rules import quick_line, repeat_form
from kalends.features.events.forms.rules.form_values import split_times
from kalends.features.events.forms.rules.quick_line import QuickEvent
from kalends.features.idempotency.steps import form_token
from kalends.features.idempotency.steps.form_token import FormToken
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect

WEEK = timedelta(days=7)
MAX_LINE, MAX_TIME = 500, 100
WHEN = "is required: say Friday 8pm, tomorrow noon or 12 Dec"


class Duplicate(Struct, kw_only=True):
    """The token of the form."""

    form_token: FormToken | None = None


@page("POST", "/events/quick")
def quick(ctx: Context, params: Form) -> Document:
    """The form of a new event, filled in from one line such as `Jazz trio Friday 8pm at Le Sextant`. Nothing is saved.

    The line is read in the reader's language. The calendar sends the time apart, in English: the line is the title then.
    """
    policy.user(ctx)
    sent = Form({name: value for name, value in params.values.items() if name in ("calendar_id", form_token.FIELD)}).read(Start)
    calendar = chosen_calendar(ctx, sent.calendar_id)
    line, time = params.text("line")[:MAX_LINE].strip(), params.text("time")[:MAX_TIME].strip()
    now = datetimes.to_local(ctx.now, calendar.time_zone).replace(tzinfo=None)
    event = quick_line.parse(time, now) if time else quick_line.parse(line, now, ctx.locale)
    if time:
        event = structs.replace(event, title=line)
        line = f"{line} {time}".strip()
    values = {"line": line, "calendar_id": calendar.id, "visibility": DEFAULT_VISIBILITY, form_token.FIELD: sent.form_token or ""}
    values |= {"show_counts": "true", "responses_open": "true"} | _fields(event, calendar.time_zone)
    missing = [] if event.day or not line else [FieldError("start_time", WHEN, "required")]
    return render_form(ctx, FormState(values, missing), quick=event)


def _fields(event: QuickEvent, zone: str) -> dict[str, Any]:
    """The event as the inputs of the form."""
    # An end without a date is on the first day.
    last_day = event.last_day if event.last_day != event.day else None
    return {
        "title": event.title[:200],
        "start_time": event.day.isoformat() if event.day else "",
        "start_clock": event.start.strftime("%H:%M") if event.start else "",
        "end_time": last_day.isoformat() if last_day else "",
        "end_clock": event.end.strftime("%H:%M") if event.end else "",
        "location": event.location,
        "time_zone": event.time_zone or zone,
        **_repetition(event),
    }


def _repetition(event: QuickEvent) -> dict[str, Any]:
    if event.repeat is None or event.day is None:
        return repeat_form.DEFAULTS
    # The series begins on the day of the event, also if it is changed in the form.
    return repeat_form.fill(event.repeat, event.day) | {"start_date": ""}


@page("GET", "/events/{event_id}/duplicate")
def duplicate(ctx: Context, event_id: int, params: Duplicate) -> Document:
    """The form of a new event with the content of this one, on the same weekday of a coming week."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if not params.form_token:
        return redirect(ctx, form_token.add_to(ctx.caller))
    fields = structs.asdict(present.editable(event)) | {"status": "planned", "status_note": None, "responses_until": None}
    values: dict[str, Any] = dict(split_times(fields | repeat_form.DEFAULTS).values)
    first = date.fromisoformat(values["start_time"])
    today = datetimes.to_local(ctx.now, event.time_zone).date()
    weeks = max(1, (today - first).days // 7 + 1)
    for name in ("start_time", "end_time"):
        if values[name]:
            values[name] = (date.fromisoformat(values[name]) + weeks * WEEK).isoformat()
    calendar = chosen_calendar(ctx, event.calendar_id)
    return render_form(ctx, FormState(values | {"calendar_id": calendar.id, form_token.FIELD: params.form_token}))
