"""`kalends doctor`: what is wrong with this installation, and what to do."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from kalends.db import Transaction, open_database
from kalends.db.migrate import is_current, latest
from kalends.deliveries import mail, sms
from kalends.deliveries.message import envelope
from kalends.deliveries.outcome import Outcome
from kalends.errors import Unavailable
from kalends.settings import Settings, WrongSetting, variable
from kalends.transports import FILES
from kalends.values import timestamps
from kalends.values.phone import to_e164

LOOPBACK = ("127.0.0.1", "::1", "localhost")
TEST = "This is a test message of Kalends. It can send."


def examine(settings: Settings) -> dict[str, str | None]:
    """Each part and what is wrong with it, or None."""
    return {
        "settings": _settings(settings),
        "data folder": _folder(settings.folder),
        "database": _database(settings),
        "e-mail": _outcome(lambda: mail.check(settings)),
    }


def unsent(settings: Settings) -> dict[str, str]:
    """What is written to files because nothing is set up to send it, and the variable that changes that."""
    return {words: variable(name) for name, words in {"email": "e-mail", "sms": "SMS"}.items() if getattr(settings, name) == FILES}


def try_email(settings: Settings, address: str) -> str | None:
    """Send a test message: what is wrong, or None."""

    def send() -> None:
        # Each has its own Message-ID, since mail programs show what they had before only once.
        message = envelope(settings, address, TEST, f"test-{timestamps.now()}", timestamps.now())
        message.set_content(f"{TEST}\n\n{settings.url}\n")
        mail.send(settings, message, address)

    return _outcome(send)


def try_sms(settings: Settings, number: str) -> str | None:
    """Send a test SMS: what is wrong, or None."""
    dialled = to_e164(number)
    if dialled is None:
        return f"{number} is no phone number with its country's code, such as +33612345678."
    return _outcome(lambda: sms.send(settings, dialled, f"{TEST} {settings.url}", "test"))


def _outcome(attempt: Callable[[], None]) -> str | None:
    try:
        attempt()
    except Outcome as failed:
        return str(failed)
    return None


def _settings(settings: Settings) -> str | None:
    if settings.host not in LOOPBACK and not settings.base_url:
        return f"the service listens on {settings.host} and {variable('base_url')} is not set, so links would be wrong. Set it."
    return None


def _folder(folder: Path) -> str | None:
    if not folder.exists():
        nearest = next(parent for parent in folder.resolve().parents if parent.exists())
        return None if os.access(nearest, os.W_OK) else f"{folder} cannot be made. Choose another with --data."
    if not folder.is_dir():
        return f"{folder} is no folder. Choose another with --data."
    if not os.access(folder, os.W_OK):
        return f"{folder} cannot be written. Change its owner, or choose another with --data."
    if folder.stat().st_mode & 0o077:
        return f"others on this machine may look into {folder}. Run: chmod 700 {folder}"
    outbox = folder / "outbox"
    if outbox.exists() and not (outbox.is_dir() and os.access(outbox, os.W_OK)):
        return f"{outbox} is no folder that can be written. Change its owner, or move it away."
    return None


def _database(settings: Settings) -> str | None:
    if not settings.database and not (settings.folder / "kalends.sqlite3").exists():
        return "there is none yet. Run: kalends migrate"
    try:
        with closing(open_database(settings)) as db, db.read() as tx:
            return _version(tx)
    except Unavailable as away:
        return reason(away)
    except (OSError, WrongSetting) as error:
        return str(error)


def _version(tx: Transaction) -> str | None:
    if is_current(tx):
        return None
    if tx.has_table("migrations") and tx.value("SELECT coalesce(max(number), 0) FROM migrations") > latest():
        return "it was made by a newer Kalends. Install that version, or restore an older backup."
    return "it is not up to date. Run: kalends migrate"


def reason(away: Unavailable) -> str:
    """Why the database cannot be used, in one line for whoever looks after the service."""
    return "the database cannot be used: " + str(away.__cause__ or away.detail).strip().split("\n")[0]
