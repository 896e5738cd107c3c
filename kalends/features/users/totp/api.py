"""One-time codes (RFC 6238): a login with the password then takes a code from an authenticator app as well."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.deliveries import store as deliveries
from kalends.features.users import store as users
from kalends.features.users.totp import rules, steps, store
from kalends.features.users.totp.model import TotpConfirmation, TotpCreated, TotpDetail, TotpEnabled, TotpInput
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.policy import site as sites
from kalends.web.drawings import qr_code_url


@endpoint("GET", "/api/users/{user_id}/totp")
def totp(ctx: Context, user_id: int) -> TotpDetail:
    """Whether your password needs a one-time code as well."""
    policy.own_account(ctx, user_id)
    row = store.find_enabled(ctx, user_id)
    if row is None or row.enabled_at is None:
        return TotpDetail(enabled=False, enabled_at=None, recovery_codes=0, key_logins=True)
    return TotpDetail(
        enabled=True,
        enabled_at=timestamps.format_utc(row.enabled_at),
        recovery_codes=store.count_recovery_codes(ctx, user_id),
        key_logins=row.key_logins,
    )


@endpoint("POST", "/api/users/{user_id}/totp", status=201)
def create_totp(ctx: Context, user_id: int) -> TotpCreated:
    """Get a secret for an authenticator app. Nothing changes until a code confirms it: `POST /api/users/{id}/totp/confirmation`.

    This, like all changes here, needs a session that was opened within the last hour, in any way but with a key.
    """
    policy.own_account(ctx, user_id)
    policy.recent_session(ctx)
    secret = rules.new_secret()
    if not store.insert(ctx, user_id, secret):
        raise errors.Conflict(gettext("One-time codes are turned on already. Turn them off before you set up another app."))
    return describe(ctx, user_id, secret)


def describe(ctx: Context, user_id: int, secret: str) -> TotpCreated:
    """The secret in the forms that apps read."""
    url = rules.otpauth_url(secret, users.get(ctx, user_id).user_name, sites.get(ctx).name)
    return TotpCreated(secret, url, qr_code_url(url))


@endpoint("POST", "/api/users/{user_id}/totp/confirmation", transaction=False)
def confirm_totp(ctx: Context, user_id: int, params: TotpConfirmation) -> TotpEnabled:
    """Turn one-time codes on, with the code that the app shows now. The reply has ten recovery codes: keep them. You get mail.

    From now on `POST /api/session` with your password is 401 `second-factor-required`. App passwords and keys work as before.
    """
    with ctx.read():
        policy.own_account(ctx, user_id)
        policy.recent_session(ctx)
    steps.count_try(ctx, user_id)
    with ctx.write():
        user = users.get(ctx, user_id)
        steps.prove_app(ctx, user_id, params.code)
        store.enable(ctx, user_id)
        deliveries.insert_account_mail(ctx, user, "notice", "codes_enabled")
        return TotpEnabled(store.insert_recovery_codes(ctx, user_id))


@endpoint("PUT", "/api/users/{user_id}/totp")
def update_totp(ctx: Context, user_id: int, params: Changes[TotpInput]) -> TotpDetail:
    """Change whether keys and digests still open sessions. Their use as Bearer tokens is not concerned: delete those you do not need."""
    policy.own_account(ctx, user_id)
    policy.recent_session(ctx)
    row = store.find_enabled(ctx, user_id)
    if row is None:
        raise errors.Conflict(gettext("Turn one-time codes on first."))
    store.update(ctx, user_id, key_logins=params.over(TotpInput(key_logins=row.key_logins)).key_logins)
    return totp(ctx, user_id)


@endpoint("POST", "/api/users/{user_id}/totp/recovery_codes", status=201)
def renew_recovery_codes(ctx: Context, user_id: int) -> TotpEnabled:
    """Ten new recovery codes. The former ones no longer work."""
    policy.own_account(ctx, user_id)
    policy.recent_session(ctx)
    if store.find_enabled(ctx, user_id) is None:
        raise errors.Conflict(gettext("Turn one-time codes on first."))
    deliveries.insert_account_mail(ctx, users.get(ctx, user_id), "notice", "recovery_codes_renewed")
    return TotpEnabled(store.insert_recovery_codes(ctx, user_id))


@endpoint("DELETE", "/api/users/{user_id}/totp")
def delete_totp(ctx: Context, user_id: int) -> Deletion:
    """Turn one-time codes off: the password alone signs in again, and the recovery codes are gone. You get mail."""
    policy.own_account(ctx, user_id)
    policy.recent_session(ctx)
    was_enabled = store.find_enabled(ctx, user_id) is not None
    if not store.delete(ctx, user_id):
        raise errors.NotFound(gettext("One-time codes are not turned on."))
    if was_enabled:
        deliveries.insert_account_mail(ctx, users.get(ctx, user_id), "notice", "codes_disabled")
    return Deletion([user_id])
