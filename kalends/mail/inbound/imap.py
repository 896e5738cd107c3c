"""Poll a mailbox by IMAP while the worker runs: each unread message is handled, and then marked as read."""

import imaplib
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from kalends.core import tracing
from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.core.settings import Settings
from kalends.core.transports import Mailbox, mailbox
from kalends.db import Database, Retry
from kalends.mail.inbound.handle import handle
from kalends.mail.inbound.message import MAX_OCTETS

log = get_logger(__name__)

TIMEOUT_SECONDS = 30
# In one round of the worker.
MAX_MESSAGES = 200
INTERVAL_SECONDS = 30


class MailboxFailed(Exception):
    """The mailbox cannot be read now; the text never has the password."""


def poll(mailbox: Mailbox, handle: Callable[[bytes], object]) -> int:
    """Handle the unread messages; return how many were. One that fails stays unread, is read again in the next round, and holds up no
    other."""
    with _session(mailbox) as session:
        _require(session.select(_quote(mailbox.folder)))
        count = 0
        for number in _require(session.uid("SEARCH", "UNSEEN"))[0].split():
            if count == MAX_MESSAGES:
                break
            octets = _fetch(session, number.decode())
            try:
                handle(octets)
            except (Retry, Unavailable):
                raise
            except Exception:
                log.exception("inbound_message_failed", uid=number.decode())
                continue
            _require(session.uid("STORE", number.decode(), "+FLAGS.SILENT", r"(\Seen)"))
            count += 1
        return count


def check(mailbox: Mailbox) -> None:
    """Log in and open the folder, without reading; raises MailboxFailed."""
    with _session(mailbox) as session:
        _require(session.select(_quote(mailbox.folder)))


@contextmanager
def _session(mailbox: Mailbox) -> Iterator[imaplib.IMAP4]:
    session: imaplib.IMAP4 | None = None
    try:
        if mailbox.tls:
            context = ssl.create_default_context()
            session = imaplib.IMAP4_SSL(mailbox.host, mailbox.port, ssl_context=context, timeout=TIMEOUT_SECONDS)
        else:
            session = imaplib.IMAP4(mailbox.host, mailbox.port, timeout=TIMEOUT_SECONDS)
        session.login(mailbox.user, mailbox.password)
        yield session
    except ssl.SSLError as error:
        raise MailboxFailed(f"No safe connection to the mailbox can be made ({error.reason or 'TLS failed'}).") from None
    except imaplib.IMAP4.error as error:
        raise MailboxFailed(f"The mailbox refused: {str(error).replace(mailbox.password, '…')[:200]}") from None
    except (Retry, Unavailable):
        raise
    except OSError:
        raise MailboxFailed("The mail server cannot be reached, or closed the connection.") from None
    finally:
        if session is not None:
            with suppress(imaplib.IMAP4.error, OSError):
                session.logout()


def _fetch(session: imaplib.IMAP4, number: str) -> bytes:
    """The message without marking it as read; of one that is too large, as much as shows that it is."""
    data = _require(session.uid("FETCH", number, f"(BODY.PEEK[]<0.{MAX_OCTETS + 1}>)"))
    return next((item[1] for item in data if isinstance(item, tuple)), b"")


def _require(reply: tuple[str, Any]) -> list[Any]:
    """The data of a reply, or the error that the server gave."""
    status, data = reply
    if status != "OK":
        raise imaplib.IMAP4.error(repr(data)[:200])
    return list(data)


def _quote(folder: str) -> str:
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Poller:
    """Polls the mailbox of the settings, if there is one."""

    def __init__(self, db: Database, settings: Settings):
        self._db = db
        self._settings = settings
        self._mailbox = mailbox(settings.inbound)

    def run(self, stopping: threading.Event) -> None:
        """Poll until `stopping` is set. What fails is tried again in the next turn."""
        while self._mailbox and not stopping.is_set():
            # A full round was not all that is unread.
            if self.poll() < MAX_MESSAGES:
                stopping.wait(INTERVAL_SECONDS)

    def poll(self) -> int:
        """Handle what is unread; return how many messages that were."""
        if self._mailbox is None:
            return 0
        try:
            with tracing.job("poll_mailbox"):
                return poll(self._mailbox, partial(handle, self._db, self._settings))
        except (Retry, Unavailable, MailboxFailed) as error:
            log.warning("inbound_poll_failed", reason=str(error))
        except Exception:
            log.exception("inbound_poll_failed")
        return 0
