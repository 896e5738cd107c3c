"""The actor of a request, and the rights that an action needs."""

from enum import Enum

from kalends.core import errors
from kalends.http.context import Actor, Context


class Right(Enum):
    SEE = "see"
    EDIT = "edit"
    # To delete an event, or to look at it as its editor, which is possible also while an admin hides it.
    DELETE = "delete"
    # To change the calendar itself and to share it.
    MANAGE = "manage"
    OWN = "own"


def user(ctx: Context) -> Actor:
    """The signed-in user."""
    if ctx.actor is None:
        raise errors.Unauthorized
    return ctx.actor


def me(ctx: Context) -> int:
    """The actor's user id, or 0 for a guest."""
    return ctx.actor.id if ctx.actor else 0
