"""The second step of a login: the ticket that the password got, and the code."""

import hmac

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.log import get_logger
from kalends.core.records.people import User
from kalends.core.tokens import derive
from kalends.features.deliveries import store as deliveries
from kalends.features.users import store as users
from kalends.features.users.totp import rules, store
from kalends.http import rate_limit
from kalends.http.context import Context
from kalends.http.origin import network
from kalends.http.rate_limit import Limit

log = get_logger(__name__)

TICKET_SECONDS = 300
MAX_DIGITS = 18
TRIES = Limit("codes", 5, 300, gettext("At most %(max)s codes are checked in five minutes. Wait a little, and try again."))
WRONG_CODE = gettext("That code isn’t right, or was used before. Wait for the next one, or use a recovery code.")
EXPIRED = gettext("That took more than five minutes, or your network changed. Sign in again.")


def new_ticket(ctx: Context, user: User) -> str:
    """What proves to the second step that the password was right. It is signed, not stored, so that any server takes it."""
    return f"{user.id}-{ctx.now}-{_mac(ctx, user, ctx.now)}"


def find_user(ctx: Context, ticket: str) -> User:
    """The user of the ticket, or raise TicketExpired."""
    number, issued, mac = [*ticket.split("-", 2), "", ""][:3]
    try:
        user, issued_at = users.get(ctx, _read_number(number)), _read_number(issued)
    except (ValueError, errors.NotFound):
        raise errors.TicketExpired(EXPIRED) from None
    is_genuine = hmac.compare_digest(mac.encode(errors="replace"), _mac(ctx, user, issued_at).encode())
    if not is_genuine or not issued_at <= ctx.now < issued_at + TICKET_SECONDS:
        raise errors.TicketExpired(EXPIRED)
    return user


def _read_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise ValueError
    return int(text)


def _mac(ctx: Context, user: User, issued_at: int) -> str:
    """It covers the network of the client and the password: a new password voids the ticket."""
    return derive(ctx.settings, "ticket", f"{user.id}.{issued_at}.{network(ctx.caller.address)}.{user.password_hash}")


def count_try(ctx: Context, user_id: int) -> None:
    """Count a code before it is checked, so that concurrent requests cannot exceed the limit; or raise TooMany."""
    if ctx.settings.rate_limits == "on":
        with ctx.write(is_last=False):
            rate_limit.count(ctx, TRIES, str(user_id))


def use_code(ctx: Context, user: User, code: str) -> None:
    """Use a code of the app or a recovery code, within the open transaction, or raise WrongCredentials."""
    totp = store.find_enabled(ctx, user.id)
    if totp is None:
        # It was turned off since the password was checked: the password alone is enough.
        return
    secret = store.secret_of(ctx, totp)
    if secret is None:
        log.warning("totp_unreadable", account=user.user_name)
    step = secret and rules.find_step(secret, code, ctx.now, totp.last_step)
    if step and store.use_step(ctx, user.id, step):
        _uncount_try(ctx, user.id)
    elif store.use_recovery_code(ctx, user.id, code):
        _uncount_try(ctx, user.id)
        deliveries.insert_account_mail(ctx, user, "notice", "recovery_code_used")
    else:
        raise errors.WrongCredentials(WRONG_CODE)


def prove_app(ctx: Context, user_id: int, code: str) -> None:
    """Check the first code of an app, within the open transaction, or raise Invalid."""
    totp = store.find(ctx, user_id)
    secret = store.secret_of(ctx, totp) if totp and totp.enabled_at is None else None
    if totp is None or secret is None:
        raise errors.Conflict(gettext("Start again: there is no new app to check."))
    step = rules.find_step(secret, code, ctx.now, totp.last_step)
    if step is None or not store.use_step(ctx, user_id, step):
        raise errors.invalid("code", gettext("isn’t the one that the app should show. Check the time on your phone"), "wrong")
    _uncount_try(ctx, user_id)


def _uncount_try(ctx: Context, user_id: int) -> None:
    if ctx.settings.rate_limits == "on":
        rate_limit.uncount(ctx, TRIES, str(user_id))
