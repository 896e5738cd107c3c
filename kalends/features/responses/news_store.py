"""News of organisers: new responses and comments, in mail, immediately or once a day, as each of them wishes, and in a list."""

from datetime import datetime, time, timedelta

from msgspec import Struct

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.core.records.response import Attendance
from kalends.core.values import datetimes
from kalends.features.deliveries import store as deliveries
from kalends.features.users import store as users
from kalends.http.context import Context

# The hour, in the organiser's time zone, at which they get the news of the day before.
DIGEST_HOUR = 8
# The seconds between two messages to an organiser who is notified immediately: what happens in between is in one.
PAUSE = 300
# The organisers for whom one round of the worker queues mail.
BATCH = 500


class News(Struct, frozen=True):
    """A row of the table `organiser_news`."""

    id: int
    owner_id: int
    response_id: int | None
    comment_id: int | None
    at: int


class NewsItem(Struct, frozen=True):
    """An RSVP or, without a response, a comment on an event that the actor may edit."""

    id: int
    at: int
    event_id: int
    title: str
    name: str | None
    response_id: int | None
    response: Attendance | None
    people: int | None


def notify_organiser(ctx: Context, event: Event, *, response_id: int | None = None, comment_id: int | None = None) -> None:
    """Notify the organiser of the event, as they wish, that someone responded to it or commented on it, unless they did so themselves."""
    owner = users.get_organiser(ctx, event.id)
    if policy.me(ctx) == owner.id:
        return
    if owner.verified_at is None or owner.response_notices == "off":
        return
    ctx.tx.run(
        """INSERT INTO organiser_news (owner_id, response_id, comment_id, at, due_at)
           VALUES (:owner_id, :response_id, :comment_id, :now, :due_at)
           ON CONFLICT (owner_id, response_id) WHERE delivery_id IS NULL DO UPDATE
           SET due_at = CASE WHEN excluded.due_at < organiser_news.due_at THEN excluded.due_at ELSE organiser_news.due_at END""",
        owner_id=owner.id,
        response_id=response_id,
        comment_id=comment_id,
        now=ctx.now,
        due_at=_due_at(ctx, owner),
    )


def reschedule(ctx: Context, user: User) -> None:
    """Follow a change of the user's wish: what they were not notified of yet is sent then, or not at all."""
    if user.response_notices == "off":
        ctx.tx.run("DELETE FROM organiser_news WHERE owner_id = :id AND delivery_id IS NULL", id=user.id)
        return
    sql = "UPDATE organiser_news SET due_at = :due_at WHERE owner_id = :id AND delivery_id IS NULL"
    ctx.tx.run(sql, id=user.id, due_at=_due_at(ctx, user))


def queue_mail(ctx: Context) -> None:
    """Queue a message for each organiser who is to be notified of something now."""
    with ctx.read():
        owners = ctx.tx.rows(
            "SELECT DISTINCT owner_id FROM organiser_news WHERE delivery_id IS NULL AND due_at <= :now LIMIT :limit",
            now=ctx.now,
            limit=BATCH,
        )
    for (owner_id,) in owners:
        with ctx.write():
            _queue_one(ctx, users.get(ctx, owner_id))


def _queue_one(ctx: Context, owner: User) -> None:
    ctx.tx.advisory_lock(f"news of {owner.id}")
    due = "owner_id = :id AND delivery_id IS NULL AND due_at <= :now"
    if ctx.tx.rows(f"SELECT 1 FROM organiser_news WHERE {due} LIMIT 1", id=owner.id, now=ctx.now):
        delivery_id = deliveries.insert_notice(ctx, owner, "response_news")
        ctx.tx.run(f"UPDATE organiser_news SET delivery_id = :delivery_id WHERE {due}", id=owner.id, now=ctx.now, delivery_id=delivery_id)


def of_delivery(ctx: Context, delivery_id: int) -> list[News]:
    """What the message is about, without what was removed since, and what its recipient may no longer read."""
    event_id = """coalesce(
        (SELECT r.event_id FROM responses r WHERE r.id = n.response_id), (SELECT o.event_id FROM comments o WHERE o.id = n.comment_id))"""
    sql = f"""SELECT n.id, n.owner_id, n.response_id, n.comment_id, n.at FROM organiser_news n WHERE n.delivery_id = :id AND EXISTS (
                  SELECT 1 FROM events e JOIN calendars c ON c.id = e.calendar_id
                  WHERE e.id = {event_id} AND {policy.EVENT_EDITABLE.replace(":me", "n.owner_id")}) ORDER BY n.id"""
    return ctx.tx.all(News, sql, id=delivery_id)


def _due_at(ctx: Context, owner: User) -> int:
    if owner.response_notices == "daily":
        return _next_morning(ctx.now, owner.time_zone)
    last = ctx.tx.value("SELECT max(due_at) FROM organiser_news WHERE owner_id = :id AND delivery_id IS NOT NULL", id=owner.id)
    return max(ctx.now, (last or 0) + PAUSE)


def _next_morning(now: int, zone: str) -> int:
    local = datetimes.to_local(now, zone)
    day = local.date() + timedelta(days=1 if local.hour >= DIGEST_HOUR else 0)
    return datetimes.to_instant(datetime.combine(day, time(DIGEST_HOUR)), zone)


def find_latest(ctx: Context, limit: int) -> list[NewsItem]:
    """The latest news of the actor's events, the newest first, sent or not."""
    return ctx.tx.all(
        NewsItem,
        f"""SELECT n.id, n.at, e.id, e.title, coalesce(r.name, r.email_address, o.name), r.id, r.response, r.number + r.plus_n
            FROM organiser_news n
            LEFT JOIN responses r ON r.id = n.response_id LEFT JOIN comments o ON o.id = n.comment_id
            JOIN events e ON e.id = coalesce(r.event_id, o.event_id) JOIN calendars c ON c.id = e.calendar_id
            WHERE n.owner_id = :me AND {policy.EVENT_EDITABLE} ORDER BY n.id DESC LIMIT :limit""",
        me=policy.user(ctx).id,
        limit=limit,
    )
