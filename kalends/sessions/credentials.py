"""Check what a login carries: a password, a key, or a digest. Each check opens short transactions of its own."""

import hmac

from msgspec import Struct

from kalends import errors, times
from kalends.context import Context
from kalends.errors import FieldError
from kalends.keys import store as keys
from kalends.sessions import store
from kalends.sessions.model import Credentials
from kalends.text import key
from kalends.users import passwords
from kalends.users import store as users
from kalends.users.model import User

MOST_FAILURES = 10
WRONG = "The credentials are not right."


class Found(Struct, frozen=True):
    """The user whose credentials were given, the key if it was one, and the digest, which works once."""

    user: User
    key_id: str | None = None
    digest: str | None = None


def check(ctx: Context, given: Credentials) -> Found:
    """Whose credentials these are; a failure is counted, and raises."""
    chosen = _one_set(given)
    with ctx.read():
        subjects = _subjects(ctx, given)
        _refuse_after_failures(ctx, subjects)
    found = {"user_name": _by_password, "wkey": _by_key, "digest": _by_digest}[chosen[0]](ctx, given)
    if found is None:
        _count_failure(ctx, subjects)
        raise errors.WrongCredentials(WRONG)
    return found


def use(ctx: Context, found: Found) -> User:
    """The user, if they are still there, and the digest was not used before."""
    if found.digest and not store.use_digest(ctx, found.digest):
        raise errors.WrongCredentials(WRONG)
    return users.hold(ctx, found.user)


def confirm(ctx: Context, user: User, password: str) -> None:
    """Make sure that somebody who is signed in knows the password, too; guesses count as failed logins."""
    subjects = [f"address {ctx.caller.address}", f"user {user.id}"]
    with ctx.read():
        _refuse_after_failures(ctx, subjects)
    if not passwords.matches(password, user.password_hash):
        _count_failure(ctx, subjects)
        raise errors.Forbidden("That is not your password now.", [FieldError("current_password", "is wrong", "wrong")])


def _count_failure(ctx: Context, subjects: list[str]) -> None:
    with ctx.write():
        for subject in subjects:
            store.insert_failure(ctx, subject)


def _one_set(given: Credentials) -> tuple[str, ...]:
    present = [names for names in Credentials.SETS if any(getattr(given, name) for name in names)]
    if len(present) != 1:
        fields = ["user_name", "password"] if not present else [name for names in present for name in names]
        rule = "give exactly one set: user_name and password, or wkey, or digest and timestamp"
        raise errors.Invalid([FieldError(name, rule, "conflict" if present else "required") for name in fields])
    missing = [name for name in present[0] if not getattr(given, name)]
    if missing:
        raise errors.Invalid([FieldError(name, "is required", "required") for name in missing])
    return present[0]


def _subjects(ctx: Context, given: Credentials) -> list[str]:
    """What a failure counts against: the address, and the account, however its name was written."""
    subjects = [f"address {ctx.caller.address}"]
    if given.user_name:
        user = users.find(ctx, given.user_name)
        subjects.append(f"user {user.id}" if user else f"name {key(given.user_name)}")
    return subjects


def _refuse_after_failures(ctx: Context, subjects: list[str]) -> None:
    if ctx.settings.rate_limits == "off":
        return
    if any(store.recent_failures(ctx, subject) >= MOST_FAILURES for subject in subjects):
        raise errors.TooMany("Too many failed logins. Try again in a minute.", retry_after=store.FAILURE_WINDOW)


def _by_password(ctx: Context, given: Credentials) -> Found | None:
    with ctx.read():
        user = users.find(ctx, given.user_name or "")
    return Found(user) if passwords.matches(given.password or "", user.password_hash if user else None) and user else None


def _by_key(ctx: Context, given: Credentials) -> Found | None:
    with ctx.read():
        found = keys.find(ctx, given.wkey or "")
        return Found(users.get(ctx, found.user_id), found.id) if found else None


def _by_digest(ctx: Context, given: Credentials) -> Found | None:
    """`<key id>.<hex HMAC-SHA256(shared_secret, timestamp)>`, within 300 seconds of now, and each only once."""
    key_id, _, signature = (given.digest or "").partition(".")
    signed_at = times.instant(given.timestamp or "")
    expected = hmac.new(keys.shared_secret(ctx.settings, key_id).encode(), (given.timestamp or "").encode(), "sha256").hexdigest()
    genuine = hmac.compare_digest(signature.lower().encode(), expected.encode())
    if not genuine or signed_at is None or abs(ctx.now - signed_at) > store.DIGEST_WINDOW:
        return None
    with ctx.read():
        found = keys.get(ctx, key_id)
        return Found(users.get(ctx, found.user_id), found.id, f"{key_id}.{expected}") if found else None
