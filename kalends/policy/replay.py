"""What the actor may see of the record that a request names, as a hash: a stored reply is replayed while it stays the same."""

from hashlib import blake2b
from typing import Any

from msgspec import Struct

from kalends.http.context import Context
from kalends.policy.actor import me
from kalends.policy.administration import is_admin
from kalends.policy.events import event_visible
from kalends.policy.response_link import GUEST_SEES_EVENT


class Named(Struct, frozen=True):
    """The event, comment or response that a request names. Everything else that replies show is the actor's own, or is on calendars that
    are shared with them."""

    event_id: int | None = None
    comment_id: int | None = None
    response_id: int | None = None


def access_hash(ctx: Context, named: Named) -> bytes:
    """The hash of what the actor's key opens, of their shares, of whether they administer the site, and of what they see of the named
    records."""
    records = [_event(ctx, named.event_id), _comment(ctx, named.comment_id), _response(ctx, named.response_id)]
    access = [_key(ctx), _shares(ctx), is_admin(ctx), *records]
    return blake2b(repr(access).encode(), digest_size=16).digest()


def _key(ctx: Context) -> tuple[str, str]:
    return (ctx.actor.scopes, ctx.actor.calendar_ids) if ctx.actor else ("", "")


def _shares(ctx: Context) -> list[tuple[Any, ...]]:
    sql = "SELECT calendar_id, role FROM calendar_shares WHERE user_id = :me ORDER BY calendar_id"
    return [tuple(row) for row in ctx.tx.rows(sql, me=ctx.actor.id)] if ctx.actor else []


def _event(ctx: Context, event_id: int | None) -> str | None:
    """How the actor sees the event: by their account, by its present link, or not at all."""
    if event_id is None:
        return None
    sql = f"SELECT {event_visible(ctx)}, e.by_link, e.link_number FROM events e WHERE e.id = :id"
    for is_visible, is_by_link, link_number in ctx.tx.rows(sql, id=event_id, **({"me": me(ctx)} if ctx.actor else {})):
        return "visible" if is_visible else f"link {link_number}" if is_by_link else None
    return None


def _comment(ctx: Context, comment_id: int | None) -> str | None:
    event_id = ctx.tx.value("SELECT event_id FROM comments WHERE id = :id", id=comment_id) if comment_id is not None else None
    return _event(ctx, event_id)


def _response(ctx: Context, response_id: int | None) -> tuple[Any, ...] | None:
    """What the actor sees of the event, and, for a guest with the personal link, the version of the link and what they see with it."""
    if response_id is None:
        return None
    sql = f"SELECT e.id, r.link_version, {GUEST_SEES_EVENT} FROM responses r JOIN events e ON e.id = r.event_id WHERE r.id = :id"
    for event_id, link_version, is_seen in ctx.tx.rows(sql, id=response_id):
        return (_event(ctx, event_id),) if ctx.actor else (link_version, bool(is_seen))
    return None
