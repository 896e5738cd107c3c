"""Signing out."""

from kalends.features.sessions import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("POST", "/sign-out", guests=True)
def destroy(ctx: Context, params: Form) -> Document:
    """Sign out."""
    if ctx.actor and ctx.actor.session_id:
        api.destroy(ctx, "current")
    return redirect(ctx, "/", done="signed-out")
