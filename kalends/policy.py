"""Who may see and do what: the only place. A record that the actor may not see is NotFound, one that they may see and
not change is Forbidden."""

from enum import Enum

from kalends import errors
from kalends.calendars.model import Calendar
from kalends.context import Actor, Context
from kalends.db import columns
from kalends.keys.model import Key
from kalends.sessions.model import Session


class Right(Enum):
    SEE = "see"
    EDIT = "edit"
    OWN = "own"


# Calendars with the role that the actor (:me, 0 for a guest) has in each.
CALENDARS = """
SELECT c.id, c.owner_id, c.name, c.description, c.color, c.time_zone, c.public, c.moderation, c.is_primary,
       c.created_at, c.updated_at, coalesce(u.name, u.user_name),
       CASE WHEN c.owner_id = :me THEN 'owner' ELSE s.role END
FROM calendars c
JOIN users u ON u.id = c.owner_id
LEFT JOIN calendar_shares s ON s.calendar_id = c.id AND s.user_id = :me
"""


def user(ctx: Context) -> Actor:
    """The signed-in user."""
    if ctx.actor is None:
        raise errors.Unauthorized
    return ctx.actor


def me(ctx: Context) -> int:
    """The actor's user id, or 0 for a guest."""
    return ctx.actor.id if ctx.actor else 0


def may_register(ctx: Context) -> None:
    if ctx.settings.registration == "closed":
        raise errors.Forbidden("Registration is closed here. Ask the operator for an account.")


def oneself(ctx: Context, user_id: int) -> Actor:
    """Users see and change themselves only."""
    if user(ctx).id != user_id:
        raise errors.NotFound
    return user(ctx)


def session(ctx: Context, session_id: str) -> Session:
    """A live session of the actor's own; `current` is the one in use."""
    wanted = user(ctx).session_id if session_id == "current" else session_id
    found = ctx.tx.one(
        Session,
        f"SELECT {columns(Session)} FROM sessions WHERE id = :id AND user_id = :me",
        id=wanted or "",
        me=user(ctx).id,
    )
    if found is None or ctx.now >= found.expires_at:
        raise errors.NotFound
    return found


def key(ctx: Context, key_id: str) -> Key:
    """A key of the actor's own."""
    found = ctx.tx.one(Key, f"SELECT {columns(Key)} FROM keys WHERE id = :id AND user_id = :me", id=key_id, me=user(ctx).id)
    if found is None:
        raise errors.NotFound
    return found


def calendar(ctx: Context, calendar_id: int, *, to: Right) -> Calendar:
    """The calendar, if the actor may do this to it."""
    found = ctx.tx.one(Calendar, f"{CALENDARS} WHERE c.id = :id", id=calendar_id, me=me(ctx))
    if found is None or not (found.public or found.role):
        raise errors.NotFound
    if to is Right.SEE:
        return found
    user(ctx)
    if to is Right.EDIT and not can_edit(found):
        raise errors.Forbidden("Only the calendar's owner and its editors may do this.")
    if to is Right.OWN and found.role != "owner":
        raise errors.Forbidden("Only the calendar's owner may do this.")
    return found


def can_edit(found: Calendar) -> bool:
    return found.role in ("owner", "editor")
