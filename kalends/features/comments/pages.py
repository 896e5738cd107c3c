"""Comments on pages: the event's owner approves, hides and deletes them, and authors delete their own."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.comments import api
from kalends.features.comments.model import CommentFields
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.page import page
from kalends.web.redirects import Destination, local_path, redirect
from kalends.web.render import render


@page("POST", "/comments/{comment_id}/approve")
def approve(ctx: Context, comment_id: int, params: Form) -> Document:
    """Approve a comment, so that everyone sees it."""
    api.update(ctx, comment_id, Changes(CommentFields, {"approved": True}))
    return redirect(ctx, _back(params.text("next")), done="approved", can_undo=True)


@page("POST", "/comments/{comment_id}/hide")
def hide(ctx: Context, comment_id: int, params: Form) -> Document:
    """Hide a comment from all but the event owner and its author."""
    api.update(ctx, comment_id, Changes(CommentFields, {"approved": False}))
    return redirect(ctx, _back(params.text("next")), done="hidden", can_undo=True)


@page("GET", "/comments/{comment_id}/delete")
def ask(ctx: Context, comment_id: int, params: Destination) -> Document:
    """Ask before a comment is deleted."""
    comment, event = policy.moderated_comment(ctx, comment_id, to=Right.EDIT)
    back = local_path(params.next or f"/events/{event.id}")
    return render("comments/delete.html", ctx, title=gettext("Delete comment"), comment=comment, event=event, back=back)


@page("POST", "/comments/{comment_id}/delete")
def destroy(ctx: Context, comment_id: int, params: Form) -> Document:
    """Delete a comment."""
    api.destroy(ctx, comment_id)
    return redirect(ctx, _back(params.text("next")), done="deleted", can_undo=True)


def _back(path: str) -> str:
    """The page that someone came from, or that of all comments."""
    return local_path(path or "/responses")
