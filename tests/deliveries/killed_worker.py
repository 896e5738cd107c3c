"""Workers that are killed with SIGKILL at a step of a delivery, and the mail server that they send to."""

import email
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP

from kalends.features.deliveries import claim_store as claims
from kalends.features.deliveries.steps import dispatcher
from kalends.features.deliveries.steps.dispatcher import Backoff
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events.reminders import queue_store as reminder_queue
from kalends.mail import mail, sender
from tests.serve.prepared import Forked
from tests.serve.running import TIMEOUT, environment, eventually

# The steps at which the worker ends itself: the function, and whether it ends before it or after it.
OWN_STEPS: dict[str, tuple[Any, str, bool]] = {
    "while reminders are queued": (reminder_queue, "record_run", False),
    "before the claim": (claims, "claim", True),
    "in the transaction of the claim": (change_notices, "close", False),
    "after the claim": (sender, "attempt", True),
    "before the connection": (mail, "send", True),
    "before the record": (sender, "_record_outcome", True),
    "in the transaction of the record": (claims, "finish", False),
    "after the record": (sender, "_record_outcome", False),
}
# The steps of the SMTP conversation at which the server ends the worker.
SERVER_STEPS = ("at MAIL", "at RCPT", "at DATA, before acceptance", "at DATA, after acceptance")
STEPS = (*OWN_STEPS, *SERVER_STEPS)


class CountingServer:
    """Takes messages and counts them by delivery; kills a worker at a step of the conversation."""

    def __init__(self) -> None:
        self.received: Counter[int] = Counter()
        self.message_ids: set[str] = set()
        self.connections: set[SMTP] = set()
        self._step, self._left, self._victim = "", 0, 0

    def kill_at(self, step: str, number: int, victim: int) -> None:
        """Kill the process when the step is reached for this time."""
        self._step, self._left, self._victim = step, number, victim

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        self._reach("at MAIL")
        envelope.mail_from, envelope.mail_options = address, options
        return "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        self._reach("at RCPT")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self._reach("at DATA, before acceptance"):
            return "451 Not taken"
        message_id = str(email.message_from_bytes(envelope.content)["Message-ID"])
        self.received[int(message_id.removeprefix("<").partition(".")[0])] += 1
        self.message_ids.add(message_id)
        self._reach("at DATA, after acceptance")
        return "250 OK"

    def _reach(self, step: str) -> bool:
        """Whether the worker was killed now."""
        if step != self._step:
            return False
        self._left -= 1
        if self._left == 0:
            os.kill(self._victim, signal.SIGKILL)
        return self._left == 0


class CountedConnection(SMTP):
    """Tells the server of connections that are open."""

    def connection_made(self, transport: Any) -> None:
        self.event_handler.connections.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.event_handler.connections.discard(self)


class ForkedWorker:
    """A `kalends work` in a forked process; with a step, it is killed when that is reached for the given time."""

    def __init__(self, folder: Path, server: CountingServer, step: str = "", number: int = 1, **settings: object):
        prepare = partial(prepare_worker, step if step in OWN_STEPS else "", number)
        self._process = Forked(prepare, ["work"], folder, environment(**settings))
        server.kill_at(step, number, self._process.pid)
        self._reader = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._reader.start()
        self._server = server

    def wait_for_kill(self) -> None:
        """Wait until it was killed, and the mail server has seen that all its connections are closed."""
        assert self._process.wait(TIMEOUT) == -signal.SIGKILL
        eventually(lambda: not self._server.connections)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(TIMEOUT) == 0

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(TIMEOUT)


def prepare_worker(step: str, number: int) -> None:
    """Change the process before the worker starts in it: short pauses, and its end."""
    dispatcher.PAUSE, sender.BACKOFF = 0.02, Backoff(1, 1)
    if step:
        module, name, is_before = OWN_STEPS[step]
        setattr(module, name, _Deadly(getattr(module, name), number, is_before=is_before))


class _Deadly:
    """A function at whose call the process is killed."""

    def __init__(self, function: Callable[..., Any], number: int, *, is_before: bool):
        self._function, self._number, self._is_before = function, number, is_before
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self._is_before:
            self._count()
        result = self._function(*arguments, **options)
        if not self._is_before:
            self._count()
        return result

    def _count(self) -> None:
        with self._lock:
            self._number -= 1
            if self._number == 0:
                os.kill(os.getpid(), signal.SIGKILL)
