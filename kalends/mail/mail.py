"""Send e-mail through an SMTP server, or write it to a file; SMS are written to the same folder."""

import secrets
import smtplib
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from kalends.core import private_file
from kalends.core.net.deadline import Deadline
from kalends.core.settings import Settings
from kalends.core.transports import MailServer, mail_server, sender
from kalends.features.deliveries.messages.message import wire_address
from kalends.features.deliveries.rules.outcome import AddressRefused, Outcome, TryAgain, Undeliverable, redact
from kalends.mail import smtp_session
from kalends.mail.smtp_session import OPERATOR, Session, SessionPool

SECONDS: float = 60
STEP: float = 20
# Reply codes about the service's own login, after any command.
LOGIN_REFUSED = (530, 534, 535, 538)
# The reply code with which a server ends a session.
CLOSING = 421
BROKEN = "The mail server closed the connection, or did not reply in time."


def send(
    settings: Settings,
    message: EmailMessage,
    address: str,
    *,
    return_path: str | None = None,
    pool: SessionPool | None = None,
    seconds: float = SECONDS,
    step: float = STEP,
) -> None:
    """Send the message. After a broken connection it is sent again with the same Message-ID, since it may not have arrived.

    return_path: where mail servers report that it could not be delivered, if not to the sender.
    pool: the sessions to use again. Without it, the message has one of its own.
    """
    server = mail_server(settings.email)
    if server is None:
        write_file(settings, f"{_number(message)}.eml", message.as_bytes(policy=SMTP.clone(utf8=not address.isascii())))
        return
    addresses = return_path or sender(settings.email_from, settings.url).addr_spec, wire_address(address)
    with Deadline(seconds, step) as deadline:
        _send_in_session(settings, server, message, addresses, pool, deadline)


def _send_in_session(
    settings: Settings, server: MailServer, message: EmailMessage, addresses: tuple[str, str], pool: SessionPool | None, deadline: Deadline
) -> None:
    """Send the message in a session of the pool, and in a new one if the server has ended that."""
    session = (pool.take() if pool else None) or smtp_session.connect(settings, server, deadline)
    try:
        _transmit(session, deadline, server, message, *addresses)
    except _SessionOver:
        session = smtp_session.connect(settings, server, deadline)
        _transmit(session, deadline, server, message, *addresses)
    finally:
        if pool:
            pool.put(session)
        else:
            session.end()


def check(settings: Settings, *, seconds: float = SECONDS, step: float = STEP) -> None:
    """Connect to the mail server and log in, without sending."""
    server = mail_server(settings.email)
    if server is not None:
        with Deadline(seconds, step) as deadline:
            smtp_session.connect(settings, server, deadline).end()


def _number(message: EmailMessage) -> str:
    """The delivery id, with which the Message-ID begins."""
    return str(message["Message-ID"]).removeprefix("<").partition(".")[0]


class _SessionOver(Exception):
    """The server has ended a session that was used before, and has not got the content of this message: another session is needed."""


def _transmit(session: Session, deadline: Deadline, server: MailServer, message: EmailMessage, from_address: str, recipient: str) -> None:
    session.begin(deadline)
    try:
        session.send_message(message, from_address, [recipient])
    except (smtplib.SMTPException, OSError) as error:
        code, reply = _reply(error, recipient)
        is_over = code in (0, CLOSING) or (isinstance(error, smtplib.SMTPSenderRefused) and 400 <= code < 500)
        if is_over and session.messages > 1 and not session.has_sent_content:
            session.end()
            raise _SessionOver from None
        if not 400 <= code < 600:
            session.close()
        raise _outcome(server, error, code, reply) from None
    except BaseException:
        session.close()
        raise


def _reply(error: smtplib.SMTPException | OSError, recipient: str) -> tuple[int, bytes | str]:
    """The code and the text with which the server refused; 0 if it did not reply."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return error.recipients[recipient]
    # The library's own code for a line that is too long to be a reply.
    if isinstance(error, smtplib.SMTPResponseException) and type(error) is not smtplib.SMTPResponseException:
        return error.smtp_code, error.smtp_error
    return 0, ""


def _outcome(server: MailServer, error: Exception, code: int, reply: bytes | str) -> Outcome:
    """What the failure means for the message."""
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return Undeliverable("The mail server cannot send to addresses with letters like these.")
    if code in LOGIN_REFUSED:
        return TryAgain(f"The mail server refused the service's login ({code}). {OPERATOR}")
    if code == 0:
        return TryAgain(BROKEN)
    text = redact(reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply, server.password)
    if not 400 <= code < 600:
        return TryAgain(f"The mail server gave a reply that this service does not understand: {text}")
    is_refusal = isinstance(error, smtplib.SMTPRecipientsRefused)
    kind = TryAgain if code < 500 else AddressRefused if is_refusal else Undeliverable
    return kind(f"The mail server replied {code}: {text}")


def outbox(settings: Settings) -> Path:
    """The folder of the files."""
    return settings.folder / "outbox"


def write_file(settings: Settings, name: str, content: bytes) -> None:
    """Write the file atomically; a repeated message replaces it."""
    folder = outbox(settings)
    draft = folder / f".{name}.{secrets.token_hex(8)}"
    try:
        # In two steps, since mkdir applies the mode to the last folder only.
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            with private_file.create(draft) as file:
                file.write(content)
            draft.rename(folder / name)
        finally:
            draft.unlink(missing_ok=True)
        private_file.sync_folder(folder)
    except OSError as error:
        raise TryAgain(f"The outbox cannot be written: {error.strerror}.") from None
