"""Check credentials, of a login or to confirm an action: a password, a key or a digest. Each check opens its own short transactions."""

import hmac
from typing import NoReturn

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.log import get_logger
from kalends.core.records.credentials import VERY_RECENT
from kalends.core.records.people import User
from kalends.core.values import timestamps
from kalends.core.values.text import fold_case
from kalends.features.deliveries import store as deliveries
from kalends.features.keys import store as keys
from kalends.features.passkeys import steps as passkeys
from kalends.features.passkeys import store as passkey_store
from kalends.features.sessions import store
from kalends.features.sessions.model import Credentials
from kalends.features.sessions.steps import login_attempts
from kalends.features.sessions.steps.login_attempts import Attempt
from kalends.features.users import store as users
from kalends.features.users.rules import passwords
from kalends.features.users.totp import steps as totp
from kalends.features.users.totp import store as totp_store
from kalends.http import login_cookies
from kalends.http.context import Context
from kalends.http.origin import network

log = get_logger(__name__)

WRONG_PASSWORD = gettext("Wrong username or password.")
WRONG_KEY = gettext("This API key doesn’t work: it is wrong, or has been deleted.")
WRONG_PASSKEY = gettext("This passkey doesn’t sign in: it was removed here, or took more than five minutes. Try again.")
COPIED_PASSKEY = gettext("This passkey may have been copied, so it doesn’t sign in. We’ve sent you an email.")
WRONG_DIGEST = gettext("This digest isn’t valid. Sign the current time with the key’s shared secret, and use each digest only once.")


class PasskeyUse(Struct, frozen=True):
    """A passkey that has signed a challenge, and its counter."""

    passkey_id: str
    sign_count: int
    challenge: str


class Login(Struct, frozen=True):
    """The user of the credentials, with the key if one was used, and the digest, which works once."""

    user: User
    key_id: str | None = None
    digest: str | None = None
    # What counts a login with a password, and the name that was given.
    attempt: Attempt = ()
    name: str = ""
    # Of the second step after the password.
    code: str | None = None
    passkey: PasskeyUse | None = None


def check(ctx: Context, params: Credentials) -> Login:
    """Return the user of the credentials; a failure is counted, logged and raised."""
    credential = _require_one_set(params)[0]
    if credential == "user_name":
        return _by_password(ctx, params.user_name or "", params.password or "")
    if credential == "ticket":
        return _by_ticket(ctx, params.ticket or "", params.code or "")
    subjects = [network_subject(ctx)]
    with ctx.read():
        login_attempts.refuse(ctx, subjects)
    if credential == "passkey":
        return _by_passkey(ctx, params.passkey or "", subjects)
    login = _by_key(ctx, params.wkey or "") if credential == "wkey" else _by_digest(ctx, params.digest or "", params.timestamp or "")
    if login is None:
        login_attempts.begin(ctx, subjects)
        _log_failure(ctx, "key" if credential == "wkey" else "digest", _known_key_id(ctx, params))
        raise errors.WrongCredentials(WRONG_KEY if credential == "wkey" else WRONG_DIGEST)
    return login


def use(ctx: Context, login: Login) -> User:
    """Return the user, after marking the digest or the code as used. Raises WrongCredentials if it was used before, and Forbidden if the
    account waits for approval or is suspended, or its user has switched logins with keys off."""
    if login.digest and not store.use_digest(ctx, login.digest):
        _log_failure(ctx, "digest", login.key_id)
        raise errors.WrongCredentials(WRONG_DIGEST)
    login_attempts.succeed(ctx, login.attempt, login.name)
    if login.key_id:
        keys.touch(ctx.tx, login.key_id, ctx.now)
    user = users.lock(ctx, login.user)
    policy.require_active(user)
    if login.key_id:
        _require_key_logins(ctx, user)
    if login.code is not None:
        _use_code(ctx, user, login.code)
    if login.passkey:
        _use_passkey(ctx, user, login.passkey)
    return user


def ticket_for_code(ctx: Context, login: Login) -> str | None:
    """The ticket for the second step, if the login had the password alone and its user has one-time codes."""
    has_password_alone = not login.key_id and login.code is None and login.passkey is None
    needs_code = has_password_alone and totp_store.find_enabled(ctx, login.user.id) is not None
    return totp.new_ticket(ctx, login.user) if needs_code else None


def _require_key_logins(ctx: Context, user: User) -> None:
    factor = totp_store.find_enabled(ctx, user.id)
    if factor and not factor.key_logins:
        raise errors.Forbidden(gettext("Signing in with API keys is switched off for this account."))


def _use_code(ctx: Context, user: User, code: str) -> None:
    try:
        totp.use_code(ctx, user, code)
    except errors.WrongCredentials:
        _log_failure(ctx, "code", user.user_name)
        raise


def confirm_recent(ctx: Context, user: User, password: str | None) -> None:
    """Require that the user signed in within the hour, in any way but with a key, or gives the password."""
    if password and policy.accepts_password(ctx, user):
        confirm(ctx, user, password)
        return
    with ctx.read():
        is_recent = policy.is_recent(ctx)
    if not is_recent:
        raise errors.invalid("current_password", gettext("is required because you signed in more than an hour ago"), "required")


def has_password(ctx: Context, user: User) -> bool:
    """Whether the user can give a password."""
    return passwords.is_set(user.password_hash) and policy.accepts_password(ctx, user)


def require_recent(ctx: Context) -> None:
    """Require that the user, who has no password, signed in within the hour, in any way but with a key."""
    with ctx.read():
        policy.recent_session(ctx)


def confirm(ctx: Context, user: User, password: str) -> None:
    """Check the password of a signed-in user. Failures are counted separately from logins, so that strangers
    who fail to log in cannot lock the user out of confirming."""
    if not policy.accepts_password(ctx, user):
        policy.require_passwords(ctx)
    attempt = login_attempts.begin(ctx, [f"confirm {user.id}"])
    if not _matches(ctx, attempt, password, user):
        _log_failure(ctx, "confirmation", user.user_name)
        raise errors.Forbidden(gettext("That isn’t your current password."), [FieldError("current_password", gettext("is wrong"), "wrong")])
    login_attempts.end(ctx, attempt)


def confirm_admin(ctx: Context, password: str | None) -> None:
    """Raise an error unless the admin has signed in within the last 15 minutes, and not with a key, or gives the password."""
    with ctx.read():
        session = policy.administrating_session(ctx)
        admin = users.get(ctx, session.user_id)
    if password:
        confirm(ctx, admin, password)
    elif not session.is_recent(ctx.now, VERY_RECENT):
        rule = gettext("is required, since you signed in more than 15 minutes ago")
        raise errors.SignInAgain(
            gettext("You signed in more than 15 minutes ago. Sign in again, or send your password as current_password."),
            [errors.FieldError("current_password", rule, "required")],
        )


def admin_needs_password(ctx: Context) -> bool:
    """Whether the admin has to type the password, having signed in some time ago."""
    return not policy.administrating_session(ctx).is_recent(ctx.now, VERY_RECENT)


def _by_password(ctx: Context, name: str, password: str) -> Login:
    """Count the attempt before the password is hashed, so that concurrent requests cannot exceed the limit."""
    with ctx.read():
        user = users.find(ctx, name)
    if user and not policy.accepts_password(ctx, user):
        user = None
    attempt = login_attempts.begin(ctx, _password_subjects(ctx, name, user), name)
    if not _matches(ctx, attempt, password, user) or user is None:
        _log_failure(ctx, "password", user.user_name if user else None)
        raise errors.WrongCredentials(WRONG_PASSWORD)
    return Login(user, attempt=attempt, name=name)


def _use_passkey(ctx: Context, user: User, used: PasskeyUse) -> None:
    if not store.use_digest(ctx, used.challenge) or not passkey_store.use(ctx, used.passkey_id, used.sign_count):
        _log_failure(ctx, "passkey", user.user_name)
        raise errors.WrongCredentials(WRONG_PASSKEY)


def _by_passkey(ctx: Context, answer: str, subjects: list[str]) -> Login:
    """The user of the passkey whose signature is right. One that counts backwards has been copied: its user gets mail."""
    with ctx.read():
        try:
            passkey = passkey_store.find(ctx, passkeys.credential_id_of(answer))
            sign_count, challenge = passkeys.verify_sign_in(ctx, passkey, answer) if passkey else (0, "")
        except passkeys.WrongAnswer:
            passkey = None
        user = users.get(ctx, passkey.user_id) if passkey else None
    if passkey is None or user is None:
        login_attempts.begin(ctx, subjects)
        _log_failure(ctx, "passkey", None)
        raise errors.WrongCredentials(WRONG_PASSKEY)
    if sign_count <= passkey.sign_count and (sign_count or passkey.sign_count):
        _refuse_copy(ctx, user, challenge)
    return Login(user, passkey=PasskeyUse(passkey.id, sign_count, challenge))


def _refuse_copy(ctx: Context, user: User, challenge: str) -> NoReturn:
    """An answer that was used before says nothing about the passkey: it may have been sent twice."""
    with ctx.write(is_last=False):
        is_new = store.use_digest(ctx, challenge)
        if is_new:
            deliveries.insert_account_mail(ctx, user, "notice", "passkey_copied")
    _log_failure(ctx, "copied passkey" if is_new else "passkey", user.user_name)
    raise errors.WrongCredentials(COPIED_PASSKEY if is_new else WRONG_PASSKEY)


def _by_ticket(ctx: Context, ticket: str, code: str) -> Login:
    """The user whose password was checked up to five minutes ago. The try is counted before the code is checked, in `use`."""
    with ctx.read():
        user = totp.find_user(ctx, ticket)
    totp.count_try(ctx, user.id)
    return Login(user, code=code)


def _password_subjects(ctx: Context, name: str, user: User | None) -> list[str]:
    """The subjects that a failure counts against: the network and the name, whether or not there is such a user (else the count
    would disclose it). A device on which the user has signed in before is counted separately, so that nobody else can lock it out."""
    if user and (device := login_cookies.device_of(ctx, user.id)):
        return [f"device {device}"]
    return [network_subject(ctx), f"name {fold_case(name)}"]


def network_subject(ctx: Context) -> str:
    """The network of the client, which failed logins count against."""
    return f"network {network(ctx.caller.address)}"


def _matches(ctx: Context, attempt: Attempt, password: str, user: User | None) -> bool:
    try:
        return passwords.matches(password, user.password_hash if user else None)
    except errors.Unavailable:
        # The password was not checked, so the attempt does not count.
        login_attempts.end(ctx, attempt)
        raise


def _log_failure(ctx: Context, kind: str, account: str | None) -> None:
    """Log the account only if it exists: people type passwords into the name field."""
    log.warning(
        "login_failed", kind=kind, account=account, network=network(ctx.caller.address) if ctx.settings.log_addresses == "on" else None
    )


def _require_one_set(params: Credentials) -> tuple[str, ...]:
    present = [names for names in Credentials.OPTIONS.alternatives if any(getattr(params, name) for name in names)]
    if len(present) != 1:
        fields = ["user_name", "password"] if not present else [name for names in present for name in names]
        rule = "give exactly one set: user_name and password, or ticket and code, or passkey, or wkey, or digest and timestamp"
        raise errors.Invalid([FieldError(name, rule, "conflict" if present else "required") for name in fields])
    missing = [name for name in present[0] if not getattr(params, name)]
    if missing:
        raise errors.Invalid([FieldError(name, gettext("is required"), "required") for name in missing])
    return present[0]


def _by_key(ctx: Context, wkey: str) -> Login | None:
    with ctx.read():
        record = keys.find(ctx, wkey)
        return Login(users.get(ctx, record.user_id), record.id) if record else None


def _by_digest(ctx: Context, digest: str, timestamp: str) -> Login | None:
    """`<key id>.<hex HMAC-SHA256(shared_secret, timestamp)>`, within 300 seconds of now, and each only once."""
    key_id, _, signature = digest.partition(".")
    signed_at = timestamps.parse_instant(timestamp)
    expected = hmac.new(keys.shared_secret(ctx.settings, key_id).encode(), timestamp.encode(), "sha256").hexdigest()
    genuine = hmac.compare_digest(signature.lower().encode(), expected.encode())
    if not genuine or signed_at is None or abs(ctx.now - signed_at) > store.DIGEST_WINDOW:
        return None
    with ctx.read():
        record = keys.get(ctx, key_id)
        is_api_key = record is not None and record.kind == "api"
        return Login(users.get(ctx, record.user_id), record.id, f"{key_id}.{expected}") if record and is_api_key else None


def _known_key_id(ctx: Context, params: Credentials) -> str | None:
    """The key that a digest names, if there is one."""
    with ctx.read():
        record = keys.get(ctx, (params.digest or "").partition(".")[0])
    return record.id if record else None
