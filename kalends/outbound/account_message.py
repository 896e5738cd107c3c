"""E-mail about an account: password reset, address verification and notices of changes."""

from email.message import EmailMessage
from typing import cast

from kalends.outbound.message import add_bodies, envelope
from kalends.records.delivery import AccountNotice, Delivery
from kalends.records.user import User
from kalends.settings import Settings
from kalends.users.reset_link import reset_url
from kalends.users.verify_link import verify_url
from kalends.web.render import render_text

RESET = (
    "A new password",
    "Somebody asked for a new password for {user_name} on {service}. If it was you, choose one here within the hour.",
    "Choose a new password",
    "If it was not you, do nothing: your password stays as it is.",
)
VERIFY = (
    "Verify your address",
    "The account {user_name} on {service} has this e-mail address. If it is yours, say so within a week.",
    "Verify this address",
    "If you did not make this account, do nothing. Nobody can act in your name by it.",
)
NOT_ME = "If it was not you, set a new password at once: {service}/reset. That ends all sessions and deletes all keys."
NOTICES: dict[AccountNotice, tuple[str, str, str]] = {
    "password_changed": ("Your password was changed", "The password of {user_name} on {service} was changed.", NOT_ME),
    "password_reset": (
        "Your password was changed",
        "A new password for {user_name} on {service} was set by a link that was mailed to this address. All sessions ended, and all keys "
        "were deleted.",
        NOT_ME,
    ),
    "address_changed": (
        "Your e-mail address was changed",
        "The account {user_name} on {service} has another e-mail address now. Its mail no longer comes here.",
        "If it was not you, write to whoever operates {service}.",
    ),
    "key_created": ("A new key", "A new key was made for {user_name} on {service}. A program can act for you with it.", NOT_ME),
    "webhook_created": (
        "A new webhook",
        "A new webhook was made for {user_name} on {service}. Changes that you can see are sent to an address outside.",
        "If it was not you, delete it (GET /api/webhooks lists it), and set a new password at once: {service}/reset.",
    ),
    "webhook_disabled": (
        "A webhook was switched off",
        "A webhook of {user_name} on {service} was switched off, since its receiver has not accepted anything for five days. "
        "GET /api/webhooks says which.",
        "Repair the receiver, then enable the webhook again: it goes on where it stopped.",
    ),
}


def reset(settings: Settings, delivery: Delivery, user: User) -> EmailMessage:
    """The password reset link."""
    subject, text, label, otherwise = RESET
    return _message(settings, delivery, user, subject, text, otherwise, reset_url(settings, user, delivery.created_at), label)


def verify(settings: Settings, delivery: Delivery, user: User) -> EmailMessage:
    """The link to verify the e-mail address."""
    subject, text, label, otherwise = VERIFY
    return _message(settings, delivery, user, subject, text, otherwise, verify_url(settings, user, delivery.created_at), label)


def notice(settings: Settings, delivery: Delivery, user: User) -> EmailMessage:
    """A notice of a change of the account, in case somebody else made it."""
    subject, text, otherwise = NOTICES[cast(AccountNotice, delivery.notice or "password_changed")]
    return _message(settings, delivery, user, subject, text, otherwise)


def _message(
    settings: Settings, delivery: Delivery, user: User, subject: str, text: str, otherwise: str, url: str = "", label: str = ""
) -> EmailMessage:
    names = {"user_name": user.user_name, "service": settings.url}
    text, otherwise = text.format(**names), otherwise.format(**names)
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    html = render_text("deliveries/account.html", subject=subject, text=text, otherwise=otherwise, url=url, label=label)
    add_bodies(message, "\n\n".join(filter(None, (text, url, otherwise))) + "\n", html)
    return message
