"""The values in the form of an event: a date and a clock time of their own for each time, and numbers and flags as text."""

from typing import Any

from msgspec import structs

from kalends.features.events.input_model import EventChanges, EventFields
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.web.forms import FormState

CLOCKS = {"start_time": "start_clock", "end_time": "end_clock", "responses_until": "until_clock"}
AS_TEXT = {"party_max", "public", "capacity", "offer_hours", "responses_open", "show_counts", "approval", "latitude", "longitude"}


def split_times(values: dict[str, Any]) -> FormState:
    """The form of a record, with its times as dates and clock times."""
    fields = dict(values)
    for name, clock in CLOCKS.items():
        time = values.get(name) or ""
        fields[name], fields[clock] = time[:10], time[11:16]
    for name in AS_TEXT & fields.keys():
        value = fields[name]
        fields[name] = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return FormState(fields)


def join_times(form: Form) -> Form:
    """The form with dates and clock times as times. Without a clock time it is a whole day; an end without a date is on the first day."""
    values = dict(form.values)
    for name, clock in CLOCKS.items():
        if name not in values and clock not in values:
            continue
        day = form.text(name) or (form.text("start_time") if form.text(clock) else "")
        values[name] = f"{day}T{form.text(clock)}" if form.text(clock) else day
        values.pop(clock, None)
    return Form(values)


def find_changes(event: EventFields, form: Form) -> Changes[EventChanges]:
    """The fields that differ from the stored event: in the other events of a series, only these are changed."""
    changes = form.changes(EventChanges)
    now = structs.asdict(event)
    stored = join_times(Form(split_times(now).values)).values
    same = {name for name in changes.values if name in now and (form.values.get(name) or "") == (stored.get(name) or "")}
    return Changes(EventChanges, {name: value for name, value in changes.values.items() if name not in same})
