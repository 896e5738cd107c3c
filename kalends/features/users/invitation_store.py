"""Invitations to make an account: a link for one address, which works once and expires."""

import hmac

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.people import AccountInvitation
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Context

VALID_FOR = 14 * 86_400
MAX_DIGITS = 18
VOID = gettext("This invitation no longer works: it has already been used, was withdrawn, or is older than two weeks. Ask for a new one.")

_INVITATION = columns(AccountInvitation)


def invitation_url(settings: Settings, invitation: AccountInvitation) -> str:
    return f"{settings.url}/sign-up/{_token(settings, invitation)}"


def insert(ctx: Context, email_address: str, invited_by: int | None) -> AccountInvitation:
    """Invite the address. A former invitation of it is replaced, so that its link is void."""
    ctx.tx.run("DELETE FROM account_invitations WHERE email_key = :email_key", email_key=fold_case(email_address))
    invitation = ctx.tx.one(
        AccountInvitation,
        f"""INSERT INTO account_invitations (email_address, email_key, invited_by, created_at, expires_at)
            VALUES (:email_address, :email_key, :invited_by, :now, :expires_at) RETURNING {_INVITATION}""",
        email_address=email_address,
        email_key=fold_case(email_address),
        invited_by=invited_by,
        now=ctx.now,
        expires_at=ctx.now + VALID_FOR,
    )
    assert invitation
    return invitation


def index(ctx: Context, limit: int, offset: int = 0) -> list[AccountInvitation]:
    """The invitations that are valid, the last one first."""
    sql = f"""SELECT {_INVITATION} FROM account_invitations WHERE expires_at > :now
              ORDER BY expires_at DESC, id DESC LIMIT :limit OFFSET :offset"""
    return ctx.tx.all(AccountInvitation, sql, now=ctx.now, limit=limit, offset=offset)


def count(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM account_invitations WHERE expires_at > :now", now=ctx.now))


def find(ctx: Context, token: str) -> AccountInvitation | None:
    """The invitation of the token, while it is valid."""
    number = token.partition("-")[0]
    if not (number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS):
        return None
    sql = f"SELECT {_INVITATION} FROM account_invitations WHERE id = :id AND expires_at > :now"
    invitation = ctx.tx.one(AccountInvitation, sql, id=int(number), now=ctx.now)
    is_genuine = invitation is not None and hmac.compare_digest(token.encode(), _token(ctx.settings, invitation).encode())
    return invitation if is_genuine else None


def find_by_address(ctx: Context, email_address: str) -> AccountInvitation | None:
    """The invitation of the address, while it is valid."""
    sql = f"SELECT {_INVITATION} FROM account_invitations WHERE email_key = :email_key AND expires_at > :now"
    return ctx.tx.one(AccountInvitation, sql, email_key=fold_case(email_address), now=ctx.now)


def use(ctx: Context, invitation: AccountInvitation) -> None:
    """Make the link void. Raises Forbidden if it was used before."""
    if not delete(ctx, invitation.id):
        raise errors.Forbidden(VOID)


def delete(ctx: Context, invitation_id: int) -> bool:
    """Delete the invitation; False if there is none."""
    return ctx.tx.run("DELETE FROM account_invitations WHERE id = :id", id=invitation_id) == 1


def clean_up(ctx: Context) -> None:
    """Delete those that have expired."""
    ctx.tx.run("DELETE FROM account_invitations WHERE expires_at < :now", now=ctx.now)


def _token(settings: Settings, invitation: AccountInvitation) -> str:
    """It covers the address and the time: the id of a deleted invitation may be that of a new one."""
    subject = f"{invitation.id}.{invitation.created_at}.{invitation.email_key}"
    return f"{invitation.id}-{derive(settings, 'account invitation', subject)[:32]}"
