"""The SQL of users, and of their requests to reset a password."""

from collections.abc import Collection

from kalends import policy
from kalends.core import errors
from kalends.core.records.people import AccountStatus, Role, User
from kalends.core.values.text import fold_case
from kalends.db import Retry, columns, text_search
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.changes import journal_store as journal
from kalends.features.events.cohosts import store as cohosts
from kalends.features.users.model import Profile
from kalends.http.context import Context

# How many requests to reset a password are taken at once.
RESET_BATCH = 100

_USER = columns(User)


def get(ctx: Context, user_id: int) -> User:
    user = ctx.tx.one(User, f"SELECT {_USER} FROM users WHERE id = :id", id=user_id)
    if user is None:
        raise errors.NotFound
    return user


def get_organiser(ctx: Context, event_id: int) -> User:
    """Who hears of what guests do: the creator of the event, while they edit its home calendar, or else the owner of this calendar."""
    user = ctx.tx.one(User, f"SELECT {_USER} FROM users WHERE id = :id", id=policy.organiser_id(ctx, event_id))
    if user is None:
        raise errors.NotFound
    return user


def lock(ctx: Context, user: User) -> User:
    """Lock and load the user again. If the password was changed since it was checked, or the user deleted, retry the action."""
    ctx.tx.advisory_lock(f"user {user.id}")
    current = ctx.tx.one(User, f"SELECT {_USER} FROM users WHERE id = :id AND password_hash = :hash", id=user.id, hash=user.password_hash)
    if current is None:
        raise Retry
    return current


def find(ctx: Context, name: str) -> User | None:
    """The user with this user name or e-mail address. A user name has no @, so the two cannot collide."""
    column = "email_key" if "@" in name else "user_name_key"
    return ctx.tx.one(User, f"SELECT {_USER} FROM users WHERE {column} = :name", name=fold_case(name))


def every(ctx: Context) -> list[User]:
    return ctx.tx.all(User, f"SELECT {_USER} FROM users ORDER BY id")


def primary_calendar_id(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT id FROM calendars WHERE owner_id = :id AND is_primary", id=user_id))


def find_admins(ctx: Context) -> list[User]:
    return ctx.tx.all(User, f"SELECT {_USER} FROM users WHERE role = 'admin' AND status = 'active' AND id > 0 ORDER BY id")


def has_other_waiting(ctx: Context, user_id: int) -> bool:
    """Whether someone else than this user waits for approval."""
    # The index has only the accounts that are not active.
    sql = "SELECT 1 FROM users WHERE status = 'waiting' AND status <> 'active' AND id <> :id LIMIT 1"
    return bool(ctx.tx.rows(sql, id=user_id))


def role_of_next(ctx: Context) -> Role:
    """The role of the next user whom the operator creates: the first one administers the site."""
    ctx.tx.advisory_lock("first admin")
    return "member" if policy.has_admin(ctx) else "admin"


def insert(
    ctx: Context, profile: Profile, password_hash: str, *, verified: bool = False, role: Role = "member", status: AccountStatus = "active"
) -> int:
    """Insert a user with a primary calendar. Addresses of users that the operator creates count as verified."""
    user_id: int = ctx.tx.value(
        """INSERT INTO users (user_name, user_name_key, email_address, email_key, name, time_zone, response_notices, language, hour_cycle,
                              week_start, search, password_hash, created_at, updated_at, verified_at, role, status)
           VALUES (:user_name, :user_name_key, :email_address, :email_key, :name, :time_zone, :response_notices, :language, :hour_cycle,
                   :week_start, :search, :password_hash, :now, :now, :verified_at, :role, :status)
           RETURNING id""",
        **_columns(profile),
        password_hash=password_hash,
        verified_at=ctx.now if verified else None,
        role=role,
        status=status,
        now=ctx.now,
    )
    first = CalendarInput(name=profile.name or profile.user_name, time_zone=profile.time_zone)
    calendars.insert(ctx, user_id, first, is_primary=True)
    if verified:
        sharing.claim(ctx, user_id, profile.email_address)
        cohosts.claim(ctx, user_id, profile.email_address)
    return user_id


def update(ctx: Context, user_id: int, profile: Profile) -> None:
    """Update the profile; a new address is not verified."""
    ctx.tx.run(
        """UPDATE users SET user_name = :user_name, user_name_key = :user_name_key, email_address = :email_address,
           verified_at = CASE WHEN email_key = :email_key THEN verified_at END, email_key = :email_key, name = :name,
           time_zone = :time_zone, response_notices = :response_notices, language = :language, hour_cycle = :hour_cycle,
           week_start = :week_start, search = :search, updated_at = :now
           WHERE id = :id""",
        **_columns(profile),
        id=user_id,
        now=ctx.now,
    )
    calendars.refresh(ctx, owner_id=user_id)


def update_language(ctx: Context, user_id: int, language: str) -> None:
    ctx.tx.run("UPDATE users SET language = :language, updated_at = :now WHERE id = :id", language=language, id=user_id, now=ctx.now)


def stop_notices(ctx: Context, user_id: int) -> None:
    ctx.tx.run("UPDATE users SET response_notices = 'off', updated_at = :now WHERE id = :id", id=user_id, now=ctx.now)


def update_password(ctx: Context, user_id: int, password_hash: str) -> None:
    ctx.tx.advisory_lock(f"user {user_id}")
    ctx.tx.run("UPDATE users SET password_hash = :hash, updated_at = :now WHERE id = :id", hash=password_hash, id=user_id, now=ctx.now)


def update_role(ctx: Context, user_id: int, role: Role) -> None:
    ctx.tx.run("UPDATE users SET role = :role, updated_at = :now WHERE id = :id", role=role, id=user_id, now=ctx.now)


def update_status(ctx: Context, user_id: int, status: AccountStatus) -> None:
    ctx.tx.advisory_lock(f"user {user_id}")
    ctx.tx.run("UPDATE users SET status = :status, updated_at = :now WHERE id = :id", status=status, id=user_id, now=ctx.now)


def verify(ctx: Context, user: User) -> None:
    """Mark the address as verified, unless it has changed since; calendars shared with the address are now shared with the user."""
    rows = ctx.tx.rows(
        """UPDATE users SET verified_at = :now, updated_at = :now
           WHERE id = :id AND email_key = :email_key AND verified_at IS NULL RETURNING email_address""",
        id=user.id,
        email_key=fold_case(user.email_address),
        now=ctx.now,
    )
    for (email_address,) in rows:
        sharing.claim(ctx, user.id, email_address)
        cohosts.claim(ctx, user.id, email_address)


def delete(ctx: Context, user_id: int, kept_sets: Collection[int] = ()) -> None:
    """Delete the user with their calendars, events, keys and sessions (foreign keys), after removing other people's events
    from the calendars and ending the user's grants. What others keep must be theirs already. Of their history, these sets of changes
    stay."""
    sharing.forget(ctx, user_id)
    calendars.empty_all(ctx, user_id)
    ctx.tx.run("DELETE FROM users WHERE id = :id", id=user_id)
    journal.erase_owner(ctx, user_id, kept_sets)


def _columns(profile: Profile) -> dict[str, str | None]:
    return {
        "user_name": profile.user_name,
        "user_name_key": fold_case(profile.user_name),
        "email_address": profile.email_address,
        "email_key": fold_case(profile.email_address),
        "name": profile.name,
        "time_zone": profile.time_zone,
        "response_notices": profile.response_notices,
        "language": profile.language or "",
        "hour_cycle": profile.hour_cycle or "",
        "week_start": profile.week_start or "",
        "search": text_search.fold(f"{profile.user_name} {profile.email_address} {profile.name or ''}"),
    }


def insert_reset_request(ctx: Context, name: str) -> None:
    """Store the request for any name, so that its timing does not reveal which accounts exist."""
    ctx.tx.run("INSERT INTO reset_requests (name, requested_at) VALUES (:name, :now)", name=name, now=ctx.now)


def has_reset_requests(ctx: Context) -> bool:
    return bool(ctx.tx.rows("SELECT 1 FROM reset_requests LIMIT 1"))


def take_reset_requests(ctx: Context) -> list[tuple[str, int]]:
    """Delete and return a batch of requests; other workers skip them."""
    rows = ctx.tx.rows(
        f"""DELETE FROM reset_requests WHERE id IN (SELECT id FROM reset_requests ORDER BY id LIMIT {RESET_BATCH} {ctx.db.for_update})
            RETURNING name, requested_at"""
    )
    return [(name, requested_at) for name, requested_at in rows]
