"""Sharing a calendar with somebody, who gets mail the first time."""

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.records.people import User
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars.model import Sharing
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.model import Notified
from kalends.features.deliveries.steps import limits as sending_limits
from kalends.features.users import store as users
from kalends.http.context import Context


def invite(ctx: Context, calendar: Calendar, params: Sharing) -> Notified:
    """Share the calendar with the person, or change their role."""
    user = _find_other(ctx, calendar, params.user_name)
    user_id, address = (user.id, "") if user else (None, params.user_name)
    before = sharing.find(ctx, calendar.id, user_id=user_id, email_address=address)
    if user:
        sharing.invite_user(ctx, calendar.id, user.id, params.role)
    else:
        sharing.invite_address(ctx, calendar.id, address, params.role)
    if before is None:
        return _notify(ctx, calendar, user, address)
    if before.role != "viewer" and params.role == "viewer":
        sharing.end_editing(ctx, calendar.id)
    return Notified()


def _find_other(ctx: Context, calendar: Calendar, name: str) -> User | None:
    """The user of this name, who must not have the calendar already; None for an e-mail address."""
    if policy.is_own_account(ctx, name):
        raise errors.Conflict(
            gettext("This calendar is already yours.") if calendar.role == "owner" else gettext("You manage this calendar already."),
            [FieldError("user_name", gettext("is your own. Enter someone else’s"), "conflict")],
        )
    if "@" in name:
        return None
    user = policy.required_user(ctx, name)
    if user.id == calendar.owner_id:
        raise errors.Conflict(
            gettext("This person owns the calendar."),
            [FieldError("user_name", gettext("is the owner’s. Enter someone else’s"), "conflict")],
        )
    return user


def _notify(ctx: Context, calendar: Calendar, user: User | None, address: str) -> Notified:
    """Queue the mail. What depends on its recipient is decided when it is sent, so that nothing discloses whether an address has an
    account, or who blocks the owner."""
    sharer = users.get(ctx, policy.user(ctx).id)
    if not (policy.is_verified_sender(ctx) and policy.may_send(ctx, sharer.id) and sending_limits.may_invite(ctx)):
        return Notified()
    invitation = sharing.find(ctx, calendar.id, user_id=user.id if user else None, email_address=address)
    assert invitation
    deliveries.insert_notice(
        ctx,
        sharer,
        "calendar_shared",
        address=user.email_address if user else address,
        cause=f"share:{calendar.id}:{invitation.id}",
        user_name=user.user_name if user else None,
    )
    return Notified(email=1)
