"""Passkeys: people sign in with their phone, computer or security key instead of a password."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.credentials import Passkey
from kalends.core.values import timestamps
from kalends.db import UniqueViolation
from kalends.features.deliveries import store as deliveries
from kalends.features.passkeys import steps, store
from kalends.features.passkeys.model import MAX_PASSKEYS, PasskeyIndex, PasskeyInput, PasskeyItem, PasskeyOptions
from kalends.features.sessions import store as sessions
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import TextDeletion
from kalends.http.paging import Paging, build_page

REFUSED = gettext("isn’t an answer to what we asked in the last five minutes. Try again")


@endpoint("GET", "/api/passkeys")
def index(ctx: Context, params: Paging) -> PasskeyIndex:
    """Your passkeys."""
    user = policy.user(ctx)
    passkeys, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return PasskeyIndex(passkeys=[_item(each) for each in passkeys], **page)


@endpoint("POST", "/api/passkeys/options")
def options(ctx: Context) -> PasskeyOptions:
    """What a browser needs to make a passkey: `navigator.credentials.create`. Nothing is saved.

    This, and all changes here, need a session that was opened within the last hour, in any way but with a key.
    """
    user = users.get(ctx, policy.user(ctx).id)
    policy.recent_session(ctx)
    return PasskeyOptions(steps.ask_to_register(ctx, user, store.index(ctx, user.id, Paging(limit=MAX_PASSKEYS))))


@endpoint("POST", "/api/passkeys", status=201)
def create(ctx: Context, params: PasskeyInput) -> PasskeyItem:
    """Add the passkey that the browser made. It needs user verification: a fingerprint, a face or a PIN. You get mail."""
    user = users.get(ctx, policy.user(ctx).id)
    policy.recent_session(ctx)
    try:
        made, challenge = steps.verify_registration(ctx, user.id, params.passkey)
    except steps.WrongAnswer:
        raise errors.invalid("passkey", REFUSED) from None
    credential = made.credential_data
    if credential is None or not sessions.use_digest(ctx, challenge):
        raise errors.invalid("passkey", REFUSED)
    users.lock(ctx, user)
    if store.count(ctx, user.id) >= MAX_PASSKEYS:
        raise errors.QuotaReached(gettext("You have %(max)s passkeys, which is the limit. Remove one first.", max=MAX_PASSKEYS))
    try:
        passkey = store.insert(ctx, user.id, params.name, credential.credential_id, bytes(credential), made.counter)
    except UniqueViolation:
        raise errors.Conflict(gettext("This passkey has been added already.")) from None
    deliveries.insert_account_mail(ctx, user, "notice", "passkey_added")
    return _item(passkey)


@endpoint("DELETE", "/api/passkeys/{passkey_id}")
def destroy(ctx: Context, passkey_id: str) -> TextDeletion:
    """Remove the passkey: it signs in no longer. Sessions that it opened go on. You get mail."""
    passkey = policy.passkey(ctx, passkey_id)
    policy.recent_session(ctx)
    store.delete(ctx, passkey.id)
    deliveries.insert_account_mail(ctx, users.get(ctx, passkey.user_id), "notice", "passkey_removed")
    return TextDeletion([passkey.id])


def _item(passkey: Passkey) -> PasskeyItem:
    used_at = None if passkey.last_used_at is None else timestamps.format_utc(passkey.last_used_at)
    return PasskeyItem(passkey.id, passkey.name, timestamps.format_utc(passkey.created_at), used_at)
