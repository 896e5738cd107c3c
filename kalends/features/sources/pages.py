"""The pages of a followed calendar: how it is, its runs, what was held back, and its end."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.sources import api, item_store
from kalends.features.sources.model import RunDecision, SourceEnd, SourceFields
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.input.types import Id
from kalends.http.paging import MAX_PAGE, Paging
from kalends.policy import Right
from kalends.web.environment import GLOBALS
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# Where an event comes from, for its page.
GLOBALS["event_origin"] = policy.origin


class HeldRun(Struct, kw_only=True):
    """The run that is accepted: the one that was looked at."""

    run_id: Id


@page("GET", "/sources/{source_id}")
def show(ctx: Context, source_id: int, form: FormState | None = None, action: FormState | None = None) -> Document:
    """A followed calendar, its last runs, and what can be done."""
    source = api.show(ctx, source_id)
    runs = api.runs(ctx, source_id, Paging(limit=MAX_PAGE)).runs
    now = timestamps.format_utc(ctx.now)
    values: Any = filled(source, form)
    return render(
        "sources/show.html",
        ctx,
        title=source.name,
        source=source,
        count=item_store.count_by_source(ctx, [source_id])[source_id],
        runs=runs,
        held=next((run for run in runs[:1] if run.can_accept), None),
        calendar=policy.calendar(ctx, source.calendar_id, to=Right.EDIT),
        form=values,
        action=action or FormState(),
        now=now,
    )


@page("POST", "/sources/{source_id}/edit", again=show)
def update(ctx: Context, source_id: int, params: Form) -> Document:
    """Change a followed calendar, pause it, or go on."""
    api.update(ctx, source_id, params.changes(SourceFields))
    return redirect(ctx, f"/sources/{source_id}", done="saved")


@page("POST", "/sources/{source_id}/runs", again=show, form="action", pool="upload")
def refresh(ctx: Context, source_id: int, params: Form) -> Document:
    """Fetch it now."""
    run = api.create_run(ctx, source_id)
    return redirect(ctx, f"/sources/{source_id}", done="fetched" if run.state in ("applied", "unchanged") else "")


@page("POST", "/sources/{source_id}/accept", again=show, form="action", pool="upload")
def accept(ctx: Context, source_id: int, params: Form) -> Document:
    """Accept what was held back."""
    api.accept_run(ctx, source_id, params.read(HeldRun).run_id, RunDecision(accepted=True))
    return redirect(ctx, f"/sources/{source_id}", done="accepted-run")


@page("GET", "/sources/{source_id}/delete")
def ask(ctx: Context, source_id: int) -> Document:
    """Ask what becomes of the events when it is no longer followed."""
    return render("sources/delete.html", ctx, title=gettext("Stop following?"), source=api.show(ctx, source_id))


@page("POST", "/sources/{source_id}/delete", transaction=False)
def destroy(ctx: Context, source_id: int, params: Form) -> Document:
    """Stop following."""
    with ctx.read():
        calendar_id = api.show(ctx, source_id).calendar_id
    api.destroy(ctx, source_id, params.read(SourceEnd))
    return redirect(ctx, f"/calendars/{calendar_id}/sources", done="unfollowed")
