"""SMTP sessions: connecting, TLS and login, and the open sessions of a worker, which are used for several messages."""

import smtplib
import socket
import ssl
import threading
import time
from contextlib import suppress
from ipaddress import ip_address

from kalends.core.net.deadline import Deadline
from kalends.core.settings import Settings
from kalends.core.transports import MailServer, domain
from kalends.features.deliveries.rules.outcome import TryAgain, redact

OPERATOR = "The operator of this service must fix this."
# Mail servers limit the messages of a session, and how long it is idle.
MAX_MESSAGES = 100
MAX_IDLE_SECONDS = 10


class Session(smtplib.SMTP):
    """An SMTP session under a deadline."""

    def __init__(self, server: MailServer, deadline: Deadline, name: str):
        self._deadline = deadline
        self._tls = server.tls
        # How many messages it was used for, and whether the content of the last one was sent or begun to be.
        self.messages = 0
        self.has_sent_content = False
        self.used_at = time.monotonic()
        super().__init__(server.host, server.port, local_hostname=name, timeout=deadline.step)

    def begin(self, deadline: Deadline) -> None:
        """Use it for one more message, under the deadline of that."""
        if self.messages and self.sock is not None:
            deadline.watch(self.sock)
        self.messages += 1
        self.has_sent_content = False

    def data(self, msg: bytes | str) -> tuple[int, bytes]:  # type: ignore[override]
        self.has_sent_content = True
        return super().data(msg)

    def end(self) -> None:
        """Close it. The reply to QUIT does not matter."""
        with suppress(smtplib.SMTPException, OSError):
            self.putcmd("QUIT")
        self.close()

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._deadline.connect(host, port, tls=self._tls)


class SessionPool:
    """The sessions of a worker that wait for the next message; at most one for each of its senders."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Session] = []

    def take(self) -> Session | None:
        """The session that was used last, so that those that are not needed become old."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def put(self, session: Session) -> None:
        """Keep the session for the next message, if it is still open."""
        if session.sock is None or session.messages >= MAX_MESSAGES:
            session.end()
            return
        session.used_at = time.monotonic()
        with self._lock:
            self._idle.append(session)

    def close_idle(self, idle_seconds: float = MAX_IDLE_SECONDS) -> None:
        """Close those that were not used for so long."""
        oldest = time.monotonic() - idle_seconds
        with self._lock:
            unused = [session for session in self._idle if session.used_at <= oldest]
            self._idle = [session for session in self._idle if session.used_at > oldest]
        for session in unused:
            session.end()


def connect(settings: Settings, server: MailServer, deadline: Deadline) -> Session:
    """Connect, use TLS where the server offers it, and log in. Failures here are the operator's or the server's, so they are retried."""
    session = None
    try:
        session = Session(server, deadline, domain(settings.url))
        _introduce(session, server)
    except BaseException as error:
        if session is not None:
            session.close()
        raise _describe(error) from None
    return session


def _describe(error: BaseException) -> BaseException:
    """Why there is no session."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return TryAgain(f"The mail server refused the service's login ({error.smtp_code}). {OPERATOR}")
    if isinstance(error, smtplib.SMTPResponseException):
        return TryAgain(f"The mail server is not available ({error.smtp_code}).")
    if isinstance(error, ssl.SSLError):
        return TryAgain(f"No safe connection to the mail server can be made ({_tls_reason(error)}). {OPERATOR}")
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return TryAgain("The mail server closed the connection, or did not reply in time.")
    if isinstance(error, smtplib.SMTPException):
        return TryAgain(f"The mail server offers no login that this service knows. {OPERATOR}")
    return TryAgain("The mail server cannot be reached.") if isinstance(error, OSError) else error


def _introduce(session: Session, server: MailServer) -> None:
    session.ehlo_or_helo_if_needed()
    if not server.tls and session.has_extn("starttls"):
        session.starttls(context=ssl.create_default_context())
        session.ehlo_or_helo_if_needed()
    if not server.user:
        return
    if not isinstance(session.sock, ssl.SSLSocket) and not _is_local(session):
        raise TryAgain(f"The mail server offers no TLS, so the password was not sent to it. {OPERATOR}")
    session.login(server.user, server.password)


def _is_local(session: Session) -> bool:
    assert session.sock is not None
    return ip_address(session.sock.getpeername()[0]).is_loopback


def _tls_reason(error: ssl.SSLError) -> str:
    return redact(getattr(error, "verify_message", "") or error.reason or "TLS failed").lower()
