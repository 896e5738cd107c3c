"""Users: registration, the user's own account, and its records as a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.people import User
from kalends.core.values.text import fold_case
from kalends.db import Retry, UniqueViolation
from kalends.features.deliveries import store as deliveries
from kalends.features.keys import store as keys
from kalends.features.responses import news_store as news
from kalends.features.sessions import store as sessions
from kalends.features.sessions.steps import credentials
from kalends.features.users import present, store
from kalends.features.users.model import (
    AccountDeletion,
    Confirmation,
    Profile,
    ProfileChanges,
    Registration,
    RegistrationWaiting,
    UserDetail,
)
from kalends.features.users.rules import passwords
from kalends.features.users.steps import deletion, first_admin, registration, weak_passwords
from kalends.features.users.steps.export import export as write_export
from kalends.features.users.steps.registration import Admission
from kalends.features.webhooks import store as webhooks
from kalends.http.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.fields import Changes


@endpoint("GET", "/api/users/new", guests=True)
def new(ctx: Context) -> Profile:
    """The fields of a registration with their defaults; add a `password` of 8 to 256 characters. Nothing is saved."""
    return Profile(user_name="", email_address="")


@endpoint(
    "POST",
    "/api/users",
    status=201,
    other_status=202,
    location="/api/users/{id}",
    guests=True,
    rate_limited=True,
    transaction=False,
    pool="hash",
)
def create(ctx: Context, params: Registration) -> UserDetail | RegistrationWaiting:
    """Register a user with a primary calendar, and mail them a link to verify the e-mail address.

    They can sign in and create events before that; until then others cannot find them by the address. On a new site, the first account
    is that of its administrator: its `invitation` is the one-time code that `kalends serve` prints, and nobody else can register before.

    Where the site says `registration=invitation`, it needs the `invitation` that was mailed to the address, which is verified then. Where
    it says `approval`, the status is 202 without one: an admin decides, the person gets mail, and cannot sign in until then.
    """
    policy.require_passwords(ctx)
    first_admin.count_try(ctx, params.invitation)
    with ctx.read():
        admission = registration.admit(ctx, params)
    weak_passwords.refuse(ctx, params.password, params)
    _require_free_names(ctx, params, admission)
    password_hash = passwords.hash_password(params.password)
    with ctx.write(), _translate_taken():
        user = registration.insert(ctx, params, password_hash, admission)
        if user and user.status == "active":
            return present.detail(ctx, user)
        ctx.status = 202
        return RegistrationWaiting(params.user_name, params.email_address, "waiting")


@endpoint("GET", "/api/users/current")
def current(ctx: Context) -> UserDetail:
    """The account that you are signed in to, by a session or a key."""
    return present.detail(ctx, store.get(ctx, policy.user(ctx).id))


@endpoint("GET", "/api/users/{user_id}")
def show(ctx: Context, user_id: int) -> UserDetail:
    """Your own account."""
    return present.detail(ctx, store.get(ctx, policy.own_account(ctx, user_id).id))


@endpoint("GET", "/api/users/{user_id}/edit")
def edit(ctx: Context, user_id: int) -> Profile:
    """The editable fields of your account."""
    return present.editable(store.get(ctx, policy.own_account(ctx, user_id).id))


@endpoint("PUT", "/api/users/{user_id}", transaction=False, pool="hash")
def update(ctx: Context, user_id: int, params: Changes[ProfileChanges]) -> UserDetail:
    """Change your account. A new `password` or `email_address` needs `current_password`.

    A new password ends your other sessions; with `delete_keys` it also deletes your keys. A new address is mailed a link to
    verify it. Your former address is notified of both.
    """
    user, password = _load_user(ctx, user_id), params.get("password")
    if password:
        weak_passwords.refuse(ctx, password, _merge(params, user))
    elif params.get("delete_keys"):
        raise errors.invalid("delete_keys", gettext("requires a new password. Send password too, or leave this out"), "conflict")
    is_confirmed = bool(password) or _changes_address(user, _merge(params, user))
    if is_confirmed:
        _confirm(ctx, user, params.get("current_password"))
    password_hash = passwords.hash_password(password) if password else None
    with ctx.write(), _translate_taken():
        current = store.lock(ctx, user)
        profile = _merge(params, current)
        if _changes_address(current, profile) and not is_confirmed:
            raise Retry
        _save_profile(ctx, current, profile)
        if password_hash:
            _set_password(ctx, current, password_hash, delete_keys=bool(params.get("delete_keys")))
        return present.detail(ctx, store.get(ctx, user_id))


def _save_profile(ctx: Context, user: User, profile: ProfileChanges) -> None:
    """Store the profile. A new address is mailed a link to verify it. The former one is notified if it was verified: else it may be
    somebody else's."""
    store.update(ctx, user.id, profile)
    if profile.response_notices != user.response_notices:
        news.reschedule(ctx, store.get(ctx, user.id))
    if _changes_address(user, profile):
        if user.verified_at is not None:
            deliveries.insert_account_mail(ctx, user, "notice", "address_changed")
        registration.mail_verification(ctx, store.get(ctx, user.id))


@endpoint("POST", "/api/users/{user_id}/verify", status=202)
def verify(ctx: Context, user_id: int) -> UserDetail:
    """Mail you another link to verify your e-mail address."""
    return send_verification(ctx, user_id)


@endpoint("DELETE", "/api/users/{user_id}", transaction=False, pool="hash")
def destroy(ctx: Context, user_id: int, params: Confirmation) -> AccountDeletion:
    """Delete your account, and with it your contacts, keys, sessions and the calendars that nobody else edits.

    This requires `current_password`; of an account without a password, a session that was opened within the last hour, in any way but with
    a key. Your verified address gets a last mail.

    A calendar that others edit goes to the manager, else the editor, with whom you have shared it for the longest time; your events
    on calendars of others go to the owners of these. `calendars` in the reply says who gets what, and `dry_run=true` says it first.
    The other calendars are in the trash for 30 days: an admin can give them to someone else (`PUT /api/admin/deleted_calendars/<id>`),
    without your name, address, comments and responses.

    Your comments and responses to other people's events stay with those events, without the link to your account; with `erase` they go,
    too. Invitations, subscriptions and messages to your verified address go in either case. Guests of coming events that are deleted, and
    those who follow calendars that are, get mail.
    """
    user = _load_user(ctx, user_id)
    if credentials.has_password(ctx, user):
        _confirm(ctx, user, params.current_password)
    else:
        credentials.require_recent(ctx)
    return present.deletion(user, deletion.delete_account(ctx, user, erase=params.erase))


def send_verification(ctx: Context, user_id: int) -> UserDetail:
    """Mail the user a link to verify their address."""
    user = store.get(ctx, policy.own_account(ctx, user_id).id)
    if user.verified_at is not None:
        raise errors.Conflict(gettext("Your email address is already confirmed."))
    if not deliveries.insert_account_mail(ctx, user, "verify"):
        raise errors.TooMany(
            gettext("The link has been sent several times within the hour. Check your inbox and spam folder, or try again later."),
            deliveries.HOUR,
        )
    return present.detail(ctx, user)


def _load_user(ctx: Context, user_id: int) -> User:
    with ctx.read():
        return store.get(ctx, policy.own_account(ctx, user_id).id)


def _confirm(ctx: Context, user: User, password: str | None) -> None:
    if password is None:
        raise errors.invalid("current_password", gettext("is required"), "required")
    credentials.confirm(ctx, user, password)


def _set_password(ctx: Context, user: User, password_hash: str, *, delete_keys: bool) -> None:
    store.update_password(ctx, user.id, password_hash)
    sessions.delete_others(ctx, policy.own_account(ctx, user.id))
    if delete_keys:
        keys.delete_all(ctx, user.id)
        webhooks.disable_all(ctx, user.id)
    deliveries.insert_account_mail(ctx, user, "notice", "password_changed")


def _merge(params: Changes[ProfileChanges], user: User) -> ProfileChanges:
    return params.over(ProfileChanges(**structs.asdict(present.editable(user))))


def _changes_address(user: User, profile: Profile) -> bool:
    """Whether the profile changes the e-mail address."""
    return fold_case(profile.email_address) != fold_case(user.email_address)


@contextmanager
def _translate_taken() -> Iterator[None]:
    try:
        yield
    except UniqueViolation as taken:
        raise _conflict("email_address" if taken.index == "users_email_key" else "user_name") from None


def _require_free_names(ctx: Context, params: Registration, admission: Admission) -> None:
    """Check before the slow password hash; the unique indexes decide in the end. Who waits does not learn of the address."""
    names = {"user_name": params.user_name}
    if admission.status != "waiting":
        names["email_address"] = params.email_address
    with ctx.read():
        for field, name in names.items():
            if store.find(ctx, name):
                raise _conflict(field)


def _conflict(field: str) -> errors.Conflict:
    return errors.Conflict(
        gettext("This %(field)s is already taken. Choose another one.", field=field),
        [FieldError(field, gettext("is already taken"), "taken")],
    )


@endpoint("GET", "/api/users/{user_id}/export", format="zip", pool="upload", transaction=False)
def export(ctx: Context, user_id: int) -> Document:
    """All your own records as a zip file: JSON of every record, your calendars as iCalendar, your contacts as vCards, and pictures.

    `records` has what `kalends users import` reads, `elsewhere` what you created on calendars of others. Passwords, keys, sessions, the
    history and messages are not in it.
    """
    with ctx.read():
        user = store.get(ctx, policy.own_account(ctx, user_id).id)
        ctx.tx.without_statement_timeout()
        file = BytesIO()
        write_export(ctx, user, file, lambda steps: lambda done: None)
    ctx.headers["Content-Disposition"] = f'attachment; filename="{user.user_name}.zip"'
    return Document(file.getvalue(), "application/zip")
