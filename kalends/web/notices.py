"""Notices that a page shows once after a redirect: they wait in a flash cookie."""

from collections.abc import Callable

from msgspec import Struct

from kalends.context import Context
from kalends.db import journal
from kalends.i18n import Text, gettext, ngettext

COOKIE = "kalends_notice"
COOKIE_SECONDS = 60
MAX_DIGITS = 16

# Texts by their key in the flash cookie.
NOTICES: dict[str, Text] = {
    "created": gettext("Created."),
    "published": gettext("Published."),
    "saved": gettext("Saved."),
    "created-already": gettext("This event exists already, so no second one was created."),
    "deleted": gettext("Deleted."),
    "sent": gettext("The message is on its way."),
    "said-yes": gettext("Thank you. You said yes."),
    "said-yes-or-waits": gettext("Thank you. If all places are taken, you are on the waiting list."),
    "said-maybe": gettext("Thank you. You said maybe."),
    "confirm-response": gettext("Thank you. Open the link in the mail that we have sent you: your response counts from then on."),
    "confirm-places": gettext(
        "Thank you. Places are held for you for a short time: open the link in the mail that we have sent you to keep them."
    ),
    "said-no": gettext("Thank you. You said no."),
    "confirm-subscription": gettext("Almost done: follow the link in the mail that we have sent you."),
    "withdrawn": gettext("The invitation is taken back."),
    "guest-link-sent": gettext("If this address has responded, a message with its link is on its way."),
    "guest-link-reset": gettext("The old link has stopped, and a new one is on its way to the guest."),
    "link-reset": gettext("This is your new link. The old one has stopped."),
    "guest-added": gettext("The guest is on the list."),
    "response-removed": gettext("The response is removed."),
    "commented": gettext("Thank you for your comment."),
    "waiting": gettext("Thank you. Your comment will appear when the organiser has approved it."),
    "copied": gettext("This is your own copy."),
    "shared": gettext("Shared."),
    "unshared": gettext("No longer shared."),
    "reset": gettext("The feed has a new address, and the old one has stopped."),
    "signed-out": gettext("You are signed out."),
    "mailed": gettext("If we know this address, a message with a link is on its way to it."),
    "password": gettext("You have a new password. Sign in with it."),
    "password-changed": gettext("You have a new password, and your other sessions have ended."),
    "verified": gettext("Your e-mail address is verified."),
    "verification-sent": gettext("The link is on its way to your address."),
    "ended": gettext("The session has ended."),
    "others-ended": gettext("All your other sessions have ended."),
    "account-deleted": gettext("Your account, its calendars, events and contacts are deleted."),
    "left": gettext("You have left the calendar."),
    "left-and-blocked": gettext("You have left the calendar and blocked its owner. Your settings list whom you block."),
    "unblocked": gettext("Unblocked. What was shared with you meanwhile has to be shared again."),
    "kept": gettext("Added to your contacts."),
    "approved": gettext("Approved. Everyone sees it now."),
    "account-waiting": gettext("Thank you. An administrator looks at your registration, and you get mail about it."),
    "test-sent": gettext("The test message is on its way to you."),
    "person-approved": gettext("Approved. They get mail, and can sign in."),
    "person-refused": gettext("Refused. They get mail, and their registration is deleted."),
    "person-suspended": gettext("Suspended. Their sessions have ended, and nobody can sign in to the account."),
    "person-activated": gettext("They can sign in again."),
    "person-invited": gettext("The invitation is on its way."),
    "reported": gettext("Thank you. The administrators of this site will look at it."),
    "report-closed": gettext("Closed."),
    "event-hidden": gettext("Hidden. Its editors get mail with the reason."),
    "event-shown": gettext("It is shown again, and its editors get mail."),
    "sender-blocked": gettext("Blocked."),
    "sender-unblocked": gettext("Accepted again."),
    "report-reopened": gettext("It is open again."),
    "hidden": gettext("Hidden. Only you and its author see it now."),
    "removed": gettext("Removed from the list."),
    "undone": gettext("Undone."),
    "pinged": gettext("The ping is on its way. Reload this page to see how your receiver replied."),
    "unreadable": gettext("Some parameters of that address were not valid and were left out."),
}
# Those with a number.
COUNTED: dict[str, Callable[[int], Text]] = {
    "announced": lambda count: ngettext("It is on its way to 1 person.", "It is on its way to %(num)s people.", count),
    "redelivered": lambda count: ngettext("1 delivery is on its way again.", "%(num)s deliveries are on their way again.", count),
}


class Notice(Struct, frozen=True):
    """The text of a notice, and the change that its button undoes."""

    text: str
    undo: int | None = None


def put(ctx: Context, key: str, count: int | None = None, *, can_undo: bool = False) -> None:
    """Have the next page show a notice; can_undo: with a button that undoes the changes of this request."""
    undo = journal.last_of_set(ctx.tx, ctx.author().set_id) if can_undo and ctx.actor else None
    ctx.set_cookie(COOKIE, ".".join(["" if part is None else str(part) for part in (key, count, undo)]).rstrip("."), COOKIE_SECONDS)


def take(ctx: Context) -> Notice | None:
    """The notice in the cookie, which is deleted. Neither Back nor a cache shows the page with it again."""
    flash = ctx.caller.cookie(COOKIE)
    if not flash:
        return None
    ctx.set_cookie(COOKIE, "", 0)
    ctx.headers["Cache-Control"] = "no-store"
    key, count, undo = (*flash.split("."), "", "")[:3]
    notice = text(key, count)
    return Notice(notice, _number(undo) or None) if notice else None


def text(key: str, count: str = "") -> str:
    """The text of a notice; empty for a key that is not ours."""
    return COUNTED[key](_number(count)) if key in COUNTED else NOTICES.get(key, "")


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else 0
