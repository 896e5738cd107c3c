"""API write keys, for programs that act for a user."""

from msgspec import UNSET

from kalends import errors, policy
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.http.endpoint import endpoint
from kalends.http.input.types import TextDeletion
from kalends.http.paging import Paging, paginate
from kalends.i18n import gettext
from kalends.keys import store
from kalends.keys.model import KeyCreated, KeyIndex, KeyInput, KeyItem, KeyRequest
from kalends.records.key import Key
from kalends.sessions import credentials
from kalends.users import store as users
from kalends.values import timestamps
from kalends.webhooks import store as webhooks


@endpoint("GET", "/api/keys")
def index(ctx: Context, params: Paging) -> KeyIndex:
    """Your keys, without their secrets."""
    user = policy.user(ctx)
    keys, next_page = paginate(ctx, params, store.index(ctx, user.id, params))
    return KeyIndex(
        keys=[_item(key) for key in keys],
        limit=params.size,
        offset=params.offset,
        next=next_page,
        total=store.count(ctx, user.id) if params.count else UNSET,
    )


@endpoint("GET", "/api/keys/new")
def new(ctx: Context) -> KeyInput:
    """The editable fields with defaults. Nothing is saved."""
    policy.user(ctx)
    return KeyInput(name="")


@endpoint("POST", "/api/keys", status=201, transaction=False, pool="hash")
def create(ctx: Context, params: KeyRequest) -> KeyCreated:
    """Create a key. `wkey` and `shared_secret` are in this reply only: store them. The `wkey` of the kind `dav` is an app password,
    with which a device signs in to CalDAV; it opens nothing else.

    This requires a session that was opened with the password within the last hour, or `current_password`. Neither a key nor a
    session that a key opened can create keys. The user is notified by mail.
    """
    with ctx.read():
        session = policy.key_creating_session(ctx)
        user = users.get(ctx, session.user_id)
    if params.current_password:
        credentials.confirm(ctx, user, params.current_password)
    elif not session.is_recent(ctx.now):
        raise errors.invalid("current_password", gettext("is required, since you signed in more than an hour ago"), "required")
    with ctx.write():
        # A suspension that came between ends all keys, and must not miss this one.
        policy.require_active(users.lock(ctx, user))
        key, wkey = store.insert(ctx, user.id, params.name, params.kind)
        deliveries.insert_account_mail(ctx, user, "notice", "key_created")
        shared_secret = store.shared_secret(ctx.settings, key.id) if key.kind == "api" else None
        return KeyCreated(key.id, key.name, wkey, shared_secret, timestamps.format_utc(key.created_at), key.kind)


@endpoint("DELETE", "/api/keys/{key_id}")
def destroy(ctx: Context, key_id: str) -> TextDeletion:
    """Delete the key; it stops working immediately, and so do the sessions that it opened. Webhooks that were made or last changed by it
    are switched off."""
    store.delete(ctx, policy.key(ctx, key_id).id)
    webhooks.disable_of_key(ctx, policy.user(ctx).id, key_id)
    return TextDeletion([key_id])


def _item(key: Key) -> KeyItem:
    last_used_at = None if key.last_used_at is None else timestamps.format_utc(key.last_used_at)
    return KeyItem(key.id, key.name, timestamps.format_utc(key.created_at), key.kind, last_used_at)
