"""Undo, as a button on pages."""

from kalends.core import errors
from kalends.core.i18n import Text, ngettext
from kalends.features.changes import api
from kalends.features.changes import history_store as history
from kalends.features.changes.model import UndoInput
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events import store as events
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web import notices, recipients
from kalends.web.page import page
from kalends.web.redirects import local_path, redirect
from kalends.web.render import render


@page("POST", "/changes/{seq}/undo", transaction=False)
def undo(ctx: Context, seq: int, params: Form) -> Document:
    """Undo what a request changed, and show the restored event, or the page that the button was on. If people know of the change, ask
    first whether they are emailed. If it cannot be undone, the page that the button was on says why."""
    notify = params.text("notify")
    back = local_path(params.text("next"))
    if not notify and (number := _count_informed(ctx, seq)):
        return _ask(ctx, seq, params, number)
    ctx.messages.clear()
    with ctx.read():
        was_cancelled = _is_about_cancelling(ctx, seq)
    try:
        undone = api.undo(ctx, seq, UndoInput(notify="auto" if notify == "auto" else "none")).undone
    except errors.Conflict as problem:
        notices.put_problem(ctx, problem.detail)
        return redirect(ctx, back)
    restored = [record.id for record in undone if record.kind == "event" and record.op == "put"]
    with ctx.read():
        path = back if back.startswith("/calendar") or not restored else f"/events/{restored[0]}"
        is_back = was_cancelled and restored and events.find_by_ids(ctx, restored[:1])[0].status == "planned"
        mailed = recipients.count(ctx) if notify else _count_waiting(ctx, restored)
        return redirect(ctx, path, done="uncancelled" if is_back else "undone", count=mailed, can_undo=True)


def _count_waiting(ctx: Context, event_ids: list[int]) -> int | None:
    """How many people still get mail about the events by what was changed before; None if nobody was to get any."""
    waiting = change_notices.find_waiting(ctx, event_ids) if event_ids else None
    return None if waiting is None else len(waiting)


def _count_informed(ctx: Context, seq: int) -> int:
    """How many people would be emailed that this is undone: those who were emailed that it was done. What takes several steps is undone
    without a question, and emails nobody."""
    try:
        recipients.try_out(ctx, lambda: api.undo(ctx, seq, UndoInput(notify="auto")))
    except errors.Conflict:
        return 0
    return recipients.count(ctx)


def _ask(ctx: Context, seq: int, params: Form, number: int) -> Document:
    with ctx.read():
        return render(
            "changes/undo.html",
            ctx,
            title=_question(number, is_about_cancelling=_is_about_cancelling(ctx, seq)),
            number=number,
            summary=recipients.describe(ctx),
            action=f"/changes/{seq}/undo",
            next=local_path(params.text("next")),
        )


def _is_about_cancelling(ctx: Context, seq: int) -> bool:
    change = history.find(ctx, seq)
    rows = events.find_by_ids(ctx, [change.event_id]) if change and change.event_id else []
    return not rows or rows[0].status == "cancelled"


def _question(number: int, *, is_about_cancelling: bool) -> Text:
    if is_about_cancelling:
        return ngettext(
            "1 person knows that it’s cancelled. Email them that it takes place?",
            "%(num)s people know that it’s cancelled. Email them that it takes place?",
            number,
        )
    return ngettext(
        "1 person knows about this change. Email them about the undo?",
        "%(num)s people know about this change. Email them about the undo?",
        number,
    )
