"""Notices that a page shows once after a redirect: they wait in a flash cookie."""

from msgspec import Struct

from kalends.context import Context
from kalends.db import journal

COOKIE = "kalends_notice"
COOKIE_SECONDS = 60
MAX_DIGITS = 16

# Texts by their key in the flash cookie. A pair is the singular and the plural, with {count} for the number.
NOTICES: dict[str, str | tuple[str, str]] = {
    "created": "Created.",
    "saved": "Saved.",
    "created-already": "This event exists already, so no second one was created.",
    "deleted": "Deleted.",
    "sent": "The message is on its way.",
    "said-yes": "Thank you. You said yes.",
    "said-yes-or-waits": "Thank you. If all places are taken, you are on the waiting list.",
    "said-maybe": "Thank you. You said maybe.",
    "confirm-response": "Thank you. Open the link in the mail that we have sent you: your response counts from then on.",
    "said-no": "Thank you. You said no.",
    "announced": ("It is on its way to 1 person.", "It is on its way to {count} people."),
    "confirm-subscription": "Almost done: follow the link in the mail that we have sent you.",
    "withdrawn": "The invitation is taken back.",
    "guest-link-sent": "If this address has responded, a message with its link is on its way.",
    "guest-link-reset": "The old link has stopped, and a new one is on its way to the guest.",
    "link-reset": "This is your new link. The old one has stopped.",
    "guest-added": "The guest is on the list.",
    "response-removed": "The response is removed.",
    "commented": "Thank you for your comment.",
    "waiting": "Thank you. Your comment will appear when the organiser has approved it.",
    "copied": "This is your own copy.",
    "shared": "Shared.",
    "unshared": "No longer shared.",
    "reset": "The feed has a new address, and the old one has stopped.",
    "signed-out": "You are signed out.",
    "mailed": "If we know this address, a message with a link is on its way to it.",
    "password": "You have a new password. Sign in with it.",
    "password-changed": "You have a new password, and your other sessions have ended.",
    "verified": "Your e-mail address is verified.",
    "verification-sent": "The link is on its way to your address.",
    "ended": "The session has ended.",
    "others-ended": "All your other sessions have ended.",
    "account-deleted": "Your account, its calendars, events and contacts are deleted.",
    "left": "You have left the calendar.",
    "left-and-blocked": "You have left the calendar and blocked its owner. Your settings list whom you block.",
    "unblocked": "Unblocked. What was shared with you meanwhile has to be shared again.",
    "kept": "Added to your contacts.",
    "approved": "Approved. Everyone sees it now.",
    "reported": "Thank you. The administrators of this site will look at it.",
    "report-closed": "Closed.",
    "report-reopened": "It is open again.",
    "hidden": "Hidden. Only you and its author see it now.",
    "removed": "Removed from the list.",
    "undone": "Undone.",
    "pinged": "The ping is on its way. Reload this page to see how your receiver replied.",
    "redelivered": ("1 delivery is on its way again.", "{count} deliveries are on their way again."),
    "unreadable": "Some parameters of that address were not valid and were left out.",
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
    notice = NOTICES.get(key, "")
    number = _number(count)
    if isinstance(notice, tuple):
        notice = notice[0] if number == 1 else notice[1]
    return notice.replace("{count}", f"{number:,}")


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else 0
