"""Pages on which an event is cancelled or deleted. Both say first how many guests are emailed."""

from typing import Literal

from msgspec import Struct

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.records.event import Event
from kalends.features.events import api
from kalends.features.events.input_model import EventChanges, EventIds
from kalends.features.events.series import store as series
from kalends.features.events.series.steps import scope
from kalends.features.events.steps.notify import find_reached
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.input.types import Scope
from kalends.policy import Right
from kalends.web import recipients
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

SCOPES: tuple[Scope, ...] = ("this", "following", "all")


class Choice(Struct, frozen=True):
    """Which dates of a series an action is for, and whom it emails."""

    scope: Scope
    number: int
    summary: Text


@page("GET", "/events/{event_id}/cancel")
def ask_to_cancel(ctx: Context, event_id: int) -> Document:
    """Ask before an event is cancelled."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if event.status == "cancelled":
        return redirect(ctx, f"/events/{event_id}")
    return _ask(ctx, "events/cancel.html", gettext("Cancel event"), event, "cancel")


@page("POST", "/events/{event_id}/cancel")
def cancel(ctx: Context, event_id: int, params: Form) -> Document:
    """Cancel the event, or those of its series that were chosen."""
    _cancel(ctx, event_id, params)
    return redirect(ctx, f"/events/{event_id}", done="event-cancelled", count=_count(ctx, params), can_undo=True)


@page("GET", "/events/{event_id}/delete")
def ask_to_delete(ctx: Context, event_id: int) -> Document:
    """Ask before an event is deleted."""
    event = policy.event(ctx, event_id, to=Right.DELETE)
    policy.require_home(ctx, event)
    return _ask(ctx, "events/delete.html", gettext("Delete event"), event, "change")


@page("POST", "/events/{event_id}/delete")
def destroy(ctx: Context, event_id: int, params: Form) -> Document:
    """Delete the event, or those of its series that were chosen."""
    _delete(ctx, event_id, params)
    return redirect(ctx, "/calendar", done="event-deleted", count=_count(ctx, params), can_undo=True)


def _ask(ctx: Context, template: str, title: Text, event: Event, kind: Literal["cancel", "change"]) -> Document:
    """The question, with whom the action emails for each choice of dates."""
    dates = series.count_events(ctx, event.series_id) if event.series_id is not None else 1
    choices = []
    for which in SCOPES if dates > 1 else SCOPES[:1]:
        groups = find_reached(ctx, scope.find_events(ctx, event, which), kind)
        choices.append(Choice(which, len(groups), recipients.describe_groups(groups)))
    return render(template, ctx, title=title, event=event, dates=dates, choices=choices)


def _cancel(ctx: Context, event_id: int, params: Form) -> None:
    fields = Form({name: params.text(name) for name in ("status_note", "scope", "notify") if params.text(name)} | {"status": "cancelled"})
    api.update(ctx, event_id, fields.changes(EventChanges))


def _delete(ctx: Context, event_id: int, params: Form) -> None:
    api.destroy(ctx, event_id, params.read(EventIds))


def _count(ctx: Context, params: Form) -> int | None:
    """How many people are emailed; no number if nobody was asked about it."""
    return recipients.count(ctx) if params.text("notify") else None
