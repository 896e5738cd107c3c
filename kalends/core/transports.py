"""By what e-mail and SMS leave and arrive: the addresses of servers that settings give, read and checked."""

from dataclasses import dataclass
from email.headerregistry import Address
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from email_validator import ValidatedEmail

FILES = "files"
EMAIL_FORM = "must be files, or look like smtp://user:password@mail.example.org:587 (smtps:// for TLS from the start)"
SMS_FORM = "must be files, or look like twilio://sid:token@api.twilio.com?from=+15005550006"
INBOUND_FORM = "must be empty, pipe, or look like imaps://user:password@mail.example.org/INBOX (imap:// to this machine alone)"
DOMAIN_FORM = "must be the name of a domain such as in.example.org"
SENDER_FORM = "must look like Kalends <kalends@example.org>"
# The library would take its time over more, the longer the more so.
LONGEST_ADDRESS = 320
# Mail arrives by `kalends receive`.
PIPE = "pipe"


@dataclass(frozen=True, repr=False)
class MailServer:
    """Where e-mail is handed over; it has no repr, since it holds a password."""

    host: str
    port: int
    tls: bool
    user: str
    password: str


@dataclass(frozen=True, repr=False)
class Twilio:
    """An HTTP interface like Twilio's; it has no repr, since it holds a token."""

    scheme: str
    host: str
    port: int
    sid: str
    token: str
    sender: str


@dataclass(frozen=True, repr=False)
class Mailbox:
    """Where replies arrive; it has no repr, since it holds a password."""

    host: str
    port: int
    tls: bool
    user: str
    password: str
    folder: str


def mailbox(value: str) -> Mailbox | None:
    """The mailbox that the setting names, or None if there is none; raises ValueError, whose words have no password."""
    if value in ("", PIPE):
        return None
    try:
        parts = urlsplit(value)
        folder = unquote(parts.path.lstrip("/"), errors="strict") or "INBOX"
        parts = _split(parts._replace(path="").geturl(), "imap", "imaps")
        user, password = _credential(parts)
        is_plain_local = parts.scheme == "imaps" or _is_loopback(parts.hostname or "")
        if parts.query or not (user and password and is_plain_local and folder.isascii() and folder.isprintable()):
            raise ValueError
        port = parts.port or (993 if parts.scheme == "imaps" else 143)
        return Mailbox(_ascii(parts.hostname or ""), port, parts.scheme == "imaps", user, password, folder)
    except ValueError:
        raise ValueError(INBOUND_FORM) from None


def inbound_domain(value: str, email_from: str, url: str) -> str:
    """The domain at which replies arrive: as the setting says, else that of the sender."""
    if not value:
        return sender(email_from, url).domain
    try:
        return read_address(f"reply@{value}").ascii_domain
    except ValueError:
        raise ValueError(DOMAIN_FORM) from None


def check_inbound_domain(inbound: str, domain: str) -> None:
    """Raise ValueError if replies arrive, and at no domain: mail programs do not reply to an IP address."""
    if inbound and domain.startswith("["):
        raise ValueError(f"{DOMAIN_FORM}: replies to invitations would go to reply@{domain}, and no mail program sends to an IP address")


def mail_server(value: str) -> MailServer | None:
    """The server that the setting names, or None for files; raises ValueError, whose words have no password."""
    if value == FILES:
        return None
    try:
        parts = _split(value, "smtp", "smtps")
        user, password = _credential(parts)
        port = parts.port or (465 if parts.scheme == "smtps" else 587 if user else 25)
        if parts.query or bool(user) != bool(password):
            raise ValueError
        return MailServer(_ascii(parts.hostname or ""), port, parts.scheme == "smtps", user, password)
    except ValueError:
        raise ValueError(EMAIL_FORM) from None


def twilio(value: str) -> Twilio | None:
    """The interface that the setting names, or None for files; raises ValueError, whose words have no token."""
    if value == FILES:
        return None
    try:
        parts = _split(value, "twilio")
        sid, token = _credential(parts)
        # A plus sign stands for itself here: it begins a number.
        query = parse_qs(parts.query.replace("+", "%2B"), strict_parsing=True)
        (sender,), (scheme,) = query.pop("from"), query.pop("scheme", ["https"])
        if query or scheme not in ("http", "https") or not (sid and token and sender.isprintable()):
            raise ValueError
        return Twilio(scheme, _ascii(parts.hostname or ""), parts.port or (443 if scheme == "https" else 80), sid, token, sender)
    except (ValueError, KeyError):
        raise ValueError(SMS_FORM) from None


def sender(value: str, url: str) -> Address:
    """Whom e-mail is from: as the setting says, else Kalends at the host of the base address."""
    if not value:
        return Address("Kalends", "kalends", domain(url))
    name, bracket, address = value.rpartition("<")
    address = address.removesuffix(">") if bracket and value.endswith(">") else value
    try:
        checked = read_address(address.strip())
        if not (value.isprintable() and checked.local_part.isascii()):
            raise ValueError
    except ValueError:
        raise ValueError(SENDER_FORM) from None
    return Address(name.strip().strip('"'), checked.local_part, checked.ascii_domain)


def read_address(address: str) -> "ValidatedEmail":
    """An e-mail address in parts, its domain in ASCII too; raises ValueError if it is not valid."""
    # Imported late, for a quick start.
    from email_validator import SPECIAL_USE_DOMAIN_NAMES, validate_email

    if len(address) > LONGEST_ADDRESS:
        raise ValueError("it is longer than any address")
    # The library's way to accept the addresses of private networks, such as bob@mail.local.
    SPECIAL_USE_DOMAIN_NAMES.clear()
    return validate_email(address, check_deliverability=False, globally_deliverable=False)


def domain(url: str) -> str:
    """The host of an address as it stands in e-mail."""
    host = urlsplit(url).hostname or ""
    try:
        return f"[IPv6:{host}]" if ip_address(host).version == 6 else f"[{host}]"
    except ValueError:
        return _ascii(host)


def _split(value: str, *schemes: str) -> SplitResult:
    parts = urlsplit(value)
    if parts.scheme not in schemes or not parts.hostname or parts.path not in ("", "/") or parts.fragment:
        raise ValueError
    if not value.isprintable() or " " in value:
        raise ValueError
    return parts


def _credential(parts: SplitResult) -> tuple[str, str]:
    user, password = (unquote(part or "", errors="strict") for part in (parts.username, parts.password))
    # What neither mail servers' logins nor Basic authentication can carry.
    if not (user + password).isascii() or not (user + password).isprintable():
        raise ValueError
    return user, password


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _ascii(host: str) -> str:
    return host.encode("idna").decode()
