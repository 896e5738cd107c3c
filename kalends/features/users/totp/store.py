"""The SQL of one-time codes and recovery codes."""

from kalends.core.records.credentials import Totp
from kalends.core.tokens import decrypt, derive, encrypt
from kalends.db import columns
from kalends.features.users.totp import rules
from kalends.http.context import Context

_PURPOSE = "one-time codes"


def find(ctx: Context, user_id: int) -> Totp | None:
    return ctx.tx.one(Totp, f"SELECT {columns(Totp)} FROM totp WHERE user_id = :id", id=user_id)


def find_enabled(ctx: Context, user_id: int) -> Totp | None:
    return ctx.tx.one(Totp, f"SELECT {columns(Totp)} FROM totp WHERE user_id = :id AND enabled_at IS NOT NULL", id=user_id)


def secret_of(ctx: Context, totp: Totp) -> str | None:
    """The secret; None if the server's secret was another one when it was stored."""
    return decrypt(ctx.settings, _PURPOSE, str(totp.user_id), totp.secret)


def insert(ctx: Context, user_id: int, secret: str) -> bool:
    """Store a secret in place of one that no code has proved; False if codes are turned on already."""
    changed = ctx.tx.run(
        """INSERT INTO totp (user_id, secret, created_at) VALUES (:user_id, :secret, :now)
           ON CONFLICT (user_id) DO UPDATE SET secret = :secret, created_at = :now WHERE totp.enabled_at IS NULL""",
        user_id=user_id,
        secret=encrypt(ctx.settings, _PURPOSE, str(user_id), secret),
        now=ctx.now,
    )
    return changed == 1


def enable(ctx: Context, user_id: int) -> None:
    ctx.tx.run("UPDATE totp SET enabled_at = :now WHERE user_id = :id", now=ctx.now, id=user_id)


def update(ctx: Context, user_id: int, *, key_logins: bool) -> None:
    ctx.tx.run("UPDATE totp SET key_logins = :key_logins WHERE user_id = :id", key_logins=key_logins, id=user_id)


def delete(ctx: Context, user_id: int) -> bool:
    """Delete the secret and the recovery codes; False if there were none."""
    return ctx.tx.run("DELETE FROM totp WHERE user_id = :id", id=user_id) == 1


def use_step(ctx: Context, user_id: int, step: int) -> bool:
    """Mark the time step as used; False if it, or a later one, was used before."""
    return ctx.tx.run("UPDATE totp SET last_step = :step WHERE user_id = :id AND last_step < :step", step=step, id=user_id) == 1


def count_recovery_codes(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM recovery_codes WHERE user_id = :id", id=user_id))


def insert_recovery_codes(ctx: Context, user_id: int) -> list[str]:
    """New recovery codes in place of the former ones."""
    ctx.tx.run("DELETE FROM recovery_codes WHERE user_id = :id", id=user_id)
    codes = rules.new_recovery_codes()
    for code in codes:
        ctx.tx.run(
            "INSERT INTO recovery_codes (user_id, code_mac) VALUES (:id, :code_mac)", id=user_id, code_mac=_code_mac(ctx, user_id, code)
        )
    return codes


def use_recovery_code(ctx: Context, user_id: int, code: str) -> bool:
    """Delete the recovery code; False if there is none like it."""
    sql = "DELETE FROM recovery_codes WHERE user_id = :id AND code_mac = :code_mac"
    return ctx.tx.run(sql, id=user_id, code_mac=_code_mac(ctx, user_id, code)) == 1


def _code_mac(ctx: Context, user_id: int, code: str) -> str:
    return derive(ctx.settings, "recovery code", f"{user_id} {rules.normalize(code)}")
