"""Representations of comments in API replies and forms."""

from msgspec import UNSET

from kalends.comments.model import CommentItem, EditableComment
from kalends.records.comment import Comment
from kalends.values import timestamps


def editable(comment: Comment) -> EditableComment:
    return EditableComment(_approved_text(comment.approved), comment.name, comment.comment)


def item(comment: Comment, *, with_address: bool) -> CommentItem:
    return CommentItem(
        id=comment.id,
        event_id=comment.event_id,
        name=comment.name,
        comment=comment.comment,
        response=comment.response,
        approved=_approved_text(comment.approved),
        is_approved=comment.approved,
        created_at=timestamps.format_utc(comment.created_at),
        updated_at=timestamps.format_utc(comment.updated_at),
        email_address=comment.email_address if with_address else UNSET,
    )


def _approved_text(approved: bool) -> str:
    return "true" if approved else "false"
