"""Notices that a page shows once after a redirect: they wait in a flash cookie."""

import hmac
from collections.abc import Callable
from urllib.parse import quote, unquote

from msgspec import Struct

from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.tokens import derive
from kalends.http.context import Context

COOKIE = "kalends_notice"
COOKIE_SECONDS = 60
PROBLEM = "problem"
MAX_DIGITS = 16
MINUTE = 60

# Texts by their key in the flash cookie.
NOTICES: dict[str, Text] = {
    "created": gettext("Created."),
    "calendar-for-event": gettext("Calendar created. The event is on it now."),
    "published": gettext("Published."),
    "saved": gettext("Saved."),
    "created-already": gettext("This event already exists, so it wasn’t created again."),
    "deleted": gettext("Deleted."),
    "event-saved": gettext("Event saved."),
    "event-cancelled": gettext("Event cancelled."),
    "event-deleted": gettext("Event moved to the trash."),
    "rule-saved": gettext("Repeat rule saved."),
    "sent": gettext("Message sent."),
    "said-yes": gettext("Thanks! You’re going."),
    "said-yes-or-waits": gettext("Thanks for your RSVP. If the event is full, you’re on the waiting list."),
    "said-maybe": gettext("Thanks! You’re down as a maybe."),
    "confirm-response": gettext("Almost done: open the link in the email we’ve just sent you and press “Confirm my RSVP”."),
    "said-no": gettext("Thanks for letting the organiser know you can’t go."),
    "confirm-subscription": gettext("Almost done: open the link in the email we’ve just sent you."),
    "withdrawn": gettext("Invitation withdrawn."),
    "guest-link-sent": gettext("If this address has an RSVP, we’ve just emailed its link."),
    "guest-link-reset": gettext("The old link no longer works. We’ve emailed the guest a new one."),
    "link-reset": gettext("This is your new link. The old one no longer works."),
    "guest-added": gettext("Guest added."),
    "response-removed": gettext("RSVP removed."),
    "commented": gettext("Thanks for your comment."),
    "waiting": gettext("Thanks for your comment. It will appear once the organiser approves it."),
    "copied": gettext("This is your own copy."),
    "shared": gettext("Shared."),
    "unshared": gettext("Sharing stopped."),
    "reset": gettext("The feed has a new link. The old one no longer works."),
    "signed-out": gettext("You’ve signed out."),
    "mailed": gettext("If there is an account with this address, we’ve just emailed it a link."),
    "password": gettext("Password changed. Sign in with the new one."),
    "password-changed": gettext("Password changed. Your other sessions have ended."),
    "verified": gettext("Your email address is confirmed."),
    "verification-sent": gettext("We’ve emailed the link to your address."),
    "ended": gettext("Session ended."),
    "others-ended": gettext("All your other sessions have ended."),
    "passkey-added": gettext("Passkey added. Next time, sign in with it."),
    "passkey-removed": gettext("Passkey removed."),
    "identity-linked": gettext("Linked. You can sign in with it from now on."),
    "identity-unlinked": gettext("Unlinked. It no longer signs you in."),
    "codes-off": gettext("One-time codes are turned off. Your password alone signs you in."),
    "account-deleted": gettext("Your account, its calendars, events and contacts have been deleted."),
    "offered": gettext("They get an email and have 14 days to accept. Until then the calendar stays as it is."),
    "calendar-given": gettext("The calendar has a new owner."),
    "offer-accepted": gettext("The calendar is yours now."),
    "offer-declined": gettext("You’ve declined the calendar."),
    "offer-withdrawn": gettext("The offer is withdrawn."),
    "cohost-added": gettext("Co-host added. They get an email."),
    "cohost-removed": gettext("Co-host removed."),
    "left": gettext("You’ve left the calendar."),
    "left-and-blocked": gettext("You’ve left the calendar and blocked its owner. You can see who you’ve blocked in your settings."),
    "unblocked": gettext("Unblocked. Anything they shared in the meantime has to be shared again."),
    "kept": gettext("Added to your contacts."),
    "approved": gettext("Approved. Everyone can see it now."),
    "account-waiting": gettext(
        "Thanks for signing up. An administrator will review your account, and we’ll email you when you can sign in."
    ),
    "test-sent": gettext("Test email sent. Check your inbox."),
    "person-approved": gettext("Approved. They get an email and can sign in now."),
    "person-refused": gettext("Declined. They get an email, and their sign-up is deleted."),
    "person-suspended": gettext(
        "Suspended. Their sessions have ended, their keys and app passwords are deleted, and nobody can sign in to the account."
    ),
    "person-activated": gettext("They can sign in again."),
    "person-invited": gettext("Invitation sent."),
    "reported": gettext("Thanks. This site’s administrators will take a look."),
    "report-closed": gettext("Closed."),
    "event-hidden": gettext("Hidden. Its editors get an email with the reason."),
    "event-shown": gettext("Visible again. Its editors get an email."),
    "sender-blocked": gettext("Blocked."),
    "sender-unblocked": gettext("Unblocked."),
    "report-reopened": gettext("Reopened."),
    "hidden": gettext("Hidden. Only you and the author can see it now."),
    "removed": gettext("Removed from your subscribers."),
    "undone": gettext("Change undone."),
    "uncancelled": gettext("Cancellation undone."),
    "pinged": gettext("Ping sent. Reload this page to see your receiver’s reply."),
    "followed": gettext("Followed. Its events are here, and stay up to date."),
    "unfollowed": gettext("No longer followed."),
    "fetched": gettext("Fetched."),
    "accepted-run": gettext("Accepted. Its events are up to date now."),
    "detached": gettext("Detached. You can edit the event now, and nothing changes it from elsewhere."),
    "unreadable": gettext("Some parts of that link weren’t valid and were ignored."),
}
# Those that may say how many people get an email.
MAILED = ("event-saved", "event-cancelled", "event-deleted", "rule-saved", "shared", "undone", "uncancelled")
# Those with a number.
COUNTED: dict[str, Callable[[int], Text]] = {
    "answers-set": lambda count: ngettext("1 RSVP changed. Nobody was emailed.", "%(num)s RSVPs changed. Nobody was emailed.", count),
    "invited": lambda count: ngettext("1 invitation will be sent in a minute.", "%(num)s invitations will be sent in a minute.", count),
    "announced": lambda count: ngettext("Sending to 1 person.", "Sending to %(num)s people.", count),
    "redelivered": lambda count: ngettext("Resending 1 delivery.", "Resending %(num)s deliveries.", count),
}


class Notice(Struct, frozen=True):
    """The text of a notice, and the change that its button undoes."""

    text: str
    undo: int | None = None
    # Whom it emails, in a sentence of its own.
    mail: str = ""
    # Whether it says why something was not done.
    is_problem: bool = False


def put(ctx: Context, key: str, count: int | None = None, *, can_undo: bool = False) -> None:
    """Show a notice on the next page; can_undo: with a button that undoes the changes of this request.

    count: the number in it or, of a notice about an event, how many people get an email."""
    undo = ctx.last_change() if can_undo and ctx.actor else None
    ctx.set_cookie(COOKIE, ".".join(["" if part is None else str(part) for part in (key, count, undo)]).rstrip("."), COOKIE_SECONDS)


def put_problem(ctx: Context, detail: str) -> None:
    """Show on the next page why something was not done. The cookie has the text, signed: others can put none on our pages."""
    text = quote(ctx.locale.translate(detail), safe="")
    ctx.set_cookie(COOKIE, f"{PROBLEM}.{_mac(ctx, text)}.{text}", COOKIE_SECONDS)


def take(ctx: Context) -> Notice | None:
    """The notice in the cookie, which is deleted. Neither Back nor a cache shows the page with it again."""
    flash = ctx.caller.cookie(COOKIE)
    if not flash:
        return None
    ctx.set_cookie(COOKIE, "", 0)
    ctx.headers["Cache-Control"] = "no-store"
    if flash.startswith(f"{PROBLEM}."):
        return _problem(ctx, flash)
    key, count, undo = (*flash.split("."), "", "")[:3]
    notice = text(key, count)
    mail = describe_mail(ctx, _number(count)) if key in MAILED and count else ""
    return Notice(notice, _number(undo) or None, mail) if notice else None


def _problem(ctx: Context, flash: str) -> Notice | None:
    _, mac, text = [*flash.split(".", 2), ""][:3]
    is_ours = hmac.compare_digest(mac.encode(errors="replace"), _mac(ctx, text).encode())
    return Notice(unquote(text), is_problem=True) if is_ours else None


def _mac(ctx: Context, text: str) -> str:
    return derive(ctx.settings, "notice of a problem", text)[:22]


def text(key: str, count: str = "") -> str:
    """The text of a notice; empty for a key that is not ours."""
    return COUNTED[key](_number(count)) if key in COUNTED else NOTICES.get(key, "")


def describe_mail(ctx: Context, number: int) -> Text:
    """Whom a notice says that something emails."""
    if number == 0:
        return gettext("Nobody was emailed.")
    if ctx.settings.notice_delay == MINUTE:
        return ngettext("1 person will get an email in a minute.", "%(num)s people will get an email in a minute.", number)
    return ngettext("1 person will get an email.", "%(num)s people will get an email.", number)


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else 0
