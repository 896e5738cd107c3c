"""Who an identity signs in: its user, an account with the same verified address, or a new one; within an open transaction."""

import re

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import fill, gettext
from kalends.core.oidc_providers import Provider
from kalends.core.records.people import AccountStatus, User
from kalends.core.values.text import clean_display_name
from kalends.features.admin.audit import store as audit
from kalends.features.deliveries import store as deliveries
from kalends.features.identities import store
from kalends.features.identities.steps.id_token import Claims
from kalends.features.users import store as users
from kalends.features.users.model import Profile
from kalends.features.users.rules import passwords
from kalends.features.users.steps import account_status, registration
from kalends.http.context import Context
from kalends.http.input import fields
from kalends.policy import site as sites

MAX_NAME = 60
_NOT_OF_NAMES = re.compile(r"[^\w.-]+")

NOT_ALLOWED = gettext("Your account at %(label)s isn’t allowed to use this site. Ask its administrator.")
NO_ACCOUNT = gettext("There is no account here for you yet. Ask the administrator of this site.")
NO_ADDRESS = gettext("Your account at %(label)s has no email address that can be used here. Ask its administrator.")
ADDRESS_TAKEN = gettext("There is an account with your email address already. Sign in to it, then link %(label)s in its settings.")
LINKED_ELSEWHERE = gettext("This account at %(label)s is linked to another account here.")


def lacks_group(provider: Provider, claims: Claims) -> bool:
    """Whether the person is not in the group that everybody must be in."""
    return bool(provider.required_group) and provider.required_group not in claims.groups


def suspend_former_member(ctx: Context, provider: Provider, claims: Claims) -> None:
    """Suspend the account of someone who has left the required group. The last admin, and that for emergencies, are only refused."""
    identity = store.find(ctx, provider.issuer, claims.subject)
    if identity is None:
        return
    user = users.get(ctx, identity.user_id)
    if user.status == "active" and policy.has_other_admin(ctx, user) and not policy.is_emergency_admin(ctx, user):
        account_status.suspend(ctx, user.id)


def link(ctx: Context, provider: Provider, claims: Claims, user_id: int) -> User:
    """Link the identity to the account of the signed-in user."""
    user = users.get(ctx, user_id)
    identity = store.find(ctx, provider.issuer, claims.subject)
    if identity and identity.user_id != user_id:
        raise errors.Conflict(fill(LINKED_ELSEWHERE, label=provider.label))
    if identity is None:
        _insert(ctx, provider, claims, user)
    return user


def admit(ctx: Context, provider: Provider, claims: Claims) -> User:
    """The user of the identity, who may have to wait for approval."""
    identity = store.find(ctx, provider.issuer, claims.subject)
    user = users.get(ctx, identity.user_id) if identity else _find_by_address(ctx, provider, claims) or _create(ctx, provider, claims)
    user = users.lock(ctx, user)
    store.touch(ctx, provider.issuer, claims.subject)
    if user.status == "active" and provider.admin_group:
        _set_role(ctx, user, is_admin=provider.admin_group in claims.groups)
    return user


def _find_by_address(ctx: Context, provider: Provider, claims: Claims) -> User | None:
    """The user who has verified the same address here, where the operator allows to link by it."""
    if not (provider.link_by_email and claims.is_verified and "@" in claims.email_address):
        return None
    user = users.find(ctx, claims.email_address)
    if user is None or user.verified_at is None:
        return None
    _insert(ctx, provider, claims, user)
    return user


def _insert(ctx: Context, provider: Provider, claims: Claims, user: User) -> None:
    store.insert(ctx, user.id, provider.issuer, claims.subject)
    deliveries.insert_account_mail(ctx, user, "notice", "identity_linked")


def _create(ctx: Context, provider: Provider, claims: Claims) -> User:
    """A new account with the name and the address of the identity, as far as the operator lets people sign up."""
    if provider.sign_up == "no":
        raise errors.Forbidden(NO_ACCOUNT)
    values = {"email_address": claims.email_address, "user_name": "unknown"}
    profile, broken = fields.read(Profile, values)
    if profile is None or broken:
        raise errors.Forbidden(fill(NO_ADDRESS, label=provider.label))
    if users.find(ctx, profile.email_address):
        raise errors.Conflict(fill(ADDRESS_TAKEN, label=provider.label))
    profile.user_name = _free_name(ctx, claims)
    profile.name = clean_display_name(claims.name)[:MAX_NAME] or None
    profile.time_zone = sites.get(ctx).time_zone
    status: AccountStatus = "waiting" if provider.sign_up == "approval" else "active"
    user_id = users.insert(ctx, profile, passwords.new_without(), verified=claims.is_verified, status=status)
    store.insert(ctx, user_id, provider.issuer, claims.subject)
    user = users.get(ctx, user_id)
    if not claims.is_verified:
        registration.mail_verification(ctx, user)
    if status == "waiting":
        registration.notify_admins(ctx, user)
    return user


def _free_name(ctx: Context, claims: Claims) -> str:
    """A user name like the one at the provider that nobody has here."""
    wish = claims.user_name or claims.email_address.partition("@")[0]
    name = _NOT_OF_NAMES.sub("-", wish.partition("@")[0]).strip("-")[: MAX_NAME - 6] or "user"
    if users.find(ctx, name) is None:
        return name
    return next(f"{name}-{number}" for number in range(2, 100_000) if users.find(ctx, f"{name}-{number}") is None)


def _set_role(ctx: Context, user: User, *, is_admin: bool) -> None:
    """Give the role that the group stands for. The last admin and that for emergencies stay admins."""
    if is_admin and user.role == "member":
        account_status.change_role(ctx, user, "admin")
    elif not is_admin and user.role == "admin" and policy.has_other_admin(ctx, user) and not policy.is_emergency_admin(ctx, user):
        audit.record(ctx, "role_changed", "account", user.id, "member")
        users.update_role(ctx, user.id, "member")
