"""Ending one's sessions on the settings page."""

from kalends import policy
from kalends.features.sessions import api, store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import redirect

BACK = "/account#sessions"


@page("POST", "/account/sessions/{session_id}/end")
def end(ctx: Context, session_id: str, params: Form) -> Document:
    """End a session of one's own, on this device or another."""
    ended = api.destroy(ctx, session_id).deleted[0]
    return redirect(ctx, "/", done="signed-out") if ended == policy.user(ctx).session_id else redirect(ctx, BACK, done="ended")


@page("POST", "/account/sessions/end")
def end_others(ctx: Context, params: Form) -> Document:
    """End all one's sessions but this one."""
    store.delete_others(ctx, policy.user(ctx))
    return redirect(ctx, BACK, done="others-ended")
