"""Records that belong to one account, and are seen by nobody else: sessions, keys, contacts, subscribers, webhooks."""

from hmac import compare_digest
from typing import TypeVar

from msgspec import Struct

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.change import Webhook
from kalends.core.records.credentials import Identity, Key, Passkey, Session
from kalends.core.records.delivery import Subscriber, Suppression
from kalends.core.records.people import Contact, User
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Actor, Context
from kalends.policy.actor import and_event_opened, user
from kalends.policy.administration import admin

_Record = TypeVar("_Record", bound=Struct)

# The actor's own contacts `k`: the primary list, and the imported list until it expires.
CONTACT_LISTS = {
    "primary": "k.user_id = :me AND k.service IS NULL",
    "imported": "k.user_id = :me AND k.service IS NOT NULL AND k.expires_at > :now",
}


def is_verified_sender(ctx: Context) -> bool:
    """Whether the actor may send to a list: where mail is really sent, only with a verified address."""
    return not ctx.settings.sends("email") or user(ctx).verified_at is not None


def require_verified_sender(ctx: Context) -> None:
    """Raise Forbidden unless the actor may send to a list."""
    if not is_verified_sender(ctx):
        raise errors.Forbidden(
            gettext("Confirm your email address first: open the link we emailed you, or request a new one in your settings.")
        )


def require_sending(ctx: Context, owner_id: int) -> None:
    """Neither the actor nor the owner of the event may be stopped from sending to others."""
    if not all(may_send(ctx, user_id) for user_id in {user(ctx).id, owner_id}):
        raise errors.SendingStopped(
            gettext(
                "Sending to others is stopped for the organiser: many people refused their mail, or the addresses do not work. "
                "Ask an administrator of this site to allow it again."
            )
        )


def may_send(ctx: Context, user_id: int) -> bool:
    """Whether the account may send to people who have not answered it. Admins always may."""
    return not ctx.tx.rows("SELECT 1 FROM users WHERE id = :id AND sending = 'stopped' AND role = 'member'", id=user_id)


def other_user(ctx: Context, name: str) -> User | None:
    """Another user, whom everybody finds by the user name, and by the address once it is verified."""
    condition = "email_key = :name AND verified_at IS NOT NULL" if "@" in name else "user_name_key = :name"
    return ctx.tx.one(User, f"SELECT {columns(User)} FROM users WHERE {condition}", name=fold_case(name))


def required_user(ctx: Context, name: str) -> User:
    """Like other_user; an error of the field `user_name` if there is none."""
    user = other_user(ctx, name)
    if user is None:
        raise errors.NotFound(
            gettext("There is no user called %(name)s. Check the spelling, or use their email address.", name=name),
            [FieldError("user_name", gettext("doesn’t belong to anyone on this site"), "not_found")],
        )
    return user


def own_account(ctx: Context, user_id: int) -> Actor:
    """The actor, if this is their user id: users see and change only themselves."""
    if user(ctx).id != user_id:
        raise errors.NotFound
    return user(ctx)


def is_own_account(ctx: Context, name: str) -> bool:
    """Whether this is the actor's own user name or e-mail address."""
    return ctx.actor is not None and fold_case(name) in (fold_case(ctx.actor.user_name), fold_case(ctx.actor.email_address))


def has_verified(ctx: Context, email_address: str) -> bool:
    """Whether the actor has verified this e-mail address."""
    actor = ctx.actor
    return actor is not None and actor.verified_at is not None and fold_case(actor.email_address) == fold_case(email_address)


def session(ctx: Context, session_id: str) -> Session:
    """A session of the actor that has not expired; `current` is the one in use."""
    own_id = user(ctx).session_id if session_id == "current" else session_id
    session = _own(ctx, Session, "sessions", own_id or "")
    if ctx.now >= session.expires_at:
        raise errors.NotFound
    return session


def key_creating_session(ctx: Context) -> Session:
    """The actor's session, if it may create keys. A key must not create keys, else a leaked one would survive its deletion."""
    return _session_without_key(ctx, gettext("API keys, and sessions opened with one, can’t create API keys. Sign in yourself."))


def administrating_session(ctx: Context) -> Session:
    """The session of an admin, if it may change roles and delete accounts: what a leaked key did would survive its deletion."""
    admin(ctx)
    refusal = gettext("A key changes no roles and deletes no accounts, nor does a session that a key opened. Sign in yourself.")
    return _session_without_key(ctx, refusal)


def recent_session(ctx: Context) -> Session:
    """The actor's session, if they signed in within the hour, in whatever way people do."""
    session = _session_without_key(ctx, gettext("A key doesn’t change how you sign in, nor does a session that a key opened."))
    if not session.is_recent(ctx.now):
        raise errors.SignInAgain(gettext("You signed in more than an hour ago. Sign in again first."))
    return session


def is_recent(ctx: Context) -> bool:
    """Whether the actor signed in within the hour, and not with a key."""
    actor = user(ctx)
    if actor.session_id is None:
        return False
    current = session(ctx, "current")
    return current.key_id is None and current.is_recent(ctx.now)


def _session_without_key(ctx: Context, refusal: str) -> Session:
    current = session(ctx, "current") if user(ctx).session_id else None
    if current is None or current.key_id is not None:
        raise errors.Forbidden(refusal)
    return current


def current_key_id(ctx: Context) -> str | None:
    """The key of the request, or the one that opened its session."""
    actor = user(ctx)
    return session(ctx, "current").key_id if actor.session_id else actor.key_id


def key(ctx: Context, key_id: str) -> Key:
    """A key of the actor."""
    return _own(ctx, Key, "keys", key_id)


def passkey(ctx: Context, passkey_id: str) -> Passkey:
    """A passkey of the actor."""
    return _own(ctx, Passkey, "passkeys", passkey_id)


def identity(ctx: Context, identity_id: str) -> Identity:
    """An identity of the actor at a provider of OpenID Connect."""
    return _own(ctx, Identity, "identities", identity_id)


def _own(ctx: Context, kind: type[_Record], table: str, record_id: int | str) -> _Record:
    """A record of a table whose rows are their user's alone."""
    record = ctx.tx.one(kind, f"SELECT {columns(kind)} FROM {table} WHERE id = :id AND user_id = :me", id=record_id, me=user(ctx).id)
    if record is None:
        raise errors.NotFound
    return record


def accepts_password(ctx: Context, account: User) -> bool:
    """Whether the account may sign in with its password: if the operator has switched passwords off, only the emergency admin may."""
    return ctx.settings.passwords == "on" or is_emergency_admin(ctx, account)


def is_emergency_admin(ctx: Context, account: User) -> bool:
    """Whether this is the admin whom the operator has named for the case that the provider is down."""
    return fold_case(account.user_name) == fold_case(ctx.settings.emergency_admin) and account.role == "admin"


def require_passwords(ctx: Context) -> None:
    """Raise Forbidden if the operator has switched passwords off."""
    if ctx.settings.passwords == "off":
        raise errors.Forbidden(gettext("Passwords are switched off here. Sign in with your organisation’s account or a passkey."))


def contact(ctx: Context, contact_id: int) -> Contact:
    """A contact of the actor, on either list."""
    on_a_list = " OR ".join(f"({condition})" for condition in CONTACT_LISTS.values())
    sql = f"SELECT {columns(Contact, 'k')} FROM contacts k WHERE k.id = :id AND ({on_a_list})"
    contact = ctx.tx.one(Contact, sql, id=contact_id, me=user(ctx).id, now=ctx.now)
    if contact is None:
        raise errors.NotFound
    return contact


def subscriber(ctx: Context, subscriber_id: int) -> Subscriber:
    """A subscriber on the actor's list."""
    sql = f"SELECT {columns(Subscriber)} FROM subscribers WHERE id = :id AND owner_id = :me{and_event_opened(ctx, 'subscribers.event_id')}"
    subscriber = ctx.tx.one(Subscriber, sql, id=subscriber_id, me=user(ctx).id)
    if subscriber is None:
        raise errors.NotFound
    return subscriber


def suppression(ctx: Context, suppression_id: int) -> Suppression:
    """An address that gets no messages of the actor. That the recipient wants none is not the actor's to change."""
    sql = f"SELECT {columns(Suppression)} FROM suppressed_addresses WHERE id = :id AND owner_id = :me"
    return _liftable(ctx.tx.one(Suppression, sql, id=suppression_id, me=user(ctx).id))


def suppression_of_admin(ctx: Context, suppression_id: int) -> Suppression:
    """An address that gets no messages of an organiser, for admins. That the recipient wants none is not theirs to change either."""
    admin(ctx)
    return _liftable(ctx.tx.one(Suppression, f"SELECT {columns(Suppression)} FROM suppressed_addresses WHERE id = :id", id=suppression_id))


def _liftable(suppression: Suppression | None) -> Suppression:
    if suppression is None:
        raise errors.NotFound
    if suppression.reason == "unsubscribed":
        raise errors.Conflict(gettext("They have stopped these messages. Only they can turn them back on."))
    return suppression


def webhook(ctx: Context, webhook_id: int) -> Webhook:
    """A webhook of the actor."""
    return _own(ctx, Webhook, "webhooks", webhook_id)


def require_webhooks(ctx: Context) -> None:
    """Raise Forbidden if the operator has switched webhooks off."""
    if ctx.settings.webhooks == "off":
        raise errors.Forbidden(
            gettext("Webhooks are turned off on this server. Follow changes with GET /api/changes instead, or ask the server operator.")
        )


def birthdays_owner(ctx: Context, user_id: int | None, key: str | None) -> int:
    """The id of the user whose birthdays are asked for."""
    if key is None:
        own = user(ctx).id
        if user_id not in (None, own):
            raise errors.NotFound
        return own
    sql = "SELECT birthdays_version FROM users WHERE id = :id AND status = 'active'"
    version = ctx.tx.value(sql, id=user_id) if user_id is not None else None
    if version is None or not compare_digest(key.encode(), _feed_key(ctx.settings, user_id or 0, version).encode()):
        raise errors.NotFound
    return user_id or 0


def birthdays_url(settings: Settings, user_id: int, version: int) -> str:
    """The secret URL of the feed; a new version changes it."""
    return f"{settings.url}/api/contacts/birthdays.ics?user_id={user_id}&key={_feed_key(settings, user_id, version)}"


def _feed_key(settings: Settings, user_id: int, version: int) -> str:
    return derive(settings, "birthdays", f"{user_id}.{version}")[:32]
