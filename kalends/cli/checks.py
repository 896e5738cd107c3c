"""`kalends doctor`: the problems of an installation, each with its solution."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from kalends.core import oidc_providers
from kalends.core.errors import Unavailable
from kalends.core.oidc_providers import Provider
from kalends.core.records.delivery import Channel
from kalends.core.settings import Settings, WrongSetting, variable
from kalends.core.transports import Mailbox, mailbox
from kalends.core.values import timestamps
from kalends.core.values.phone import to_e164
from kalends.db import Database, Transaction, open_database, shared_secret
from kalends.db.migrate import find_mismatch
from kalends.features.admin.model import CheckItem
from kalends.features.admin.steps import checks
from kalends.features.deliveries.messages.message import envelope
from kalends.features.deliveries.rules.outcome import Outcome
from kalends.features.identities.steps import provider_documents
from kalends.http.context import Context
from kalends.mail import mail, sms
from kalends.mail.inbound import imap

CHANNELS: dict[Channel, str] = {"email": "e-mail", "sms": "SMS"}
LOOPBACK = ("127.0.0.1", "::1", "localhost")
TEST_MESSAGE = "This is a test message of Kalends. It can send."


def find_problems(settings: Settings) -> dict[str, str | None]:
    """Each part with its problem, or None."""
    return {
        "settings": _settings(settings),
        "data folder": _folder(settings.folder),
        "database": _database(settings),
        "e-mail": _problem(lambda: mail.check(settings)),
        **({"SMS": _sms_countries(settings)} if settings.sends("sms") else {}),
        **{f"sign-in with {each.label}": _provider(each) for each in oidc_providers.read(settings.oidc).values()},
        **({"passwords off": _passwords(settings)} if settings.passwords == "off" else {}),
        **({"mailbox for replies": _mailbox(box)} if (box := mailbox(settings.inbound)) else {}),
    }


def check_site(settings: Settings) -> list[CheckItem]:
    """What the page of the service's health shows too; of the database, only if it can be used."""
    found = [*checks.check_base_url(settings), *checks.check_settings(settings)]
    if _database(settings) is None:
        with closing(open_database(settings)) as db:
            ctx = Context(db, settings, timestamps.now())
            with ctx.read():
                found += checks.check_records(ctx)
    return found


def unsent_channels(settings: Settings) -> dict[str, str]:
    """The kinds of messages that are written to files because no service sends them, each with the variable that names one."""
    return {label: variable(channel) for channel, label in CHANNELS.items() if not settings.sends(channel)}


def try_email(settings: Settings, address: str) -> str | None:
    """Send a test message; returns the problem, or None."""

    def send() -> None:
        # Mail programs show a Message-ID only once, so each test has its own.
        message = envelope(settings, address, TEST_MESSAGE, f"test-{timestamps.now()}", timestamps.now())
        message.set_content(f"{TEST_MESSAGE}\n\n{settings.url}\n")
        mail.send(settings, message, address)

    return _problem(send)


def try_sms(settings: Settings, number: str) -> str | None:
    """Send a test SMS; returns the problem, or None."""
    e164_number = to_e164(number)
    if e164_number is None:
        return f"{number} is no phone number with its country's code, such as +33612345678."
    return _problem(lambda: sms.send(settings, e164_number, f"{TEST_MESSAGE} {settings.url}", "test"))


def _problem(attempt: Callable[[], None]) -> str | None:
    try:
        attempt()
    except Outcome as error:
        return str(error)
    return None


def _mailbox(box: Mailbox) -> str | None:
    try:
        imap.check(box)
    except imap.MailboxFailed as error:
        return f"{error} Replies to invitations do not arrive: correct {variable('inbound')}, or what the mail server says."
    return None


def _provider(provider: Provider) -> str | None:
    """What is wrong with a provider of OpenID Connect, by its discovery document and its keys."""
    try:
        provider_documents.find_keys(provider_documents.find_endpoints(provider))
    except provider_documents.ProviderFailed as failed:
        return f"{failed} Correct [{provider.name}] in {variable('oidc')}, or ask who runs the provider."
    return None


def _passwords(settings: Settings) -> str | None:
    if not settings.oidc:
        return f"nobody without a passkey can sign in, because {variable('oidc')} names no provider. Set it, or {variable('passwords')}=on."
    if not settings.emergency_admin:
        return (
            f"nobody can sign in while the provider is down. Set {variable('emergency_admin')} to the user name of an admin, "
            "and their password with 'kalends users password'."
        )
    return None


def _sms_countries(settings: Settings) -> str | None:
    if settings.sms_countries:
        return None
    return (
        f"{variable('sms_countries')} is not set, so SMS are sent to mobile phones in the country of the site's time zone alone, "
        "and to none if that is UTC. Set it to the countries of your guests, such as FR,DE."
    )


def _settings(settings: Settings) -> str | None:
    if settings.host not in LOOPBACK and not settings.base_url:
        return f"the service listens on {settings.host} and {variable('base_url')} is not set, so links would be wrong. Set it."
    return None


def _folder(folder: Path) -> str | None:
    if not folder.exists():
        nearest = next(parent for parent in folder.resolve().parents if parent.exists())
        return None if os.access(nearest, os.W_OK) else f"{folder} cannot be made. Choose another with --data."
    if not folder.is_dir():
        return f"{folder} is not a folder. Choose another with --data."
    if not os.access(folder, os.W_OK):
        return f"{folder} cannot be written. Change its owner, or choose another with --data."
    if folder.stat().st_mode & 0o077:
        return f"others on this machine may look into {folder}. Run: chmod 700 {folder}"
    outbox = folder / "outbox"
    if outbox.exists() and not (outbox.is_dir() and os.access(outbox, os.W_OK)):
        return f"{outbox} is not a folder that can be written. Change its owner, or move it."
    return None


def _database(settings: Settings) -> str | None:
    if not settings.database and not (settings.folder / "kalends.sqlite3").exists():
        return "there is none yet. Run: kalends migrate"
    try:
        with closing(open_database(settings)) as db:
            with db.read() as tx:
                problem = find_mismatch(tx) or _secret(tx, settings)
            return problem or _missing_settings(db)
    except Unavailable as error:
        return describe_unavailable(error)
    except (OSError, WrongSetting) as error:
        return str(error)


def _missing_settings(db: Database) -> str | None:
    statements = db.find_missing_settings()
    if not statements:
        return None
    return "\n     ".join(["its user lacks settings. Run these as an administrator, then RECONNECT PgBouncer:", *statements])


def _secret(tx: Transaction, settings: Settings) -> str | None:
    return shared_secret.describe(settings) if shared_secret.differs(tx, settings) else None


def describe_unavailable(error: Unavailable) -> str:
    """Why the database cannot be used, in one line for the operator."""
    return "the database cannot be used: " + str(error.__cause__ or error.detail).strip().split("\n")[0]
