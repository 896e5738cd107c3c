"""Poll the mailbox of replies while the worker runs."""

import threading
from functools import partial

from kalends.core import tracing
from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.core.settings import Settings
from kalends.core.transports import mailbox
from kalends.db import Database, Retry
from kalends.mail.inbound import imap
from kalends.mail.inbound.handle import handle

log = get_logger(__name__)

INTERVAL_SECONDS = 30


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
            if self.poll() < imap.MAX_MESSAGES:
                stopping.wait(INTERVAL_SECONDS)

    def poll(self) -> int:
        """Handle what is unread; return how many messages that were."""
        if self._mailbox is None:
            return 0
        try:
            with tracing.job("poll_mailbox"):
                return imap.poll(self._mailbox, partial(handle, self._db, self._settings))
        except (Retry, Unavailable, imap.MailboxFailed) as error:
            log.warning("inbound_poll_failed", reason=str(error))
        except Exception:
            log.exception("inbound_poll_failed")
        return 0
