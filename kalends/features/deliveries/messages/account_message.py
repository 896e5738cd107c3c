"""E-mail about an account: password reset, address verification and notices of changes."""

from email.message import EmailMessage
from typing import cast

from msgspec import Struct

from kalends.core.i18n import Text, gettext
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.records.delivery import ChangeNotice, Delivery
from kalends.core.records.people import User
from kalends.core.settings import Settings
from kalends.features.deliveries.messages.message import add_bodies, envelope
from kalends.features.users.steps.mailed_links import reset_url, verify_url
from kalends.web.render import render_text


class Wording(Struct, frozen=True):
    """What a message says, and what to do if it is wrong."""

    subject: Text
    text: Text
    otherwise: Text


def reset(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """The password reset link."""
    wording = Wording(
        gettext("Reset your password"),
        gettext(
            "Someone asked to reset the password of %(user_name)s on %(service)s. If it was you, choose a new one within the hour.",
            **_names(settings, user),
        ),
        gettext("If this wasn’t you, ignore this email. Your password stays the same."),
    )
    url = reset_url(settings, user, delivery.created_at)
    return compose(settings, delivery, wording, locale, url, gettext("Choose a new password"))


def verify(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """The link to verify the e-mail address."""
    wording = Wording(
        gettext("Confirm your email address"),
        gettext(
            "This email address was used for the account %(user_name)s on %(service)s. Confirm within a week that it’s yours.",
            **_names(settings, user),
        ),
        gettext("If you didn’t create this account, ignore this email. Nobody can use your address without this confirmation."),
    )
    url = verify_url(settings, user, delivery.created_at)
    return compose(settings, delivery, wording, locale, url, gettext("Confirm this address"))


def notice(settings: Settings, delivery: Delivery, user: User, locale: Locale = ENGLISH) -> EmailMessage:
    """A notice of a change of the account, in case someone else made it."""
    if delivery.notice == "device_connected":
        return compose(settings, delivery, _device((delivery.cause or "").split(":", 2)[-1], _names(settings, user)), locale)
    wordings = _notices(_names(settings, user))
    return compose(settings, delivery, wordings[cast(ChangeNotice, delivery.notice or "password_changed")], locale)


def _notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    not_me = gettext(
        "If this wasn’t you, change your password now: %(service)s/reset. That ends all sessions and deletes all API keys.",
        service=names["service"],
    )
    ask_admin = gettext("If this wasn’t you, contact the administrator of %(service)s.", service=names["service"])
    return {
        "password_changed": Wording(
            gettext("Your password was changed"), gettext("The password of %(user_name)s on %(service)s was changed.", **names), not_me
        ),
        "password_reset": Wording(
            gettext("Your password was changed"),
            gettext(
                "The password for %(user_name)s on %(service)s was reset with a link sent to this address. All "
                "sessions were ended and all API keys deleted.",
                **names,
            ),
            not_me,
        ),
        "address_changed": Wording(
            gettext("Your email address was changed"),
            gettext(
                "The account %(user_name)s on %(service)s now uses a different email address. This one won’t get its emails any more.",
                **names,
            ),
            ask_admin,
        ),
        "key_created": Wording(
            gettext("An API key was created"),
            gettext("A new API key was created for %(user_name)s on %(service)s. Apps can use it to act on your behalf.", **names),
            not_me,
        ),
        # The notice is that of an admin, since the account is gone: without its name.
        "account_deleted": Wording(
            gettext("Your account was deleted"),
            gettext("Your account on %(service)s was deleted. You can’t sign in any more.", service=names["service"]),
            ask_admin,
        ),
        **_code_notices(names, not_me),
        **_passkey_notices(names),
        **_identity_notices(names),
        **_webhook_notices(names),
        **_source_notices(names),
    }


def _device(device: str, names: dict[str, str]) -> Wording:
    """device: what its user calls it."""
    return Wording(
        gettext("You connected a device: %(device)s", device=device),
        gettext(
            "%(device)s now has an app password for %(user_name)s on %(service)s. "
            "With it, it can use your calendars and contacts, and nothing else.",
            device=device,
            **names,
        ),
        gettext("If this wasn’t you, disconnect it: %(service)s/account/devices. Then change your password.", service=names["service"]),
    )


def _code_notices(names: dict[str, str], not_me: Text) -> dict[ChangeNotice, Wording]:
    return {
        "codes_enabled": Wording(
            gettext("One-time codes were turned on"),
            gettext("Signing in as %(user_name)s on %(service)s with the password now also takes a code from an app.", **names),
            not_me,
        ),
        "codes_disabled": Wording(
            gettext("One-time codes were turned off"),
            gettext("Signing in as %(user_name)s on %(service)s no longer takes a code. The password alone is enough.", **names),
            not_me,
        ),
        "recovery_codes_renewed": Wording(
            gettext("New recovery codes were made"),
            gettext("%(user_name)s on %(service)s has new recovery codes. The old ones no longer work.", **names),
            not_me,
        ),
        "recovery_code_used": Wording(
            gettext("A recovery code was used"),
            gettext("Someone signed in as %(user_name)s on %(service)s with the password and a recovery code.", **names),
            not_me,
        ),
    }


def _passkey_notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    not_me = gettext(
        "If this wasn’t you, change your password now: %(service)s/reset. Then check your passkeys: %(service)s/account/passkeys.",
        service=names["service"],
    )
    return {
        "passkey_added": Wording(
            gettext("A passkey was added"),
            gettext("A new passkey signs in as %(user_name)s on %(service)s, without the password.", **names),
            not_me,
        ),
        "passkey_removed": Wording(
            gettext("A passkey was removed"), gettext("A passkey of %(user_name)s on %(service)s no longer signs in.", **names), not_me
        ),
        "passkey_copied": Wording(
            gettext("A passkey may have been copied"),
            gettext(
                "A passkey of %(user_name)s on %(service)s counted backwards, as a copy of it would. It wasn’t signed in.",
                **names,
            ),
            gettext("Remove the passkey, and add a new one: %(service)s/account/passkeys.", service=names["service"]),
        ),
    }


def _identity_notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    not_me = gettext(
        "If this wasn’t you, check which accounts sign you in: %(service)s/account/identities. Then sign out everywhere.",
        service=names["service"],
    )
    return {
        "identity_linked": Wording(
            gettext("A sign-in was linked"),
            gettext("An account elsewhere now signs in as %(user_name)s on %(service)s.", **names),
            not_me,
        ),
        "identity_unlinked": Wording(
            gettext("A sign-in was unlinked"),
            gettext("An account elsewhere no longer signs in as %(user_name)s on %(service)s.", **names),
            not_me,
        ),
    }


def _webhook_notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    return {
        "webhook_created": Wording(
            gettext("A webhook was created"),
            gettext(
                "A new webhook was created for %(user_name)s on %(service)s. It sends every change you can see to an outside address.",
                **names,
            ),
            gettext(
                "If this wasn’t you, delete the webhook (GET /api/webhooks lists it) and change your password now: %(service)s/reset.",
                service=names["service"],
            ),
        ),
        "webhook_disabled": Wording(
            gettext("A webhook was turned off"),
            gettext(
                "A webhook of %(user_name)s on %(service)s was turned off because its receiver hasn’t accepted "
                "anything for five days. GET /api/webhooks shows which one.",
                **names,
            ),
            gettext("Fix the receiver, then turn the webhook back on. It continues where it stopped."),
        ),
    }


def _source_notices(names: dict[str, str]) -> dict[ChangeNotice, Wording]:
    return {
        "source_held": Wording(
            gettext("A calendar that you follow needs a look"),
            gettext(
                "%(user_name)s follows a calendar on %(service)s that couldn’t be read, or would have changed too much at once. "
                "Nothing was changed here.",
                **names,
            ),
            gettext("Open your calendar and choose Calendars from elsewhere: it says what happened, and what you can do."),
        ),
        "source_paused": Wording(
            gettext("A calendar is no longer followed"),
            gettext(
                "%(user_name)s follows a calendar on %(service)s that couldn’t be read for seven days. It isn’t fetched any more. "
                "Its events stay as they were.",
                **names,
            ),
            gettext("Open your calendar and choose Calendars from elsewhere to stop following it or to follow it again."),
        ),
    }


def _names(settings: Settings, user: User) -> dict[str, str]:
    return {"user_name": user.user_name, "service": settings.url}


def compose(
    settings: Settings, delivery: Delivery, wording: Wording, locale: Locale, url: str = "", label: Text | None = None, stop: str = ""
) -> EmailMessage:
    """The mail with this wording, and a button that leads to the URL. stop: the link to get no more of these."""
    subject, text, otherwise = map(locale.translate, (wording.subject, wording.text, wording.otherwise))
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    values = {"subject": subject, "text": text, "otherwise": otherwise, "url": url, "label": label, "stop": stop}
    html = render_text("deliveries/account.html", locale, **values, site=settings)
    if stop:
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        otherwise = f"{otherwise}\n{locale.translate(gettext('Stop these messages: %(url)s', url=stop))}"
    add_bodies(message, "\n\n".join(filter(None, (text, url, otherwise))) + "\n", html)
    return message
