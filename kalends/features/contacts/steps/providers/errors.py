"""Errors of contact imports: each problem type says what to do next."""

from kalends.core.errors import Code, FieldError, Invalid
from kalends.core.i18n import gettext

NAMES = {"google": "Google", "outlook": "Microsoft", "yahoo": "Yahoo"}
APP_PASSWORDS = {
    "google": "turn on 2-Step Verification, open https://myaccount.google.com/apppasswords, make one and give its 16 letters as password",
    "yahoo": "open https://login.yahoo.com/account/security, choose 'Generate app password' and give its 16 letters as password",
}
FILE = "What always works: export your contacts there as a .vcf file, and send it to POST /api/contacts as 'file'."


class Refusal(Invalid):
    """One field of the import was rejected; the detail gives advice beyond the field's message."""

    def __init__(self, field: str, message: str, advice: str, code: Code = "wrong"):
        super().__init__([FieldError(field, message, code)], f"{message[:1].upper()}{message[1:]}. {advice} {FILE}")


class WrongPassword(Refusal):
    """A provider of contacts does not know this user name with this password."""

    kind = "provider-wrong-password"
    title = gettext("The service rejected the password")


class AppPasswordNeeded(Refusal):
    """A provider of contacts refused what does not look like an app password."""

    kind = "provider-app-password-needed"
    title = gettext("The service requires an app password")


class OAuthNeeded(Refusal):
    """A password alone does not open this account of a provider of contacts: send an `access_token`."""

    kind = "provider-oauth-needed"
    title = gettext("The service requires sign-in with OAuth")


class WrongToken(Refusal):
    """The `access_token` of a provider of contacts is wrong, has expired, or may not read contacts."""

    kind = "provider-wrong-token"
    title = gettext("The service rejected the token")


class ProviderReplyInvalid(Refusal):
    """What a provider of contacts sent cannot be used: no list of contacts, too large, too many, or it leads to another host."""

    kind = "provider-invalid-reply"
    title = gettext("The service’s reply can’t be used")


def wrong_password(service: str) -> Refusal:
    advice = "Check user_name and password."
    if service in APP_PASSWORDS:
        advice = f"Check user_name, or make a new app password: {APP_PASSWORDS[service]}."
    return WrongPassword("password", f"{NAMES[service]} does not know this user_name with this password", advice)


def app_password_needed(service: str) -> Refusal:
    message = f"{NAMES[service]} refused it, since it takes an app password and not that of the account; or it is wrong"
    return AppPasswordNeeded("password", message, f"To make one: {APP_PASSWORDS[service]}.")


def oauth_needed(service: str) -> Refusal:
    message = f"{NAMES[service]} does not open this account with a password alone"
    return OAuthNeeded("password", message, "Sign-in by OAuth is needed: give an access_token that may read your contacts instead.")


def wrong_token(service: str) -> Refusal:
    message = f"{NAMES[service]} refused it: it is wrong, has expired, or may not read contacts"
    return WrongToken("access_token", message, "Get a new one that may read your contacts.")


def unexpected_reply(service: str, reason: str) -> Refusal:
    return ProviderReplyInvalid(
        "service", f"{NAMES[service]} sent no list of contacts that can be read: {reason}", "Nothing was changed.", "invalid"
    )
