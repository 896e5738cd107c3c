"""The button that detaches an event from its source."""

from kalends import policy
from kalends.core import errors
from kalends.features.sources import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("POST", "/events/{event_id}/detach")
def detach(ctx: Context, event_id: int, params: Form) -> Document:
    """Make an event from a source an ordinary one."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    origin = policy.origin(ctx, event.id, event.series_id)
    if origin is None:
        raise errors.NotFound
    api.detach(ctx, origin.source_id, event.id)
    return redirect(ctx, f"/events/{event_id}", done="detached")
