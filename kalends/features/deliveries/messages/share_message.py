"""E-mail to a person with whom a calendar is shared."""

from email.message import EmailMessage

from kalends.core.i18n import Text, gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.people import User
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars.sharing_store import Invitation
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.messages.account_message import Wording, compose
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.deliveries.rules.recipient_links import stop_url
from kalends.features.users import store as users
from kalends.http.context import Context


def build(ctx: Context, delivery: Delivery, sharer: User) -> EmailMessage:
    """The message, as the share is now."""
    _, calendar_id, invitation_id = (delivery.cause or "").split(":")
    invitation = sharing.find_by_id(ctx, int(invitation_id))
    if invitation is None or invitation.declined:
        raise Undeliverable("The share had ended before it was sent, or they block the calendar’s owner.")
    if suppressions.is_suppressed(ctx, delivery) or not _is_reached(ctx, invitation):
        raise Undeliverable("They want no such messages, or their account or address takes none.")
    has_account = invitation.user_id is not None
    path = f"/calendars/{calendar_id}" if has_account else f"/sign-in?next=/calendars/{calendar_id}"
    wording = Wording(
        gettext("%(name)s shared the calendar %(calendar)s with you", **_names(sharer, invitation)),
        _text(sharer, invitation),
        gettext("If you don’t want it, open the calendar and choose “Leave calendar”.")
        if has_account
        else gettext("If you don’t want it, ignore this email."),
    )
    url, label = f"{ctx.settings.url}{path}", gettext("View calendar")
    return compose(ctx.settings, delivery, wording, ctx.locale, url, label, stop_url(ctx.settings, delivery.id))


def _is_reached(ctx: Context, invitation: Invitation) -> bool:
    """Whether the user who was named gets mail: where it is really sent, only at an address that is known to be theirs."""
    if invitation.by_address or invitation.user_id is None:
        return True
    user = users.get(ctx, invitation.user_id)
    return user.status == "active" and (user.verified_at is not None or not ctx.settings.sends("email"))


def _text(sharer: User, invitation: Invitation) -> Text:
    names = _names(sharer, invitation)
    texts = {
        "viewer": gettext("%(name)s shared the calendar “%(calendar)s” with you: you can see its events.", **names),
        "editor": gettext("%(name)s shared the calendar “%(calendar)s” with you: you can edit its events.", **names),
        "manager": gettext("%(name)s shared the calendar “%(calendar)s” with you: you can edit its events, change and share it.", **names),
    }
    text = texts[invitation.role]
    if invitation.user_id is not None:
        return text
    return gettext(
        "%(sentence)s %(more)s",
        sentence=text,
        more=gettext("To open it, sign in with this email address, or create an account with it."),
    )


def _names(sharer: User, invitation: Invitation) -> dict[str, str]:
    return {"name": sharer.name or sharer.user_name, "calendar": invitation.calendar_name}
