"""The page on which the co-hosts of an event are added and removed."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.events.cohosts import api, store
from kalends.features.events.cohosts.model import CohostInput, CohostRemoval
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/events/{event_id}/cohosts")
def index(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The co-hosts of an event, and the form to add one."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return render(
        "cohosts/index.html",
        ctx,
        title=gettext("Co-hosts"),
        event=event,
        cohosts=api.cohosts(ctx, event_id, Paging()).cohosts,
        with_guests=store.find_with_guests(ctx, event),
        may_manage=policy.edits_home(ctx, event),
        form=form or FormState({}),
    )


@page("POST", "/events/{event_id}/cohosts", again=index, fixed_time=True, rate_limited=True)
def create(ctx: Context, event_id: int, params: Form) -> Document:
    """Add a co-host."""
    api.add_cohost(ctx, event_id, params.read(CohostInput))
    return redirect(ctx, f"/events/{event_id}/cohosts", done="cohost-added")


def index_again(ctx: Context, event_id: int, cohost_id: int, form: FormState) -> Document:
    """The page, with what is wrong."""
    return index(ctx, event_id, FormState({}, problem=form.problem))


@page("POST", "/events/{event_id}/cohosts/{cohost_id}/delete", again=index_again, transaction=False)
def destroy(ctx: Context, event_id: int, cohost_id: int, params: Form) -> Document:
    """Remove a co-host; one who removes themselves no longer gets this page."""
    with ctx.read():
        event, _ = api.load(ctx, event_id, cohost_id)
        path = f"/events/{event_id}/cohosts" if policy.edits_home(ctx, event) else "/my-events?show=hosting"
    api.delete_cohost(ctx, event_id, cohost_id, params.read(CohostRemoval))
    with ctx.read():
        return redirect(ctx, path, done="cohost-removed", can_undo=True)
