"""The page on which an event is repeated, or the rule of its series replaced.

It is a page of its own, so that a rule that is saved leaves no change of the event unsaved beside it.
"""

from datetime import date

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.features.events.forms.pages import local_day
from kalends.features.events.forms.rules import repeat_form
from kalends.features.events.forms.steps import notice_question
from kalends.features.events.input_model import EventIds, RepeatInput
from kalends.features.events.series import api, store
from kalends.features.events.series.model import Repeat, RepeatPreview, build_repeat
from kalends.features.events.series.rules import request
from kalends.features.events.series.steps import change, occurrences
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/events/{event_id}/repeat")
def edit(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The form to repeat an event, or to replace the rule of its series."""
    return _render(ctx, policy.event(ctx, event_id, to=Right.OWN), form)


@page("POST", "/events/{event_id}/repeat", again=edit, transaction=False)
def repeat(ctx: Context, event_id: int, params: Form) -> Document:
    """Repeat the event, or replace the rule of its series; or show the form again with a preview of the dates."""
    try:
        with ctx.write():
            return _repeat(ctx, event_id, params)
    except notice_question.Unanswered as question:
        change = question.change
    with ctx.read():
        return notice_question.ask(ctx, f"/events/{event_id}/repeat", params, change)


def _repeat(ctx: Context, event_id: int, params: Form) -> Document:
    event = policy.event(ctx, event_id, to=Right.OWN)
    if params.text(notice_question.KEEP):
        return _render(ctx, event, FormState(params.values))
    if params.text(repeat_form.PREVIEW):
        preview = repeat_form.find_preview(params, lambda: _preview_change(ctx, event, params))
        return _render(ctx, event, FormState(params.values), preview)
    api.repeat(ctx, event_id, _add_notice(repeat_form.read(params, _rule_day(event)), params))
    notice_question.require_answer(ctx, params, notice_question.Change(notice_question.about_change, []))
    number = notice_question.count_for_notice(ctx, params)
    return redirect(ctx, f"/events/{event_id}", done="rule-saved", count=number, can_undo=True)


def _add_notice(rule: RepeatInput, params: Form) -> RepeatInput:
    """The rule, with whom to notify and the message."""
    notice = Form({name: params.text(name) for name in ("notify", "message") if params.text(name)}).read(EventIds)
    return structs.replace(rule, notify=notice.notify, message=notice.message)


def _render(ctx: Context, event: Event, form: FormState | None, preview: RepeatPreview | str | None = None) -> Document:
    day, rule = _rule_day(event), _load_repeat(ctx, event)
    return render(
        "events/repeat.html",
        ctx,
        title=gettext("Edit repeat rule") if rule else gettext("Repeat"),
        form=form or FormState(repeat_form.fill(rule, day)),
        event=event,
        repeat=rule,
        **repeat_form.describe(day, preview),
    )


def _preview_change(ctx: Context, event: Event, params: Form) -> RepeatPreview:
    if event.series_id is not None:
        policy.require_whole_series(ctx, event.series_id)
    with change.refuse_overflow("end_date"):
        return occurrences.preview(ctx, event, request.read(repeat_form.read(params, _rule_day(event)), event))


def _load_repeat(ctx: Context, event: Event) -> Repeat | None:
    if event.series_id is None:
        return None
    rule = store.get(ctx, event.series_id)
    return build_repeat(rule.rrule, rule.start_date, rule.also)


def _rule_day(event: Event) -> date:
    """The day of the event in its series, or else that of its start."""
    return date.fromisoformat(event.slot) if event.slot else local_day(event)
