"""Registrations: by invitation, with the approval of an admin, or open to all."""

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.delivery import AccountNotice
from kalends.core.records.people import AccountInvitation, AccountStatus, User
from kalends.core.values.text import fold_case
from kalends.features.admin.audit import store as audit
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.steps import limits as sending_limits
from kalends.features.users import invitation_store as invitations
from kalends.features.users import store
from kalends.features.users.model import Registration
from kalends.features.users.steps import first_admin
from kalends.http.context import Context
from kalends.policy import site as sites


class Admission(Struct, frozen=True):
    """How someone may register: with which invitation, and what the status of the account is then."""

    status: AccountStatus
    invitation: AccountInvitation | None = None
    # Whether they have the code of the first administrator.
    is_first_admin: bool = False


def admit(ctx: Context, params: Registration) -> Admission:
    """How they may register. Raises Forbidden if they may not."""
    if params.invitation and first_admin.is_valid(ctx, params.invitation):
        return Admission("active", is_first_admin=True)
    invitation = load_invitation(ctx, params.invitation) if params.invitation else None
    admission = Admission(policy.status_of_new_account(sites.get(ctx), is_invited=invitation is not None), invitation)
    if invitation and fold_case(params.email_address) != invitation.email_key:
        raise errors.invalid("email_address", gettext("must be the address that was invited"), "conflict")
    return admission


def load_invitation(ctx: Context, token: str) -> AccountInvitation:
    """The invitation of the token. Raises Forbidden if it is not valid, and before the first administrator names the field of the code."""
    invitation = invitations.find(ctx, token)
    if invitation is None and not policy.has_admin(ctx):
        raise errors.Forbidden(first_admin.WRONG, [FieldError("invitation", first_admin.WRONG, "wrong")])
    if invitation is None:
        raise errors.Forbidden(invitations.VOID)
    return invitation


def insert(ctx: Context, params: Registration, password_hash: str, admission: Admission) -> User | None:
    """Insert the user, with mail to them and to the admins who have to approve.

    None if it waits and the address has an account already: then its owner gets mail, and nobody else learns of it."""
    if admission.status == "waiting" and (owner := store.find(ctx, params.email_address)):
        sending_limits.count_link(ctx)
        _notify_once_a_day(ctx, owner, "address_registered")
        return None
    if admission.invitation:
        invitations.use(ctx, admission.invitation)
    # The link of an invitation was mailed to the address, so it is verified.
    is_verified = admission.invitation is not None
    user = store.get(ctx, store.insert(ctx, params, password_hash, verified=is_verified, status=admission.status))
    if admission.is_first_admin:
        user = _make_first_admin(ctx, user)
    if not is_verified:
        mail_verification(ctx, user)
    if admission.status == "waiting":
        notify_admins(ctx, user)
    return user


def _make_first_admin(ctx: Context, user: User) -> User:
    """Give the user the role. Raises Forbidden if someone else used the code at the same time."""
    ctx.tx.advisory_lock("first admin")
    if policy.has_admin(ctx):
        raise errors.Forbidden(invitations.VOID)
    store.update_role(ctx, user.id, "admin")
    audit.record(ctx, "account_created", "account", user.id, "admin")
    return store.get(ctx, user.id)


def mail_verification(ctx: Context, user: User) -> None:
    """Mail a link to verify the address, within a limit, because the address may belong to someone else."""
    sending_limits.count_link(ctx)
    languages.remember(ctx, user.email_address)
    deliveries.insert_account_mail(ctx, user, "verify")


def notify_admins(ctx: Context, user: User) -> None:
    """Mail the admins that someone waits: when nobody else does, and once a day while others join."""
    is_first = not store.has_other_waiting(ctx, user.id)
    for admin in store.find_admins(ctx):
        if is_first:
            deliveries.insert_notice(ctx, admin, "account_waiting")
        else:
            _notify_once_a_day(ctx, admin, "account_waiting")


def _notify_once_a_day(ctx: Context, user: User, notice: AccountNotice) -> None:
    """Strangers cause these notices, so their number has a limit."""
    if not deliveries.was_notified(ctx, user, notice, ctx.now - deliveries.DAY):
        deliveries.insert_notice(ctx, user, notice)
