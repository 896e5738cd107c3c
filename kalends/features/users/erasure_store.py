"""The SQL of the end of an account: the mail to its guests before, and what is stored of its person outside the account, in any table."""

from kalends.core.records.response import Invitation
from kalends.db import columns
from kalends.db.text_search import escape_like
from kalends.http.context import Context

# How many ids of a table are searched in one read.
WINDOW = 20_000
# The rows of a table that the account or its address wrote, or that are for its address.
OWN, ADDRESSED = "user_id = :user_id", "email_key = :key"
OWN_OR_ADDRESSED = f"({OWN} OR {ADDRESSED})"
# Tables without an index by address, and the condition of the rows to delete.
BY_ADDRESS = {
    "subscribers": "address_key = :key",
    "series_responses": ADDRESSED,
    "proposals": ADDRESSED,
    "calendar_invitations": ADDRESSED,
    "cohosts": ADDRESSED,
    "account_invitations": ADDRESSED,
    "reports": "lower(email_address) = :key",
    "cancellations": ADDRESSED,
    "suppressed_addresses": "address_key IN (:key, :mailbox)",
    "deliveries": "address_key IN (:key, :mailbox)",
}
# How many events are looked at, and how many messages passed on, in one transaction.
EVENTS_AT_ONCE, MESSAGES_AT_ONCE = 100, 500
# The index of the messages that wait begins with the channel.
_OF_ACCOUNT = "channel IN ('email', 'sms') AND owner_id = :user_id AND cause LIKE 'change:%' AND state IN ('queued', 'sending')"


def find_ids(ctx: Context, table: str, condition: str, params: dict[str, int | str], after: int) -> tuple[list[int], int]:
    """The ids of the rows with this condition, among the next ids of the table, and its last id."""
    sql = f"SELECT id FROM {table} WHERE id > :after AND id <= :end AND {condition}"
    ids = [row_id for (row_id,) in ctx.tx.rows(sql, after=after, end=after + WINDOW, **params)]
    return ids, int(ctx.tx.value(f"SELECT coalesce(max(id), 0) FROM {table}"))


def rename_calendars(ctx: Context, ids: list[int], name: str, new_name: str) -> None:
    """Rename the calendars whose names have this name."""
    ctx.tx.run(
        f"""UPDATE calendars SET name = :new_name WHERE id {ctx.db.in_list("ids")} AND lower(name) LIKE :name ESCAPE '\\'""",
        ids=ids,
        name=f"%{escape_like(name.lower())}%",
        new_name=new_name,
    )


def empty_descriptions(ctx: Context, ids: list[int], text: str) -> None:
    """Remove the descriptions of the calendars that have the text."""
    ctx.tx.run(
        f"""UPDATE calendars SET description = NULL WHERE id {ctx.db.in_list("ids")} AND lower(description) LIKE :text ESCAPE '\\'""",
        ids=ids,
        text=f"%{escape_like(text.lower())}%",
    )


def find_invitations(ctx: Context, ids: list[int]) -> list[tuple[Invitation, int]]:
    """The invitations to events, each with the id of the organiser."""
    in_ids = f"id {ctx.db.in_list('ids')}"
    owners = dict(ctx.tx.rows(f"SELECT id, owner_id FROM invitations WHERE {in_ids}", ids=ids))
    rows = ctx.tx.all(Invitation, f"SELECT {columns(Invitation)} FROM invitations WHERE {in_ids}", ids=ids)
    return [(invitation, owners[invitation.id]) for invitation in rows]


def delete(ctx: Context, table: str, ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM {table} WHERE id {ctx.db.in_list('ids')}", ids=ids)


def find_coming_events(ctx: Context, calendar_id: int, after: int) -> list[int]:
    """The next events of the calendar that are not over and have guests, or people who were invited."""
    rows = ctx.tx.rows(
        f"""SELECT e.id FROM events e WHERE e.calendar_id = :id AND e.id > :after AND e.until_at > :now AND (
                EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id)
                OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = e.id)
                OR EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = e.series_id))
            ORDER BY e.id LIMIT {EVENTS_AT_ONCE}""",
        id=calendar_id,
        after=after,
        now=ctx.now,
    )
    return [event_id for (event_id,) in rows]


def pass_on_messages(ctx: Context, user_id: int, admin_id: int) -> bool:
    """Let messages about changes be those of the admin, so that they are sent; returns whether there may be more."""
    rows = ctx.tx.rows(f"SELECT id, cause FROM deliveries WHERE {_OF_ACCOUNT} ORDER BY id LIMIT {MESSAGES_AT_ONCE}", user_id=user_id)
    in_list = ctx.db.in_list("ids")
    ctx.tx.run(f"UPDATE deliveries SET owner_id = :admin WHERE id {in_list}", ids=[row[0] for row in rows], admin=admin_id)
    notices = sorted({int(cause.partition(":")[2]) for _, cause in rows})
    ctx.tx.run(f"UPDATE change_notices SET owner_id = :admin WHERE id {in_list}", ids=notices, admin=admin_id)
    return len(rows) == MESSAGES_AT_ONCE
