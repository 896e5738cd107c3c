"""The SQL of whom a calendar belongs to, and of offers to hand one over. Which of the offers count is the policy's to say."""

from msgspec import Struct

from kalends.features.calendars import store as search
from kalends.http.context import Context
from kalends.policy import OFFER_SECONDS

# How many records are changed in one transaction, while all other writes wait.
BATCH = 500

# Who gets the calendar `c` when the account of its owner is deleted: the manager who has shared it for the longest time, else the editor;
# one who can sign in first. NULL: nobody else edits it.
_SUCCESSOR = """(
    SELECT s.user_id FROM calendar_shares s JOIN users h ON h.id = s.user_id WHERE s.calendar_id = c.id AND s.role = 'editor'
    ORDER BY CASE WHEN h.status = 'active' THEN 0 ELSE 1 END, CASE WHEN s.manages THEN 0 ELSE 1 END, s.created_at, s.user_id LIMIT 1
)"""


class Bequest(Struct, frozen=True):
    """A calendar of an account that is deleted, and the user who gets it. None: it is deleted with the account."""

    calendar_id: int
    name: str
    user_id: int | None
    user_name: str | None
    user_display_name: str | None


def find_bequests(ctx: Context, owner_id: int, to: int | None) -> list[Bequest]:
    """The calendars of the user, and who gets each when the account is deleted; to: the user who gets all of them."""
    successor = _SUCCESSOR if to is None else "CAST(:to AS BIGINT)"
    rows = ctx.tx.rows(
        f"""SELECT b.id, b.name, u.id, u.user_name, coalesce(u.name, u.user_name)
            FROM (SELECT c.id, c.name, {successor} AS successor_id FROM calendars c WHERE c.owner_id = :owner_id) AS b
            LEFT JOIN users u ON u.id = b.successor_id ORDER BY b.id""",
        owner_id=owner_id,
        **({} if to is None else {"to": to}),
    )
    return [Bequest(*row) for row in rows]


def lock_bequests(ctx: Context, owner_id: int, to: int | None) -> list[Bequest]:
    """The same, of which none changes until the transaction ends: nobody can be made an editor any more."""
    for (calendar_id,) in ctx.tx.rows("SELECT id FROM calendars WHERE owner_id = :id ORDER BY id", id=owner_id):
        ctx.tx.advisory_lock(f"calendar {calendar_id}")
    return find_bequests(ctx, owner_id, to)


def find_others_with_events(ctx: Context, user_id: int) -> list[tuple[int, int]]:
    """The calendars of others with events of the user, and their owners."""
    rows = ctx.tx.rows(
        """SELECT DISTINCT c.id, c.owner_id FROM events e JOIN calendars c ON c.id = e.calendar_id
           WHERE e.owner_id = :user_id AND c.owner_id <> :user_id ORDER BY c.id""",
        user_id=user_id,
    )
    return [(calendar_id, owner_id) for calendar_id, owner_id in rows]


def find_name(ctx: Context, calendar_id: int) -> str | None:
    """The name of the calendar; None if it was deleted."""
    name: str | None = ctx.tx.value("SELECT max(name) FROM calendars WHERE id = :id", id=calendar_id)
    return name


def find_deleted_name(ctx: Context, calendar_id: int) -> str | None:
    """The name of a calendar that was deleted with its owner's account; None if nothing of it is left."""
    name: str | None = ctx.tx.value("SELECT max(name) FROM deleted_calendars WHERE calendar_id = :id", id=calendar_id)
    return name


def find_followers(ctx: Context, calendar_id: int, owner_id: int) -> list[str]:
    """The e-mail addresses of the members of a calendar, and of those who subscribed to its owner's announcements on one of its events."""
    refused = """SELECT 1 FROM suppressed_addresses x WHERE x.address_key = s.address_key AND x.channel = 'email'
                 AND x.event_id IS NULL AND (x.owner_id IS NULL OR x.owner_id = s.owner_id)"""
    rows = ctx.tx.rows(
        f"""SELECT u.email_address FROM calendar_shares m JOIN users u ON u.id = m.user_id
            WHERE m.calendar_id = :id AND u.status = 'active'
            UNION ALL
            SELECT s.address FROM subscribers s JOIN events e ON e.id = s.event_id
            WHERE s.owner_id = :owner_id AND e.calendar_id = :id AND s.channel = 'email' AND s.confirmed_at IS NOT NULL
            AND NOT EXISTS ({refused})""",
        id=calendar_id,
        owner_id=owner_id,
    )
    return [address for (address,) in rows]


def set_owner(ctx: Context, calendar_id: int, owner_id: int) -> None:
    """Make the calendar that of another user, who has a primary calendar already."""
    ctx.tx.run(
        """UPDATE calendars SET owner_id = :owner_id, is_primary = FALSE, updated_at = :now,
           revision = revision + 1, changed_at = :now, public_revision = public_revision + 1, public_changed_at = :now WHERE id = :id""",
        id=calendar_id,
        owner_id=owner_id,
        now=ctx.now,
    )
    ctx.tx.run("DELETE FROM ownership_offers WHERE calendar_id = :id", id=calendar_id)
    ctx.tx.run("DELETE FROM calendar_colors WHERE calendar_id = :id AND user_id = :owner_id", id=calendar_id, owner_id=owner_id)
    search.refresh(ctx, calendar_id=calendar_id)


def pass_on_sources(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    """Let the new owner of the calendar follow what the former one followed on it."""
    sql = "UPDATE sources SET user_id = :owner_id WHERE calendar_id = :calendar_id AND user_id = :former_id"
    ctx.tx.run(sql, calendar_id=calendar_id, former_id=former_id, owner_id=owner_id)


def set_sender(ctx: Context, event_ids: list[int], former_id: int, owner_id: int) -> None:
    """Let the mail about these events, sent or queued, be that of their new owner."""
    in_ids, users = ctx.db.in_list("ids"), {"former_id": former_id, "owner_id": owner_id}
    ctx.tx.run(f"UPDATE deliveries SET owner_id = :owner_id WHERE event_id {in_ids} AND owner_id = :former_id", ids=event_ids, **users)
    ctx.tx.run(
        f"""UPDATE change_notices SET owner_id = :owner_id WHERE owner_id = :former_id
            AND id IN (SELECT notice_id FROM changed_events WHERE event_id {in_ids})""",
        ids=event_ids,
        **users,
    )


def pass_on_deleted(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> int:
    """Make a batch of the deleted events of the calendar those of its new owner, who may restore them; returns how many they are."""
    rows = ctx.tx.rows(
        """SELECT id FROM changes WHERE calendar_id = :calendar_id AND kind IN ('event', 'calendar') AND op = 'delete'
           AND owner_id = :former_id ORDER BY id LIMIT :limit""",
        calendar_id=calendar_id,
        former_id=former_id,
        limit=BATCH,
    )
    ids = [change_id for (change_id,) in rows]
    ctx.tx.run(f"UPDATE changes SET owner_id = :owner_id WHERE id {ctx.db.in_list('ids')}", ids=ids, owner_id=owner_id)
    return len(ids)


def insert_offer(ctx: Context, calendar_id: int, user_id: int, offered_by: int) -> int:
    """Offer the calendar to the user; an offer to somebody else ends."""
    ctx.tx.run("DELETE FROM ownership_offers WHERE calendar_id = :id", id=calendar_id)
    return int(
        ctx.tx.value(
            """INSERT INTO ownership_offers (calendar_id, user_id, offered_by, created_at)
               VALUES (:calendar_id, :user_id, :offered_by, :now) RETURNING id""",
            calendar_id=calendar_id,
            user_id=user_id,
            offered_by=offered_by,
            now=ctx.now,
        )
    )


def offer_exists(ctx: Context, offer_id: int) -> bool:
    return bool(ctx.tx.rows("SELECT 1 FROM ownership_offers WHERE id = :id", id=offer_id))


def delete_offer(ctx: Context, offer_id: int) -> None:
    ctx.tx.run("DELETE FROM ownership_offers WHERE id = :id", id=offer_id)


def find_size(ctx: Context, calendar_id: int, owner_id: int) -> tuple[int, int]:
    """How many events of the owner are on the calendar, and how much text they have."""
    sql = """SELECT count(*), coalesce(sum(octet_length(search) + coalesce(octet_length(description), 0)), 0) FROM events
             WHERE calendar_id = :calendar_id AND owner_id = :owner_id"""
    [(events, text)] = ctx.tx.rows(sql, calendar_id=calendar_id, owner_id=owner_id)
    return int(events), int(text)


def clean_up_offers(ctx: Context) -> None:
    """Delete offers that have expired."""
    ctx.tx.run("DELETE FROM ownership_offers WHERE created_at <= :oldest", oldest=ctx.now - OFFER_SECONDS)
