"""Undo, as a button on pages."""

from kalends.changes import api
from kalends.changes.model import UndoInput
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import local_path, redirect


@page("POST", "/changes/{seq}/undo", transaction=False)
def undo(ctx: Context, seq: int, params: Form) -> Document:
    """Undo what a request changed, and show the restored event, or the page that the button was on."""
    undone = api.undo(ctx, seq, UndoInput()).undone
    restored = next((f"/events/{record.id}" for record in undone if record.kind == "event" and record.op == "put"), None)
    back = params.text("next")
    with ctx.read():
        return redirect(ctx, restored or local_path(back), done="undone", can_undo=True)
