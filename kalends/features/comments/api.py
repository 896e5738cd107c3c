"""Comments on events, by users and by guests."""

from msgspec import UNSET

from kalends import policy
from kalends.core import errors
from kalends.core.records.event import Event
from kalends.features.blocked_senders.store import discard_if_blocked
from kalends.features.comments import present, store
from kalends.features.comments.model import (
    BlankComment,
    CommentFields,
    CommentFor,
    CommentIndex,
    CommentInput,
    CommentItem,
    CommentQuery,
    CommentView,
    EditableComment,
)
from kalends.features.responses import news_store as news
from kalends.features.responses.model import Author, ResponseInput
from kalends.features.responses.steps.author import author
from kalends.features.responses.steps.respond import respond
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes, Params
from kalends.http.input.types import Deletion
from kalends.http.paging import paginate
from kalends.http.rate_limit import count_event_write
from kalends.policy import Right


@endpoint("GET", "/api/comments", guests=True)
def index(ctx: Context, params: CommentQuery) -> CommentIndex:
    """An event's comments, newest first; without `event_id`, all comments on the events that you may edit."""
    if params.waiting:
        policy.admin(ctx)
        rows, is_editor = store.find_waiting(ctx, params.fetch, params.offset), True
        total = store.count_waiting_of_site(ctx) if params.count else UNSET
    elif params.event_id is None:
        rows, is_editor = store.of_editor(ctx, params.fetch, params.offset), True
        total = store.count_of_editor(ctx) if params.count else UNSET
    else:
        policy.open_link(ctx, params.link)
        with errors.naming("event_id"):
            event = policy.event(ctx, params.event_id, to=Right.SEE)
        rows, is_editor = store.of_event(ctx, event, params.fetch, params.offset), event.can_edit
        total = store.count_of_event(ctx, event) if params.count else UNSET
    comments, next_page = paginate(ctx, params, rows)
    items = [present.item(comment, for_editor=is_editor) for comment in comments]
    return CommentIndex(items, limit=params.size, offset=params.offset, next=next_page, total=total)


@endpoint("GET", "/api/comments/new", guests=True)
def new(ctx: Context, params: CommentFor) -> BlankComment:
    """The editable fields with defaults. Nothing is saved."""
    if params.event_id is not None:
        with errors.naming("event_id"):
            policy.event(ctx, params.event_id, to=Right.SEE)
    actor = ctx.actor
    return BlankComment(params.event_id, actor.email_address if actor else None, None, actor.display_name if actor else None, "")


@endpoint("POST", "/api/comments", status=201, location="/api/comments/{id}", guests=True, rate_limited=True, fixed_time=True)
def create(ctx: Context, params: CommentInput) -> CommentItem:
    """Comment on an event. With `response`, respond to it too, with the same text.

    A guest's comment waits for approval, unless the calendar's `moderation` says otherwise.
    """
    policy.open_link(ctx, params.link)
    with errors.naming("event_id"):
        event = policy.event(ctx, params.event_id, to=Right.SEE)
    count_event_write(ctx, event.id)
    who = author(ctx, params.email_address, params.name)
    with discard_if_blocked(ctx, who.email_address):
        return _create(ctx, event, who, params)


def _create(ctx: Context, event: Event, who: Author, params: CommentInput) -> CommentItem:
    approved = policy.needs_no_approval(ctx, event)
    if params.response:
        fields = ResponseInput(event_id=event.id, response=params.response, comment=params.comment)
        # A comment that waits for approval does not change the name of an earlier response.
        names = frozenset(("comment", "name") if params.name and approved else ("comment",))
        respond(ctx, event, who, Params(fields, names))
    comment_id = store.insert(ctx, params, who, approved=approved)
    ctx.hides_location = ctx.linked is not None or (ctx.actor is None and not approved)
    news.notify_organiser(ctx, event, comment_id=comment_id)
    return present.item(store.get(ctx, comment_id), for_editor=event.can_edit)


@endpoint("GET", "/api/comments/{comment_id}", guests=True)
def show(ctx: Context, comment_id: int, params: CommentView) -> CommentItem:
    """The comment, if you see its event: before approval, only its author, the event's editors and admins see it."""
    policy.open_link(ctx, params.link)
    comment, event = policy.moderated_comment(ctx, comment_id, to=Right.SEE)
    return present.item(comment, for_editor=event.can_edit)


@endpoint("GET", "/api/comments/{comment_id}/edit")
def edit(ctx: Context, comment_id: int) -> EditableComment:
    """The editable fields of the comment, for the event owner and for its signed-in author."""
    comment, _ = policy.comment(ctx, comment_id, to=Right.EDIT)
    return present.editable(comment)


@endpoint("PUT", "/api/comments/{comment_id}")
def update(ctx: Context, comment_id: int, params: Changes[CommentFields]) -> CommentItem:
    """Change the comment: its author and the event owner may change `name` and `comment`, the event owner and admins `approved`.

    A change by the author waits for approval if a new comment would.
    """
    find = policy.comment if "name" in params or "comment" in params else policy.moderated_comment
    comment, event = find(ctx, comment_id, to=Right.OWN if "approved" in params else Right.EDIT)
    current = CommentFields(approved=comment.approved, name=comment.name, comment=comment.comment)
    fields = params.over(current)
    approved = fields.approved if event.can_edit else comment.approved and policy.needs_no_approval(ctx, event)
    store.update(ctx, comment_id, fields.name, fields.comment, approved=approved)
    return present.item(store.get(ctx, comment_id), for_editor=event.can_edit)


@endpoint("DELETE", "/api/comments/{comment_id}")
def destroy(ctx: Context, comment_id: int) -> Deletion:
    """Delete the comment: its author, the event owner and admins may."""
    comment, _ = policy.moderated_comment(ctx, comment_id, to=Right.EDIT)
    store.delete(ctx, comment.id)
    return Deletion([comment_id])
