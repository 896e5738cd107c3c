"""Unblocking people on the settings page."""

from kalends.features.blocks import api
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("POST", "/account/blocks/{blocked_id}/delete")
def destroy(ctx: Context, blocked_id: int, params: Form) -> Document:
    """Unblock someone."""
    api.destroy(ctx, blocked_id)
    return redirect(ctx, "/account#blocks", done="unblocked")
