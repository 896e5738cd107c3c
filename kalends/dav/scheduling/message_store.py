"""The SQL of the invitations in the inboxes of users."""

from kalends.core.records.response import Invitation
from kalends.db import columns
from kalends.http.context import Context


class Message(Invitation, frozen=True):
    """An invitation in an inbox."""

    message_id: int


_SELECT = f"""SELECT {columns(Message, "i", message_id="m.id AS message_id")}
              FROM dav_messages m JOIN invitations i ON i.id = m.invitation_id WHERE m.user_id = :user_id"""


# Clients that never delete any get the newest ones.
MAX_LISTED = 200


def find_all(ctx: Context, user_id: int) -> list[Message]:
    return ctx.tx.all(Message, f"{_SELECT} ORDER BY m.id DESC LIMIT {MAX_LISTED}", user_id=user_id)


def find(ctx: Context, user_id: int, message_id: int) -> Message | None:
    return ctx.tx.one(Message, f"{_SELECT} AND m.id = :id", user_id=user_id, id=message_id)


def insert(ctx: Context, user_id: int, invitation_id: int) -> None:
    """Put the invitation into the inbox, unless it is there."""
    ctx.tx.run(
        """INSERT INTO dav_messages (user_id, invitation_id, created_at) VALUES (:user_id, :invitation_id, :now)
           ON CONFLICT (user_id, invitation_id) DO NOTHING""",
        user_id=user_id,
        invitation_id=invitation_id,
        now=ctx.now,
    )


def delete(ctx: Context, message_id: int) -> None:
    ctx.tx.run("DELETE FROM dav_messages WHERE id = :id", id=message_id)
