"""The SQL of comments."""

from kalends import policy
from kalends.core import errors
from kalends.core.records.event import Event
from kalends.core.records.response import Comment
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.features.changes import journal_store as journal
from kalends.features.comments.model import CommentInput
from kalends.features.responses.model import Author
from kalends.http.context import Context

_COMMENT = columns(Comment, "c")
_IS_PROPOSED = "EXISTS (SELECT 1 FROM proposals p WHERE p.event_id = :event_id AND p.email_key = :email_key)"


def of_event(ctx: Context, event: Event, limit: int, offset: int) -> list[Comment]:
    """The event's comments that the reader may see, newest first."""
    return ctx.tx.all(
        Comment,
        f"""SELECT {_COMMENT} FROM comments c WHERE c.event_id = :event_id AND {policy.comment_visible(event)}
            ORDER BY c.id DESC LIMIT :limit OFFSET :offset""",
        event_id=event.id,
        me=policy.me(ctx),
        limit=limit,
        offset=offset,
    )


def count_of_event(ctx: Context, event: Event) -> int:
    where = f"c.event_id = :event_id AND {policy.comment_visible(event)}"
    return int(ctx.tx.value(f"SELECT count(*) FROM comments c WHERE {where}", event_id=event.id, me=policy.me(ctx)))


def count_waiting_of_event(ctx: Context, event_id: int) -> int:
    """The number of comments on the event that wait for approval."""
    return int(ctx.tx.value("SELECT count(*) FROM comments WHERE event_id = :event_id AND NOT approved", event_id=event_id))


def own_ids(ctx: Context, event_id: int) -> set[int]:
    """The ids of the actor's own comments on the event."""
    rows = ctx.tx.rows("SELECT id FROM comments WHERE event_id = :event_id AND user_id = :me", event_id=event_id, me=policy.me(ctx))
    return {row[0] for row in rows}


def of_editor(ctx: Context, limit: int, offset: int) -> list[Comment]:
    """All comments on the events that the actor may edit, newest first."""
    return ctx.tx.all(
        Comment,
        f"""SELECT {_COMMENT} FROM comments c WHERE c.event_id IN {policy.editable_event_ids(ctx)}
            ORDER BY c.id DESC LIMIT :limit OFFSET :offset""",
        me=policy.user(ctx).id,
        limit=limit,
        offset=offset,
    )


def count_of_editor(ctx: Context) -> int:
    return int(
        ctx.tx.value(f"SELECT count(*) FROM comments c WHERE c.event_id IN {policy.editable_event_ids(ctx)}", me=policy.user(ctx).id)
    )


def to_review(ctx: Context, limit: int, offset: int) -> list[Comment]:
    """The comments on the events that the actor may edit: first those that wait for approval, then the newest."""
    return ctx.tx.all(
        Comment,
        f"""SELECT {_COMMENT} FROM comments c WHERE c.event_id IN {policy.editable_event_ids(ctx)}
            ORDER BY c.approved, c.id DESC LIMIT :limit OFFSET :offset""",
        me=policy.user(ctx).id,
        limit=limit,
        offset=offset,
    )


def find_waiting(ctx: Context, limit: int, offset: int) -> list[Comment]:
    """The comments on all events that wait for approval, the oldest first."""
    sql = f"SELECT {_COMMENT} FROM comments c WHERE NOT c.approved ORDER BY c.id LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Comment, sql, limit=limit, offset=offset)


def count_waiting_of_site(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM comments c WHERE NOT c.approved"))


def count_waiting(ctx: Context) -> int:
    """The number of comments that wait for the actor's approval."""
    where = f"c.event_id IN {policy.editable_event_ids(ctx)} AND NOT c.approved"
    return int(ctx.tx.value(f"SELECT count(*) FROM comments c WHERE {where}", me=policy.user(ctx).id))


def get(ctx: Context, comment_id: int) -> Comment:
    comment = ctx.tx.one(Comment, f"SELECT {_COMMENT} FROM comments c WHERE c.id = :id", id=comment_id)
    assert comment is not None
    return comment


def find_by_ids(ctx: Context, ids: list[int]) -> list[Comment]:
    """The given comments that exist, without a permission check."""
    return ctx.tx.all(Comment, f"SELECT {_COMMENT} FROM comments c WHERE c.id {ctx.db.in_list('ids')}", ids=ids) if ids else []


def insert(ctx: Context, params: CommentInput, author: Author, *, approved: bool) -> int:
    """Insert the comment after its response, which may wait for a confirmation then."""
    comment_id: int = ctx.tx.value(
        f"""INSERT INTO comments (event_id, user_id, email_address, email_key, name, comment, response, approved, created_at, updated_at,
                                  proposed)
            VALUES (:event_id, :user_id, :email_address, :email_key, :name, :comment, :response, :approved, :now, :now,
                    {"FALSE" if author.has_proof else _IS_PROPOSED}) RETURNING id""",
        event_id=params.event_id,
        user_id=ctx.actor.id if ctx.actor else None,
        email_address=author.email_address,
        email_key=fold_case(author.email_address),
        name=author.name,
        comment=params.comment,
        response=params.response,
        approved=approved,
        now=ctx.now,
    )
    return comment_id


def confirm_responses(ctx: Context, event_id: int, email_address: str) -> None:
    """Record that the responses which the address sent with its comments are confirmed."""
    sql = "UPDATE comments SET proposed = FALSE, updated_at = :now WHERE event_id = :event_id AND email_key = :key AND proposed"
    ctx.tx.run(sql, event_id=event_id, key=fold_case(email_address), now=ctx.now)


def update(ctx: Context, comment_id: int, name: str | None, text: str, *, approved: bool) -> None:
    """Change the comment; raise NotFound if it was deleted since it was read."""
    is_there = ctx.tx.run(
        "UPDATE comments SET name = :name, comment = :comment, approved = :approved, updated_at = :now WHERE id = :id",
        id=comment_id,
        name=name,
        comment=text,
        approved=approved,
        now=ctx.now,
    )
    if not is_there:
        raise errors.NotFound


def erase_of_address(ctx: Context, event: Event, email_address: str) -> None:
    """Delete the comments of the address on the event, and on the dates of its series, with their history."""
    rows = ctx.tx.rows(
        """SELECT id, event_id FROM comments WHERE event_id = :event_id AND email_key = :key
           UNION SELECT c.id, c.event_id FROM events e JOIN comments c ON c.event_id = e.id AND c.email_key = :key
           WHERE e.series_id = :series_id""",
        event_id=event.id,
        series_id=event.series_id,
        key=fold_case(email_address),
    )
    for comment_id, event_id in rows:
        erase(ctx, comment_id, event_id)


def erase(ctx: Context, comment_id: int, event_id: int) -> None:
    """Delete the comment with its history."""
    delete(ctx, comment_id)
    journal.erase_comment(ctx, event_id, comment_id)


def delete(ctx: Context, comment_id: int) -> None:
    ctx.tx.run("DELETE FROM comments WHERE id = :id", id=comment_id)
