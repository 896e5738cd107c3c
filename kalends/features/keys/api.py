"""API write keys, for programs that act for a user."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.credentials import Key
from kalends.core.records.delivery import AccountNotice
from kalends.core.values import timestamps
from kalends.features.deliveries import store as deliveries
from kalends.features.keys import store
from kalends.features.keys.model import KeyCreated, KeyIndex, KeyInput, KeyItem, KeyRequest
from kalends.features.sessions.steps import credentials
from kalends.features.users import store as users
from kalends.features.webhooks import store as webhooks
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import TextDeletion
from kalends.http.paging import Paging, build_page


@endpoint("GET", "/api/keys")
def index(ctx: Context, params: Paging) -> KeyIndex:
    """Your keys, without their secrets."""
    user = policy.user(ctx)
    keys, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return KeyIndex(keys=[_item(key) for key in keys], **page)


@endpoint("GET", "/api/keys/new")
def new(ctx: Context) -> KeyInput:
    """The editable fields with defaults. Nothing is saved."""
    policy.user(ctx)
    return KeyInput(name="")


@endpoint("POST", "/api/keys", status=201, transaction=False, pool="hash")
def create(ctx: Context, params: KeyRequest) -> KeyCreated:
    """Create a key. `wkey` and `shared_secret` are in this reply only: store them. The `wkey` of the kind `dav` is an app password,
    with which a device signs in to CalDAV; it opens nothing else. A key with `scopes` opens what they name; anything else is 403
    `insufficient-scope`. A key with `calendar_ids` sees and changes these calendars, their events, and what belongs to them: others do
    not exist for it. What gives access to others (shares, secret links, webhooks, keys) and the account itself need a session, or a key
    without scopes and calendars.

    This requires a session that was opened within the last hour, in any way, or `current_password`. Neither a key nor a
    session that a key opened can create keys. The user is notified by mail.
    """
    with ctx.read():
        session = policy.key_creating_session(ctx)
        user = users.get(ctx, session.user_id)
    credentials.confirm_recent(ctx, user, params.current_password)
    scopes, expires_at = _scopes(params), _expires_at(ctx, params)
    with ctx.write():
        calendar_ids = _calendar_ids(ctx, params)
        # A suspension that came between ends all keys, and must not miss this one.
        policy.require_active(users.lock(ctx, user))
        key, wkey = store.insert(ctx, user.id, params.name, params.kind, scopes=scopes, expires_at=expires_at, calendar_ids=calendar_ids)
        notice: AccountNotice = "key_created" if key.kind == "api" else "device_connected"
        deliveries.insert_account_mail(ctx, user, "notice", notice, cause=f"key:{key.id}:{key.name}")
        shared_secret = store.shared_secret(ctx.settings, key.id) if key.kind == "api" else None
        item = _item(key)
        return KeyCreated(
            key.id,
            key.name,
            wkey,
            shared_secret,
            item.created_at,
            key.kind,
            item.scopes,
            read_only=item.read_only,
            expires_at=item.expires_at,
            calendar_ids=item.calendar_ids,
        )


@endpoint("DELETE", "/api/keys/{key_id}")
def destroy(ctx: Context, key_id: str) -> TextDeletion:
    """Delete the key; it stops working immediately, and so do the sessions that it opened. Webhooks that were made or last changed by it
    are switched off."""
    store.delete(ctx, policy.key(ctx, key_id).id)
    webhooks.disable_of_key(ctx, policy.user(ctx).id, key_id)
    return TextDeletion([key_id])


def _scopes(params: KeyRequest) -> str:
    """The scopes as they are stored."""
    if params.read_only and params.kind != "dav":
        raise errors.invalid("read_only", gettext("is for app passwords. Give an API key scopes instead"))
    if params.scopes is None:
        return policy.READ_ONLY if params.read_only else ""
    if params.kind == "dav":
        raise errors.invalid("scopes", gettext("are for API keys. An app password can be read_only"))
    if not params.scopes:
        raise errors.invalid("scopes", gettext("must name at least one scope, or be left out"), "required")
    return " ".join(sorted(set(params.scopes)))


def _calendar_ids(ctx: Context, params: KeyRequest) -> str:
    """The calendars as they are stored."""
    if params.calendar_ids is None:
        return ""
    if not params.calendar_ids:
        raise errors.invalid("calendar_ids", gettext("must name at least one calendar, or be left out"), "required")
    with errors.naming("calendar_ids"):
        for calendar_id in params.calendar_ids:
            policy.home_calendar(ctx, calendar_id, to=policy.Right.SEE)
    return " ".join(map(str, sorted(set(params.calendar_ids))))


def _expires_at(ctx: Context, params: KeyRequest) -> int | None:
    if params.expires_at is None:
        return None
    expires_at = timestamps.parse_instant(params.expires_at)
    if expires_at is None or expires_at <= ctx.now:
        raise errors.invalid("expires_at", gettext("must be in the future"))
    return expires_at


def _item(key: Key) -> KeyItem:
    last_used_at, expires_at = (None if time is None else timestamps.format_utc(time) for time in (key.last_used_at, key.expires_at))
    is_read_only = key.scopes == policy.READ_ONLY
    scopes = None if is_read_only or not key.scopes else key.scopes.split()
    return KeyItem(
        key.id,
        key.name,
        timestamps.format_utc(key.created_at),
        key.kind,
        last_used_at,
        scopes,
        read_only=is_read_only,
        expires_at=expires_at,
        calendar_ids=[int(each) for each in key.calendar_ids.split()] or None,
    )
