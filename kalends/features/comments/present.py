"""Representations of comments in API replies and forms."""

from msgspec import UNSET

from kalends.core.records.response import Comment
from kalends.core.values import timestamps
from kalends.features.comments.model import CommentItem, EditableComment, Truth


def editable(comment: Comment) -> EditableComment:
    return EditableComment(_approved_text(comment.approved), comment.name, comment.comment)


def item(comment: Comment, *, for_editor: bool) -> CommentItem:
    """Editors of the event get the address, and no response that is not confirmed. Others get the response as it was sent: whether it
    took effect would disclose that the address has responded."""
    return CommentItem(
        id=comment.id,
        event_id=comment.event_id,
        name=comment.name,
        comment=comment.comment,
        response=None if for_editor and comment.proposed else comment.response,
        approved=_approved_text(comment.approved),
        is_approved=comment.approved,
        created_at=timestamps.format_utc(comment.created_at),
        updated_at=timestamps.format_utc(comment.updated_at),
        email_address=comment.email_address if for_editor else UNSET,
    )


def _approved_text(approved: bool) -> Truth:
    return "true" if approved else "false"
