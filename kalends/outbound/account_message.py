"""E-mail about an account: password reset, address verification and notices of changes."""

from email.message import EmailMessage
from typing import cast

from msgspec import Struct

from kalends.i18n import Text, gettext
from kalends.i18n.locale import ENGLISH, Locale
from kalends.outbound.message import add_bodies, envelope
from kalends.records.delivery import ChangeNotice, Delivery
from kalends.records.user import User
from kalends.settings import Settings
from kalends.users.reset_link import reset_url
from kalends.users.verify_link import verify_url
from kalends.web.render import render_text


class Wording(Struct, frozen=True):
    """What a message says, and what to do if it is wrong."""

    subject: Text
    text: Text
    otherwise: Text


def reset(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """The password reset link."""
    wording = Wording(
        gettext("A new password"),
        gettext(
            "Someone asked for a new password for %(user_name)s on %(service)s. If it was you, choose one here within the hour.",
            **_names(settings, user),
        ),
        gettext("If it was not you, do nothing: your password stays as it is."),
    )
    url = reset_url(settings, user, delivery.created_at)
    return compose(settings, delivery, wording, locale, url, gettext("Choose a new password"))


def verify(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """The link to verify the e-mail address."""
    wording = Wording(
        gettext("Verify your address"),
        gettext(
            "The account %(user_name)s on %(service)s has this e-mail address. If it is yours, say so within a week.",
            **_names(settings, user),
        ),
        gettext("If you did not make this account, do nothing. Nobody can act in your name by it."),
    )
    url = verify_url(settings, user, delivery.created_at)
    return compose(settings, delivery, wording, locale, url, gettext("Verify this address"))


def notice(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """A notice of a change of the account, in case someone else made it."""
    wordings = _notices(_names(settings, user))
    return compose(settings, delivery, wordings[cast(ChangeNotice, delivery.notice or "password_changed")], locale)


def _notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    not_me = gettext(
        "If it was not you, set a new password at once: %(service)s/reset. That ends all sessions and deletes all keys.",
        service=names["service"],
    )
    return {
        "password_changed": Wording(
            gettext("Your password was changed"), gettext("The password of %(user_name)s on %(service)s was changed.", **names), not_me
        ),
        "password_reset": Wording(
            gettext("Your password was changed"),
            gettext(
                "A new password for %(user_name)s on %(service)s was set by a link that was mailed to this address. "
                "All sessions ended, and all keys were deleted.",
                **names,
            ),
            not_me,
        ),
        "address_changed": Wording(
            gettext("Your e-mail address was changed"),
            gettext("The account %(user_name)s on %(service)s has another e-mail address now. Its mail no longer comes here.", **names),
            gettext("If it was not you, write to the administrator of %(service)s.", service=names["service"]),
        ),
        "key_created": Wording(
            gettext("A new key"),
            gettext("A new key was made for %(user_name)s on %(service)s. A program can act for you with it.", **names),
            not_me,
        ),
        **_webhook_notices(names),
    }


def _webhook_notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    return {
        "webhook_created": Wording(
            gettext("A new webhook"),
            gettext(
                "A new webhook was made for %(user_name)s on %(service)s. Changes that you can see are sent to an address outside.",
                **names,
            ),
            gettext(
                "If it was not you, delete it (GET /api/webhooks lists it), and set a new password at once: %(service)s/reset.",
                service=names["service"],
            ),
        ),
        "webhook_disabled": Wording(
            gettext("A webhook was switched off"),
            gettext(
                "A webhook of %(user_name)s on %(service)s was switched off, since its receiver has not accepted anything for five days. "
                "GET /api/webhooks says which.",
                **names,
            ),
            gettext("Repair the receiver, then enable the webhook again: it goes on where it stopped."),
        ),
    }


def _names(settings: Settings, user: User) -> dict[str, str]:
    return {"user_name": user.user_name, "service": settings.url}


def compose(
    settings: Settings, delivery: Delivery, wording: Wording, locale: Locale, url: str = "", label: Text | None = None
) -> EmailMessage:
    """The mail with this wording, and a button that leads to the URL."""
    subject, text, otherwise = map(locale.translate, (wording.subject, wording.text, wording.otherwise))
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    html = render_text("deliveries/account.html", locale, subject=subject, text=text, otherwise=otherwise, url=url, label=label)
    add_bodies(message, "\n\n".join(filter(None, (text, url, otherwise))) + "\n", html)
    return message
