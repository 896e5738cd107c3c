"""The SQL of messages to guests."""

from collections.abc import Collection

from msgspec import Struct

from kalends.db import columns
from kalends.features.deliveries.store import RETENTION
from kalends.features.responses import guest_list_store as guests
from kalends.features.responses.guest_list_store import TABS, Guest
from kalends.http.context import Context

PREFIX = "message:"
# The groups of those who have responded.
_GROUPS = {"going": TABS["going"], "maybe": TABS["maybe"], "waiting": TABS["waiting"], "no": TABS["no"]}
_MAILS = f"SELECT count(*) FROM deliveries d WHERE d.cause = '{PREFIX}' || m.id"
_IN_BATCHES = f"SELECT CAST(coalesce(sum(b.size), 0) AS BIGINT) FROM delivery_batches b WHERE b.cause = '{PREFIX}' || m.id"


class GuestMessage(Struct, frozen=True):
    """A row of the table `messages`."""

    id: int
    event_id: int
    subject: str
    text: str
    created_at: int


class GuestMessageWithCounts(GuestMessage, frozen=True):
    """A message, and the numbers of its mails: all, those that were sent, and those that could not be, or were only written to files."""

    mails: int
    sent: int
    failed: int


_WITH_COUNTS = columns(
    GuestMessageWithCounts,
    "m",
    mails=f"({_MAILS}) + ({_IN_BATCHES}) AS mails",
    sent=f"({_MAILS} AND d.state = 'sent' AND d.error IS NULL) AS sent",
    failed=f"({_MAILS} AND (d.state = 'failed' OR d.state = 'sent' AND d.error IS NOT NULL)) AS failed",
)


def cause(message_id: int) -> str:
    """What the mails of a message are sent for: each address gets one."""
    return f"{PREFIX}{message_id}"


def find_guests(ctx: Context, event_id: int, groups: Collection[str], response_ids: Collection[int]) -> list[Guest]:
    """The guests of the event who are in one of the groups or have one of the ids."""
    conditions = [f"({_GROUPS[group]})" for group in groups if group in _GROUPS]
    if response_ids:
        conditions.append(f"r.id {ctx.db.in_list('ids')}")
    if not conditions:
        return []
    params = {"ids": list(response_ids)} if response_ids else {}
    return guests.find_guests(ctx, f"r.event_id = :event_id AND ({' OR '.join(conditions)})", event_id=event_id, **params)


def insert(ctx: Context, event_id: int, subject: str, text: str) -> int:
    message_id: int = ctx.tx.value(
        "INSERT INTO messages (event_id, subject, text, created_at) VALUES (:event_id, :subject, :text, :now) RETURNING id",
        event_id=event_id,
        subject=subject,
        text=text,
        now=ctx.now,
    )
    return message_id


def find_by_cause(ctx: Context, cause: str) -> GuestMessage | None:
    sql = f"SELECT {columns(GuestMessage)} FROM messages WHERE id = :id"
    return ctx.tx.one(GuestMessage, sql, id=int(cause.removeprefix(PREFIX)))


def of_event(ctx: Context, event_id: int, limit: int, offset: int) -> list[GuestMessageWithCounts]:
    """The messages to the guests of the event, newest first."""
    sql = f"SELECT {_WITH_COUNTS} FROM messages m WHERE m.event_id = :event_id ORDER BY m.id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(GuestMessageWithCounts, sql, event_id=event_id, limit=limit, offset=offset)


def count_of_event(ctx: Context, event_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM messages WHERE event_id = :event_id", event_id=event_id))


def clean_up(ctx: Context) -> None:
    """Delete messages whose mails are deleted, too."""
    ctx.tx.run("DELETE FROM messages WHERE created_at < :old", old=ctx.now - RETENTION)
