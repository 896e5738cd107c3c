"""Send e-mail through an SMTP server, or write it to a file."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from email.policy import SMTP
from ipaddress import ip_address

from kalends.net.deadline import Deadline
from kalends.outbound import outbox_files
from kalends.outbound.outcome import AddressRefused, TryAgain, Undeliverable, redact
from kalends.settings import Settings
from kalends.transports import MailServer, domain, mail_server, read_address, sender

SECONDS: float = 60
STEP: float = 20
# Reply codes about the service's own login, after any command.
LOGIN_REFUSED = (530, 534, 535, 538)
OPERATOR = "The operator of this service must fix this."


def send(
    settings: Settings, message: EmailMessage, address: str, *, return_path: str | None = None, seconds: float = SECONDS, step: float = STEP
) -> None:
    """Send the message. After a broken connection it is sent again with the same Message-ID, since it may not have arrived.

    return_path: where mail servers report that it could not be delivered, if not to the sender.
    """
    server = mail_server(settings.email)
    if server is None:
        outbox_files.write(settings, f"{_number(message)}.eml", message.as_bytes(policy=SMTP.clone(utf8=not address.isascii())))
        return
    recipient = wire_address(address)
    with Deadline(seconds, step) as deadline, _session(settings, server, deadline) as session:
        try:
            session.send_message(message, return_path or sender(settings.email_from, settings.url).addr_spec, [recipient])
        except smtplib.SMTPNotSupportedError:
            raise Undeliverable("The mail server cannot send to addresses with letters like these.") from None
        except smtplib.SMTPRecipientsRefused as refused:
            code, reply = refused.recipients[recipient]
            rejection = _rejection(server, code, reply)
            raise AddressRefused(str(rejection)) if isinstance(rejection, Undeliverable) else rejection from None
        except smtplib.SMTPResponseException as refused:
            raise _rejection(server, refused.smtp_code, refused.smtp_error) from None
        except (smtplib.SMTPException, OSError):
            raise TryAgain("The mail server closed the connection, or did not reply in time.") from None


def check(settings: Settings, *, seconds: float = SECONDS, step: float = STEP) -> None:
    """Connect to the mail server and log in, without sending."""
    server = mail_server(settings.email)
    if server is not None:
        with Deadline(seconds, step) as deadline, _session(settings, server, deadline):
            pass


def wire_address(address: str) -> str:
    """The address with its domain in ASCII (IDNA)."""
    try:
        checked = read_address(address)
    except ValueError:
        raise Undeliverable("This is not an e-mail address.") from None
    return f"{checked.local_part}@{checked.ascii_domain}"


def _number(message: EmailMessage) -> str:
    """The delivery id, with which the Message-ID begins."""
    return str(message["Message-ID"]).removeprefix("<").partition(".")[0]


class _Session(smtplib.SMTP):
    """An SMTP session under a deadline."""

    def __init__(self, server: MailServer, deadline: Deadline, name: str):
        self._deadline = deadline
        self._tls = server.tls
        super().__init__(server.host, server.port, local_hostname=name, timeout=deadline.step)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._deadline.connect(host, port, tls=self._tls)


@contextmanager
def _session(settings: Settings, server: MailServer, deadline: Deadline) -> Iterator[_Session]:
    """Connect, use TLS where the server offers it, and log in. Failures here are the operator's or the server's, so they are retried."""
    session = None
    try:
        try:
            session = _Session(server, deadline, domain(settings.url))
            _introduce(session, server)
        except smtplib.SMTPAuthenticationError as refused:
            raise TryAgain(f"The mail server refused the service's login ({refused.smtp_code}). {OPERATOR}") from None
        except smtplib.SMTPResponseException as refused:
            raise TryAgain(f"The mail server is not available ({refused.smtp_code}).") from None
        except ssl.SSLError as error:
            raise TryAgain(f"No safe connection to the mail server can be made ({_tls_reason(error)}). {OPERATOR}") from None
        except smtplib.SMTPServerDisconnected:
            raise TryAgain("The mail server closed the connection, or did not reply in time.") from None
        except smtplib.SMTPException:
            raise TryAgain(f"The mail server offers no login that this service knows. {OPERATOR}") from None
        except OSError:
            raise TryAgain("The mail server cannot be reached.") from None
        yield session
        # The reply to QUIT does not matter.
        with suppress(smtplib.SMTPException, OSError):
            session.putcmd("QUIT")
    finally:
        if session is not None:
            session.close()


def _introduce(session: _Session, server: MailServer) -> None:
    session.ehlo_or_helo_if_needed()
    if not server.tls and session.has_extn("starttls"):
        session.starttls(context=ssl.create_default_context())
        session.ehlo_or_helo_if_needed()
    if not server.user:
        return
    if not isinstance(session.sock, ssl.SSLSocket) and not _is_local(session):
        raise TryAgain(f"The mail server offers no TLS, so the password was not sent to it. {OPERATOR}")
    session.login(server.user, server.password)


def _is_local(session: _Session) -> bool:
    assert session.sock is not None
    return ip_address(session.sock.getpeername()[0]).is_loopback


def _tls_reason(error: ssl.SSLError) -> str:
    return redact(getattr(error, "verify_message", "") or error.reason or "TLS failed").lower()


def _rejection(server: MailServer, code: int, reply: bytes | str) -> Exception:
    if code in LOGIN_REFUSED:
        return TryAgain(f"The mail server refused the service's login ({code}). {OPERATOR}")
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    line = f"The mail server replied {code}: {redact(text, server.password)}"
    return Undeliverable(line) if 500 <= code < 600 else TryAgain(line)
