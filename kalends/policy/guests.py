"""Which comments and responses on an event the actor may see and change."""

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Comment, Response
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.account import has_verified
from kalends.policy.actor import Right, me, user
from kalends.policy.administration import is_admin
from kalends.policy.event_link import event_of_guest
from kalends.policy.events import COMMENT_VISIBLE, event, event_of_admin, visible_events


def comment_visible(event: Event) -> str:
    """SQL: whether the actor sees the comment `c` on the event. Before approval, only its author and the event's editors do."""
    return "1 = 1" if event.can_edit else COMMENT_VISIBLE


def can_see_comment(ctx: Context, comment: Comment, event: Event) -> bool:
    """Whether the actor, who sees the event, sees the comment."""
    return comment.approved or event.can_edit or (comment.user_id is not None and comment.user_id == me(ctx))


def comment(ctx: Context, comment_id: int, *, to: Right) -> tuple[Comment, Event]:
    """The comment and its event: its author and the event's editors may edit and delete it, the event's editors approve it, and
    everyone who sees the event sees it when it is approved."""
    comment = _find_comment(ctx, comment_id)
    return comment, _commented_event(ctx, comment, to)


def moderated_comment(ctx: Context, comment_id: int, *, to: Right) -> tuple[Comment, Event]:
    """The comment and its event, also for an admin, who approves and deletes comments on events that they see; on others, those alone
    that wait for approval or were reported. An admin writes no words of others."""
    comment = _find_comment(ctx, comment_id)
    try:
        return comment, _commented_event(ctx, comment, to)
    except (errors.NotFound, errors.Forbidden):
        if not is_admin(ctx) or not _is_moderated(ctx, comment):
            raise
        return comment, structs.replace(event_of_admin(ctx, comment.event_id), can_edit=True)


def _find_comment(ctx: Context, comment_id: int) -> Comment:
    comment = ctx.tx.one(Comment, f"SELECT {columns(Comment)} FROM comments WHERE id = :id", id=comment_id)
    if comment is None:
        raise errors.NotFound
    return comment


def _is_moderated(ctx: Context, comment: Comment) -> bool:
    is_seen = not comment.approved or bool(visible_events(ctx, [comment.event_id]))
    return is_seen or bool(ctx.tx.rows("SELECT 1 FROM reports WHERE comment_id = :id LIMIT 1", id=comment.id))


def _commented_event(ctx: Context, comment: Comment, to: Right) -> Event:
    is_author = ctx.actor is not None and comment.user_id == ctx.actor.id
    on = event_of_guest(ctx, comment.event_id) if is_author else event(ctx, comment.event_id, to=Right.SEE)
    if not (comment.approved or on.can_edit or is_author):
        raise errors.NotFound
    if to is Right.SEE:
        return on
    user(ctx)
    if not on.can_edit and (to is Right.OWN or not is_author):
        raise errors.Forbidden(
            "Only the event owner may approve or hide a comment." if is_author else "Only its author and the event owner may do this."
        )
    return on


def visible_comment(ctx: Context, comment_id: int) -> tuple[Comment, Event]:
    """The comment and its event, if the actor sees both."""
    comment = _find_comment(ctx, comment_id)
    on = event(ctx, comment.event_id, to=Right.SEE)
    if not can_see_comment(ctx, comment, on):
        raise errors.NotFound
    return comment, on


def needs_no_approval(ctx: Context, event: Event) -> bool:
    """Whether a comment of the actor on the event is approved without waiting for an organiser."""
    moderation = ctx.tx.value("SELECT moderation FROM calendars WHERE id = :id", id=event.calendar_id)
    return event.can_edit or moderation == "none" or (moderation == "guests" and ctx.actor is not None)


def response(ctx: Context, response_id: int, *, to: Right = Right.SEE) -> tuple[Response, Event]:
    """The response and its event. The event's editors and the responder may see and change it; to=EDIT: only the editors."""
    user(ctx)
    response = ctx.tx.one(Response, f"SELECT {columns(Response)} FROM responses WHERE id = :id", id=response_id)
    if response is None:
        raise errors.NotFound
    to_event = event_of_guest(ctx, response.event_id)
    if not can_see_response(ctx, response, to_event):
        raise errors.NotFound
    if to is Right.EDIT and not to_event.can_edit:
        raise errors.Forbidden(gettext("Only the event’s editors can do this."))
    return response, to_event


def can_see_response(ctx: Context, response: Response, event: Event) -> bool:
    """Whether the actor may see and change the response.

    The event's editors may, anyone who has verified the address of the response, and the account that created it.
    """
    is_own = response.user_id is not None and response.user_id == me(ctx)
    return event.can_edit or is_own or has_verified(ctx, response.email_address)
