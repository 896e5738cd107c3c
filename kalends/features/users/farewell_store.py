"""The SQL of mail to guests about events that are deleted with an account."""

from kalends.http.context import Context

# How many events are looked at, and how many messages passed on, in one transaction.
EVENTS, MESSAGES = 100, 500
# The index of the messages that wait begins with the channel.
_OF_ACCOUNT = "channel IN ('email', 'sms') AND owner_id = :user_id AND cause LIKE 'change:%' AND state IN ('queued', 'sending')"


def find_coming(ctx: Context, calendar_id: int, after: int) -> list[int]:
    """The next events of the calendar that are not over and have guests, or people who were invited."""
    rows = ctx.tx.rows(
        f"""SELECT e.id FROM events e WHERE e.calendar_id = :id AND e.id > :after AND e.until_at > :now AND (
                EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id)
                OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = e.id)
                OR EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = e.series_id))
            ORDER BY e.id LIMIT {EVENTS}""",
        id=calendar_id,
        after=after,
        now=ctx.now,
    )
    return [event_id for (event_id,) in rows]


def pass_on(ctx: Context, user_id: int, admin_id: int) -> bool:
    """Let messages about changes be those of the admin, so that they are sent; returns whether there may be more."""
    rows = ctx.tx.rows(f"SELECT id, cause FROM deliveries WHERE {_OF_ACCOUNT} ORDER BY id LIMIT {MESSAGES}", user_id=user_id)
    in_list = ctx.db.in_list("ids")
    ctx.tx.run(f"UPDATE deliveries SET owner_id = :admin WHERE id {in_list}", ids=[row[0] for row in rows], admin=admin_id)
    notices = sorted({int(cause.partition(":")[2]) for _, cause in rows})
    ctx.tx.run(f"UPDATE change_notices SET owner_id = :admin WHERE id {in_list}", ids=notices, admin=admin_id)
    return len(rows) == MESSAGES
