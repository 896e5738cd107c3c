"""The SQL of push subscriptions."""

from msgspec import Struct

from kalends.dav.books.sync import KINDS as BOOK_KINDS
from kalends.dav.calendars.sync import KINDS as CALENDAR_KINDS
from kalends.db import columns
from kalends.features.changes.journal_store import Journal
from kalends.http.context import Context

# For how long changes are collected before they are told.
QUIET = 10


class Subscription(Struct, frozen=True):
    """A device that follows a calendar or an address book of its user."""

    id: int
    user_id: int
    # One of these is None.
    calendar_id: int | None
    book_id: int | None
    topic: str
    url: str
    public_key: str
    auth_secret: str
    tx: int
    entry_id: int
    failures: int


_COLUMNS = columns(Subscription)


def _kinds(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def upsert(ctx: Context, new: Subscription, key_id: str | None, journal: Journal, expires_at: int) -> int:
    """Store the subscription for the changes from now on; it takes the place of the one that the device had."""
    subscription_id: int = ctx.tx.value(
        """INSERT INTO push_subscriptions (user_id, key_id, calendar_id, book_id, topic, url, public_key, auth_secret, epoch, tx, entry_id,
                                           next_at, expires_at, created_at)
           VALUES (:user_id, :key_id, :calendar_id, :book_id, :topic, :url, :public_key, :auth_secret, :epoch, :tx, :entry_id,
                   :now, :expires_at, :now)
           ON CONFLICT (user_id, topic, url) DO UPDATE SET key_id = excluded.key_id, public_key = excluded.public_key,
               auth_secret = excluded.auth_secret, expires_at = excluded.expires_at, failures = 0, next_at = excluded.next_at
           RETURNING id""",
        user_id=new.user_id,
        key_id=key_id,
        calendar_id=new.calendar_id,
        book_id=new.book_id,
        topic=new.topic,
        url=new.url,
        public_key=new.public_key,
        auth_secret=new.auth_secret,
        epoch=journal.epoch,
        tx=journal.newest[0],
        entry_id=journal.newest[1],
        expires_at=expires_at,
        now=ctx.now,
    )
    return subscription_id


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM push_subscriptions WHERE user_id = :user_id", user_id=user_id))


def delete_own(ctx: Context, user_id: int, subscription_id: int) -> bool:
    sql = "DELETE FROM push_subscriptions WHERE id = :id AND user_id = :user_id AND expires_at > :now"
    return ctx.tx.run(sql, id=subscription_id, user_id=user_id, now=ctx.now) == 1


def delete(ctx: Context, subscription_id: int) -> None:
    ctx.tx.run("DELETE FROM push_subscriptions WHERE id = :id", id=subscription_id)


def find_due(ctx: Context, journal: Journal, limit: int) -> list[Subscription]:
    """The subscriptions with a change that is old enough to be told, and those from before the database was restored."""
    after = f"{ctx.db.is_after_row} AND (n.tx, n.id) <= (:end_tx, :end_id) AND n.at <= :old"
    of_calendar = f"SELECT 1 FROM sync_entries n WHERE n.calendar_id = s.calendar_id AND n.kind IN ({_kinds(CALENDAR_KINDS)}) AND {after}"
    # An event that a calendar has, though that lets nobody see it, is a matter of its user alone.
    own = f"""SELECT 1 FROM sync_entries n JOIN placements p ON p.event_id = n.record_id AND p.calendar_id = s.calendar_id AND NOT p.grants
              WHERE s.calendar_id IS NOT NULL AND n.user_id = s.user_id AND n.kind = 'event' AND {after}"""
    of_book = f"""SELECT 1 FROM sync_entries n WHERE s.book_id IS NOT NULL AND n.user_id = s.user_id
                  AND n.kind IN ({_kinds(BOOK_KINDS)}) AND {after}"""
    return ctx.tx.all(
        Subscription,
        f"""SELECT {_COLUMNS} FROM push_subscriptions s WHERE next_at <= :now AND leased_until <= :now AND expires_at > :now
            AND (s.epoch <> :epoch OR EXISTS ({of_calendar}) OR EXISTS ({own}) OR EXISTS ({of_book})) ORDER BY next_at LIMIT :limit""",
        now=ctx.now,
        old=ctx.now - QUIET,
        epoch=journal.epoch,
        end_tx=journal.end[0],
        end_id=journal.end[1],
        limit=limit,
    )


def claim(ctx: Context, subscription: Subscription, lease: int) -> bool:
    """Reserve the subscription for this worker, unless another one has sent since."""
    sql = """UPDATE push_subscriptions SET leased_until = :until
             WHERE id = :id AND leased_until <= :now AND tx = :tx AND entry_id = :entry_id AND failures = :failures"""
    params = {"id": subscription.id, "tx": subscription.tx, "entry_id": subscription.entry_id, "failures": subscription.failures}
    return ctx.tx.run(sql, now=ctx.now, until=ctx.now + lease, **params) == 1


def succeed(ctx: Context, subscription_id: int, journal: Journal) -> None:
    """The device knows of everything up to the end of the journal."""
    ctx.tx.run(
        """UPDATE push_subscriptions SET epoch = :epoch, tx = :tx, entry_id = :entry_id, failures = 0, next_at = :now, leased_until = 0
           WHERE id = :id""",
        id=subscription_id,
        epoch=journal.epoch,
        tx=journal.end[0],
        entry_id=journal.end[1],
        now=ctx.now,
    )


def fail(ctx: Context, subscription: Subscription, next_at: int) -> None:
    sql = "UPDATE push_subscriptions SET failures = failures + 1, next_at = :next_at, leased_until = 0 WHERE id = :id"
    ctx.tx.run(sql, id=subscription.id, next_at=next_at)


def clean_up(ctx: Context) -> None:
    """Delete what has expired."""
    ctx.tx.run("DELETE FROM push_subscriptions WHERE expires_at <= :now", now=ctx.now)
