"""Comments on pages: the event's owner approves, hides and deletes them, and authors delete their own."""

from kalends import policy
from kalends.account.sign_in_pages import Destination, local
from kalends.comments import api
from kalends.comments.model import CommentFields
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.render import redirect, render


@endpoint("POST", "/comments/{comment_id}/approve", format="html")
def approve(ctx: Context, comment_id: int, params: Form) -> Document:
    """Let everyone see a comment."""
    api.update(ctx, comment_id, Changes(CommentFields, {"approved": True}))
    return redirect(ctx, _back(params.text("next")), done="approved")


@endpoint("POST", "/comments/{comment_id}/hide", format="html")
def hide(ctx: Context, comment_id: int, params: Form) -> Document:
    """Let nobody see a comment but the event owner and its author."""
    api.update(ctx, comment_id, Changes(CommentFields, {"approved": False}))
    return redirect(ctx, _back(params.text("next")), done="hidden")


@endpoint("GET", "/comments/{comment_id}/delete", format="html")
def ask(ctx: Context, comment_id: int, params: Destination) -> Document:
    """Ask before a comment is deleted."""
    comment, event = policy.comment(ctx, comment_id, to=Right.EDIT)
    back = local(params.next or f"/events/{event.id}")
    return render("comments/ask.html", ctx, title="Delete the comment", comment=comment, event=event, back=back)


@endpoint("POST", "/comments/{comment_id}/delete", format="html")
def destroy(ctx: Context, comment_id: int, params: Form) -> Document:
    """Delete a comment."""
    api.destroy(ctx, comment_id)
    return redirect(ctx, _back(params.text("next")), done="deleted")


def _back(path: str) -> str:
    """Where somebody came from, or the page of all comments."""
    return local(path or "/answers")
