"""Users: register, and look after one's own account."""

from collections.abc import Iterator
from contextlib import contextmanager

from kalends import errors, policy
from kalends.context import Context
from kalends.db import Taken
from kalends.errors import FieldError
from kalends.http.endpoint import endpoint
from kalends.http.fields import Changes
from kalends.http.types import Deletion
from kalends.sessions import credentials
from kalends.sessions import store as sessions
from kalends.users import passwords, store
from kalends.users.model import Confirmation, Profile, ProfileChanges, Registration, User, UserDetail


@endpoint("GET", "/api/users/new", guests=True)
def new(ctx: Context) -> Profile:
    """The fields of a registration with their defaults; add a `password` of 8 to 256 characters. Nothing is saved."""
    return Profile(user_name="", email_address="")


@endpoint("POST", "/api/users", status=201, guests=True, limited=True, transaction=False, pool="hash")
def create(ctx: Context, params: Registration) -> UserDetail:
    """Register a user. They have a primary calendar from the start."""
    policy.may_register(ctx)
    _refuse_taken(ctx, params)
    password_hash = passwords.hashed(params.password)
    with ctx.write(), _taken_names():
        return ctx.done(store.detail(ctx, store.get(ctx, store.insert(ctx, params, password_hash))))


@endpoint("GET", "/api/users/current", quick=True)
def current(ctx: Context) -> UserDetail:
    """The account that you are signed in to, by a session or a key."""
    return store.detail(ctx, store.get(ctx, policy.user(ctx).id))


@endpoint("GET", "/api/users/{user_id}", quick=True)
def show(ctx: Context, user_id: int) -> UserDetail:
    """Your own account."""
    return store.detail(ctx, store.get(ctx, policy.oneself(ctx, user_id).id))


@endpoint("GET", "/api/users/{user_id}/edit")
def edit(ctx: Context, user_id: int) -> Profile:
    """The editable fields of your account."""
    return _profile(store.get(ctx, policy.oneself(ctx, user_id).id))


@endpoint("PUT", "/api/users/{user_id}", transaction=False, pool="hash")
def update(ctx: Context, user_id: int, params: Changes[ProfileChanges]) -> UserDetail:
    """Change your account. A new `password` needs `current_password`, and ends your other sessions."""
    user = _read(ctx, user_id)
    password_hash = None
    if params.get("password"):
        _confirm(ctx, user, params.get("current_password"))
        password_hash = passwords.hashed(params.get("password"))
    with ctx.write(), _taken_names():
        store.update(ctx, user_id, params.over(ProfileChanges(**_profile_fields(store.hold(ctx, user)))))
        if password_hash:
            store.update_password(ctx, user_id, password_hash)
            sessions.delete_others(ctx, policy.oneself(ctx, user_id))
        return ctx.done(store.detail(ctx, store.get(ctx, user_id)))


@endpoint("DELETE", "/api/users/{user_id}", transaction=False, pool="hash")
def destroy(ctx: Context, user_id: int, params: Confirmation) -> Deletion:
    """Delete your account (with `current_password`), and with it your calendars, events, contacts, keys and sessions.

    Your comments and responses to other people's events stay with those events, without the link to your account.
    """
    user = _read(ctx, user_id)
    credentials.confirm(ctx, user, params.current_password)
    with ctx.write():
        store.delete(ctx, store.hold(ctx, user).id)
        return ctx.done(Deletion([user_id]))


def _read(ctx: Context, user_id: int) -> User:
    with ctx.read():
        return store.get(ctx, policy.oneself(ctx, user_id).id)


def _confirm(ctx: Context, user: User, password: str | None) -> None:
    if password is None:
        raise errors.invalid("current_password", "is required", "required")
    credentials.confirm(ctx, user, password)


def _profile(user: User) -> Profile:
    return Profile(**_profile_fields(user))


def _profile_fields(user: User) -> dict[str, str]:
    return {name: getattr(user, name) for name in Profile.__struct_fields__}


@contextmanager
def _taken_names() -> Iterator[None]:
    try:
        yield
    except Taken as taken:
        raise _conflict("email_address" if taken.index == "users_email_key" else "user_name") from None


def _refuse_taken(ctx: Context, params: Registration) -> None:
    """Before a password is hashed for nothing; the unique indexes decide."""
    with ctx.read():
        for field, name in (("user_name", params.user_name), ("email_address", params.email_address)):
            if store.find(ctx, name):
                raise _conflict(field)


def _conflict(field: str) -> errors.Conflict:
    return errors.Conflict(f"Somebody has this {field} already.", [FieldError(field, "is taken", "taken")])
