"""The SQL of sharing: invitations by the owner, the shares that result from them, and the grants that end with a share."""

from msgspec import Struct

from kalends.core.values.text import fold_case
from kalends.features.blocks import store as blocks
from kalends.features.calendars.model import Role, Share
from kalends.features.events.placements import grant_store as grants
from kalends.http.context import Context

# Whether an invitation has no effect: its user blocks the owner of the calendar, or owns it.
_IS_VOID = """EXISTS (
    SELECT 1 FROM calendars c LEFT JOIN blocks b ON b.owner_id = c.owner_id AND b.user_id = calendar_invitations.user_id
    WHERE c.id = calendar_invitations.calendar_id AND (b.user_id IS NOT NULL OR c.owner_id = calendar_invitations.user_id)
)"""
# The role as people know it: a manager is stored as an editor who manages.
_ROLE = "CASE WHEN i.manages THEN 'manager' ELSE i.role END"
_SELECT = f"""SELECT i.id, {_ROLE}, c.name, i.user_id, i.email_key IS NOT NULL, i.declined
    FROM calendar_invitations i JOIN calendars c ON c.id = i.calendar_id"""


class Invitation(Struct, frozen=True):
    """An invitation to a calendar, by user name or by e-mail address."""

    id: int
    role: Role
    calendar_name: str
    user_id: int | None
    by_address: bool
    declined: bool


def index(ctx: Context, calendar_id: int) -> list[Share]:
    """The invitations to the calendar. They do not disclose whether an e-mail address has an account."""
    rows = ctx.tx.rows(
        f"""SELECT i.email_address, u.user_name, u.name, {_ROLE} FROM calendar_invitations i LEFT JOIN users u ON u.id = i.user_id
           WHERE i.calendar_id = :id ORDER BY i.id""",
        id=calendar_id,
    )
    return [_share(*row) for row in rows]


def _share(email_address: str | None, user_name: str, name: str | None, role: Role) -> Share:
    if email_address is not None:
        return Share(role=role, email_address=email_address)
    return Share(role=role, user_name=user_name, name=name)


def invite_user(ctx: Context, calendar_id: int, user_id: int, role: str) -> None:
    """Share the calendar with a user, or change their role."""
    ctx.tx.run(
        """INSERT INTO calendar_invitations (calendar_id, user_id, role, manages, created_at)
           VALUES (:calendar_id, :user_id, :role, :manages, :now)
           ON CONFLICT (calendar_id, user_id) WHERE email_key IS NULL DO UPDATE SET role = excluded.role, manages = excluded.manages""",
        calendar_id=calendar_id,
        user_id=user_id,
        **_stored(role),
        now=ctx.now,
    )
    _set_declined(ctx, "calendar_id = :calendar_id AND user_id = :user_id AND email_key IS NULL", calendar_id=calendar_id, user_id=user_id)
    _apply_invitations(ctx, calendar_id, user_id)


def invite_address(ctx: Context, calendar_id: int, email_address: str, role: str) -> None:
    """Share the calendar with the user who has verified the address, or will. The same work is done in both cases."""
    ctx.tx.run(
        """INSERT INTO calendar_invitations (calendar_id, user_id, email_address, email_key, role, manages, created_at)
           VALUES (:calendar_id, (SELECT id FROM users WHERE email_key = :email_key AND verified_at IS NOT NULL),
                   :email_address, :email_key, :role, :manages, :now)
           ON CONFLICT (calendar_id, email_key) DO UPDATE SET role = excluded.role, manages = excluded.manages,
           email_address = excluded.email_address, user_id = coalesce(calendar_invitations.user_id, excluded.user_id)""",
        calendar_id=calendar_id,
        email_address=email_address,
        email_key=fold_case(email_address),
        **_stored(role),
        now=ctx.now,
    )
    user_id = _set_declined(
        ctx, "calendar_id = :calendar_id AND email_key = :email_key", calendar_id=calendar_id, email_key=fold_case(email_address)
    )
    _apply_to_address(ctx, calendar_id, user_id)


def _stored(role: str) -> dict[str, str | bool]:
    return {"role": "editor" if role == "manager" else role, "manages": role == "manager"}


def claim(ctx: Context, user_id: int, email_address: str) -> None:
    """Give the user, who has just verified the address, the calendars that were shared with it."""
    own = "SELECT id FROM calendars WHERE owner_id = :user_id"
    rows = ctx.tx.rows(
        f"""UPDATE calendar_invitations SET user_id = :user_id
            WHERE email_key = :email_key AND user_id IS NULL AND NOT declined AND calendar_id NOT IN ({own}) RETURNING id, calendar_id""",
        user_id=user_id,
        email_key=fold_case(email_address),
    )
    for invitation_id, calendar_id in rows:
        _set_declined(ctx, "id = :id", id=invitation_id)
        _apply_invitations(ctx, calendar_id, user_id)


def withdraw_user(ctx: Context, calendar_id: int, user_id: int) -> str | None:
    """Delete the invitation of a user by name, and return its role."""
    rows = ctx.tx.rows(
        "DELETE FROM calendar_invitations WHERE calendar_id = :calendar_id AND user_id = :user_id AND email_key IS NULL RETURNING role",
        calendar_id=calendar_id,
        user_id=user_id,
    )
    _apply_invitations(ctx, calendar_id, user_id)
    grants.revoke_on(ctx, calendar_id)
    return str(rows[0][0]) if rows else None


def withdraw_address(ctx: Context, calendar_id: int, email_address: str) -> tuple[str | None, int | None]:
    """Delete the invitation of an e-mail address; returns its role, and the user who has verified the address."""
    rows = ctx.tx.rows(
        "DELETE FROM calendar_invitations WHERE calendar_id = :calendar_id AND email_key = :email_key RETURNING role, user_id",
        calendar_id=calendar_id,
        email_key=fold_case(email_address),
    )
    role, user_id = rows[0] if rows else (None, None)
    _apply_to_address(ctx, calendar_id, user_id)
    grants.revoke_on(ctx, calendar_id)
    return role, user_id


def count_shares(ctx: Context, calendar_ids: list[int]) -> dict[int, int]:
    """With how many people each of the calendars is shared, if with any."""
    sql = f"SELECT calendar_id, count(*) FROM calendar_shares WHERE calendar_id {ctx.db.in_list('ids')} GROUP BY calendar_id"
    return dict(ctx.tx.rows(sql, ids=calendar_ids))


def is_editor(ctx: Context, calendar_id: int, user_id: int) -> bool:
    """Whether the user edits the calendar by a share."""
    sql = "SELECT 1 FROM calendar_shares WHERE calendar_id = :calendar_id AND user_id = :user_id AND role = 'editor'"
    return bool(ctx.tx.rows(sql, calendar_id=calendar_id, user_id=user_id))


def find_user_of(ctx: Context, calendar_id: int, email_address: str) -> int | None:
    """The user who has verified the address with which the calendar is shared."""
    user_id: int | None = ctx.tx.value(
        "SELECT user_id FROM calendar_invitations WHERE calendar_id = :calendar_id AND email_key = :email_key",
        calendar_id=calendar_id,
        email_key=fold_case(email_address),
    )
    return user_id


def find(ctx: Context, calendar_id: int, *, user_id: int | None = None, email_address: str = "") -> Invitation | None:
    """The invitation of the user by name, or of the e-mail address."""
    return ctx.tx.one(
        Invitation,
        f"{_SELECT} WHERE i.calendar_id = :calendar_id AND (i.email_key = :email_key OR (i.email_key IS NULL AND i.user_id = :user_id))",
        calendar_id=calendar_id,
        email_key=fold_case(email_address),
        user_id=user_id,
    )


def find_by_id(ctx: Context, invitation_id: int) -> Invitation | None:
    return ctx.tx.one(Invitation, f"{_SELECT} WHERE i.id = :id", id=invitation_id)


def leave(ctx: Context, calendar_id: int, user_id: int) -> None:
    """End the user's share. An invitation by e-mail address stays on the owner's list, as declined."""
    ctx.tx.run(
        "DELETE FROM calendar_invitations WHERE calendar_id = :calendar_id AND user_id = :user_id AND email_key IS NULL",
        calendar_id=calendar_id,
        user_id=user_id,
    )
    ctx.tx.run(
        "UPDATE calendar_invitations SET declined = TRUE WHERE calendar_id = :calendar_id AND user_id = :user_id",
        calendar_id=calendar_id,
        user_id=user_id,
    )
    _apply_invitations(ctx, calendar_id, user_id)
    grants.revoke_on(ctx, calendar_id)


def block(ctx: Context, user_id: int, owner_id: int) -> list[int]:
    """Leave every calendar that the owner shares with the user; what they share later has no effect. Returns these calendars."""
    blocks.insert(ctx, user_id, owner_id)
    rows = ctx.tx.rows(
        """SELECT s.calendar_id, s.role FROM calendar_shares s JOIN calendars c ON c.id = s.calendar_id
           WHERE s.user_id = :user_id AND c.owner_id = :owner_id ORDER BY s.calendar_id""",
        user_id=user_id,
        owner_id=owner_id,
    )
    for calendar_id, role in rows:
        leave(ctx, calendar_id, user_id)
        if role == "editor":
            reset_feed(ctx, calendar_id)
    return [calendar_id for calendar_id, _ in rows]


def end_blocked(ctx: Context, calendar_ids: list[int]) -> None:
    """End the shares of these calendars with people who block their owner."""
    if calendar_ids:
        ctx.tx.run(
            f"""DELETE FROM calendar_shares WHERE calendar_id {ctx.db.in_list("ids")} AND EXISTS (
                    SELECT 1 FROM blocks b JOIN calendars c ON c.owner_id = b.owner_id
                    WHERE c.id = calendar_shares.calendar_id AND b.user_id = calendar_shares.user_id)""",
            ids=calendar_ids,
        )


def end_own(ctx: Context, calendar_id: int, owner_id: int) -> None:
    """End the share of a user who owns the calendar now."""
    own = {"calendar_id": calendar_id, "user_id": owner_id}
    ctx.tx.run("DELETE FROM calendar_invitations WHERE calendar_id = :calendar_id AND user_id = :user_id", **own)
    _apply_invitations(ctx, calendar_id, owner_id)


def decline_blocked(ctx: Context, calendar_id: int) -> None:
    """End the shares of people who block the new owner of the calendar, and the grants that are invalid since it has this owner."""
    ctx.tx.run(f"UPDATE calendar_invitations SET declined = TRUE WHERE calendar_id = :id AND NOT declined AND {_IS_VOID}", id=calendar_id)
    end_blocked(ctx, [calendar_id])
    grants.revoke_on(ctx, calendar_id)


def end_all(ctx: Context, owner_id: int) -> None:
    """Stop sharing all calendars of the user, and give each feed a new secret URL."""
    for (calendar_id,) in ctx.tx.rows("SELECT id FROM calendars WHERE owner_id = :owner_id ORDER BY id", owner_id=owner_id):
        ctx.tx.advisory_lock(f"calendar {calendar_id}")
        rows = ctx.tx.rows("DELETE FROM calendar_invitations WHERE calendar_id = :id RETURNING user_id", id=calendar_id)
        for (user_id,) in rows:
            _apply_invitations(ctx, calendar_id, user_id or 0)
        grants.revoke_on(ctx, calendar_id)
        reset_feed(ctx, calendar_id)


def forget(ctx: Context, user_id: int) -> None:
    """End every share with a user who is about to be deleted. One by e-mail address stays on the owner's list, as declined, whoever
    verifies the address next."""
    reset_feeds_of_editor(ctx, user_id)
    ctx.tx.run(
        "UPDATE calendar_invitations SET user_id = NULL, declined = TRUE WHERE user_id = :user_id AND email_key IS NOT NULL",
        user_id=user_id,
    )
    ctx.tx.run("DELETE FROM calendar_shares WHERE user_id = :user_id", user_id=user_id)
    grants.revoke_of(ctx, user_id)


def reset_feeds_of_editor(ctx: Context, user_id: int) -> None:
    """Give the feeds of others that the user knows as an editor new secret URLs."""
    rows = ctx.tx.rows(
        "SELECT calendar_id FROM calendar_shares WHERE user_id = :user_id AND role = 'editor' ORDER BY calendar_id", user_id=user_id
    )
    for (calendar_id,) in rows:
        reset_feed(ctx, calendar_id)


def reset_feed(ctx: Context, calendar_id: int) -> None:
    """Give the calendar's feed a new secret URL."""
    ctx.tx.run(
        """UPDATE calendars SET feed_version = feed_version + 1, updated_at = :now, revision = revision + 1, changed_at = :now
           WHERE id = :id""",
        id=calendar_id,
        now=ctx.now,
    )


def end_editing(ctx: Context, calendar_id: int) -> None:
    """To follow the change of an editor into a viewer: their grants end, and the feed gets a new secret URL."""
    grants.revoke_on(ctx, calendar_id)
    reset_feed(ctx, calendar_id)


def _set_declined(ctx: Context, invitation: str, **params: int | str) -> int | None:
    """Decline the invitation if its user blocks the calendar's owner, or is that; returns the user."""
    user_id: int | None = ctx.tx.value(
        f"UPDATE calendar_invitations SET declined = {_IS_VOID} WHERE {invitation} RETURNING user_id", **params
    )
    return user_id


def _apply_to_address(ctx: Context, calendar_id: int, user_id: int | None) -> None:
    """Apply the invitations of the address's user. A share is always deleted and another one created: else the time, the history or a
    dry run would disclose whether someone has verified the address. Where there is none, a share of the user or the owner takes its place
    (see `created_at` in `kalends/db/schema/02_calendars.sql`)."""
    params = {
        "calendar_id": calendar_id,
        "user_id": user_id or ctx.tx.value("SELECT owner_id FROM calendars WHERE id = :id", id=calendar_id),
    }
    share = "calendar_id = :calendar_id AND user_id = :user_id"
    ctx.tx.run(
        """INSERT INTO calendar_shares (calendar_id, user_id, role, created_at) VALUES (:calendar_id, :user_id, 'viewer', 0)
           ON CONFLICT (calendar_id, user_id) DO NOTHING""",
        **params,
    )
    ctx.tx.run(f"UPDATE calendar_shares SET created_at = 1 WHERE {share} AND created_at = 0", **params)
    ctx.tx.run(f"DELETE FROM calendar_shares WHERE {share}", **params)
    _apply_invitations(ctx, calendar_id, params["user_id"])
    ctx.tx.run(
        """INSERT INTO calendar_shares (calendar_id, user_id, role, created_at) VALUES (:calendar_id, :user_id, 'viewer', 1)
           ON CONFLICT (calendar_id, user_id) DO NOTHING""",
        **params,
    )
    ctx.tx.run(f"UPDATE calendar_shares SET created_at = 0 WHERE {share} AND created_at = 1", **params)
    ctx.tx.run(f"DELETE FROM calendar_shares WHERE {share} AND created_at = 0", **params)


def _apply_invitations(ctx: Context, calendar_id: int, user_id: int) -> None:
    """Update the user's share to the strongest role of their invitations."""
    invited = "FROM calendar_invitations i WHERE i.calendar_id = :calendar_id AND i.user_id = :user_id AND NOT i.declined"
    ctx.tx.run(
        f"DELETE FROM calendar_shares WHERE calendar_id = :calendar_id AND user_id = :user_id AND NOT EXISTS (SELECT 1 {invited})",
        calendar_id=calendar_id,
        user_id=user_id,
    )
    # min() is the stronger role, since 'editor' sorts before 'viewer'.
    ctx.tx.run(
        f"""INSERT INTO calendar_shares (calendar_id, user_id, role, manages, created_at)
            SELECT i.calendar_id, i.user_id, min(i.role), max(CASE WHEN i.manages THEN 1 ELSE 0 END) = 1, min(i.created_at) {invited}
            GROUP BY i.calendar_id, i.user_id
            ON CONFLICT (calendar_id, user_id) DO UPDATE SET role = excluded.role, manages = excluded.manages""",
        calendar_id=calendar_id,
        user_id=user_id,
    )
