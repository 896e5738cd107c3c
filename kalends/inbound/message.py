"""Read a message that arrived: a calendar reply, a bounce, something to ignore, or a text for the organiser."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from hashlib import sha256
from html.parser import HTMLParser

from msgspec import Struct

from kalends.ical import itip
from kalends.ical.itip import Reply
from kalends.values.text import replace_control_characters

MAX_OCTETS = 10 * 1024 * 1024
MAX_PARTS = 100
MAX_HEAD = 65_536
# Lines that may begin a part: to split a message at them takes long.
MAX_BOUNDARIES = 2_000
MAX_LEVELS = 20
MAX_TEXT = 10_000
# The header fields in which mail servers name the recipient.
_RECIPIENTS = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "To", "Cc")
_ADDRESS = re.compile(r"[a-z0-9.+_=-]{1,200}@[a-z0-9.\[\]:-]{1,255}", re.IGNORECASE)
_CALENDAR_TYPES = {"text/calendar", "application/ics", "text/x-vcalendar"}
_METHODS = {"REPLY", "COUNTER"}


class Bounce(Struct, frozen=True):
    """A report that a message was not delivered, and why; not permanent if the server still tries."""

    is_permanent: bool
    reason: str


class InboundMessage(Struct, frozen=True, kw_only=True):
    """What a message says. `key` is the same for the same message; `trouble` says why its calendar part cannot be read."""

    key: str
    recipients: list[str]
    subject: str
    text: str = ""
    reply: Reply | None = None
    bounce: Bounce | None = None
    is_automatic: bool = False
    trouble: str = ""


def read(octets: bytes) -> InboundMessage:
    """Read the message. Nothing in it makes this fail."""
    if len(octets) > MAX_OCTETS:
        octets, trouble = _head(octets), f"it is larger than {MAX_OCTETS // 2**20} MiB"
    elif octets.count(b"\n--") > MAX_BOUNDARIES:
        octets, trouble = _head(octets), "it has too many parts"
    else:
        trouble = ""
    try:
        message = message_from_bytes(octets)
        parts = list(_parts(message))
    except RecursionError:
        message, parts, trouble = message_from_bytes(_head(octets)), [], "its parts lie too deep"
    bounce = _bounce(message)
    reply, calendar_trouble = (None, "") if bounce else _reply(parts)
    submitted = _header(message, "Auto-Submitted").partition(";")[0].strip().lower()
    return InboundMessage(
        key=_key(message, octets),
        recipients=_recipients(message),
        subject=_text_header(message, "Subject"),
        text="" if bounce or reply else _text(parts),
        reply=reply,
        bounce=bounce,
        is_automatic=submitted == "auto-replied" or (reply is None and _is_automatic(message, submitted)),
        trouble=trouble or calendar_trouble,
    )


def _head(octets: bytes) -> bytes:
    """The header fields of a message that is not read further."""
    ends = [end for blank in (b"\r\n\r\n", b"\n\n") if (end := octets.find(blank, 0, MAX_HEAD)) >= 0]
    return octets[: min(ends, default=MAX_HEAD)] + b"\r\n\r\n"


def _is_automatic(message: Message, submitted: str) -> bool:
    """Whether a program wrote the message. Servers of calendars send replies of their users as auto-generated."""
    precedence = _header(message, "Precedence").strip().lower()
    return submitted not in ("", "no") or precedence in ("bulk", "junk", "auto_reply") or bool(_header(message, "X-Autoreply"))


def _parts(message: Message, level: int = 0) -> Iterator[Message]:
    """The parts that are no containers, not those of attached messages."""
    if not message.is_multipart() or message.get_content_maintype() != "multipart":
        yield message
        return
    for part in _children(message)[:MAX_PARTS]:
        if level < MAX_LEVELS:
            yield from _parts(part, level + 1)


def _children(message: Message) -> list[Message]:
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _reply(parts: list[Message]) -> tuple[Reply | None, str]:
    """The first calendar part that is a reply, or why there is none."""
    trouble = ""
    for part in parts[:MAX_PARTS]:
        if part.get_content_type() not in _CALENDAR_TYPES and not (part.get_filename() or "").lower().endswith(".ics"):
            continue
        octets = _payload(part)
        if len(octets) > itip.MAX_OCTETS:
            trouble = f"its calendar is larger than {itip.MAX_OCTETS // 2**20} MiB"
            continue
        try:
            reply = itip.parse_reply(itip.decode(octets, str(part.get_param("charset") or "")))
        except ValueError as error:
            trouble = str(error)
            continue
        if reply.method in _METHODS:
            return reply, ""
    return None, trouble


def _bounce(message: Message) -> Bounce | None:
    """The report of a mail server (RFC 3464), if the message is one."""
    if message.get_content_type() != "multipart/report" or str(message.get_param("report-type")).lower() != "delivery-status":
        return None
    for part in _children(message):
        if part.get_content_type() == "message/delivery-status":
            for recipient in _children(part):
                action, status = (_header(recipient, name).strip().lower() for name in ("Action", "Status"))
                if action:
                    reason = _line(_header(recipient, "Diagnostic-Code") or f"status {status}")[:200]
                    return Bounce(action == "failed" and status.startswith("5"), reason)
    return Bounce(is_permanent=False, reason="a report without a status")


def _recipients(message: Message) -> list[str]:
    """The addresses that the message was sent to, in lower case."""
    values = (str(value) for name in _RECIPIENTS for value in message.get_all(name, []))
    return list(dict.fromkeys(address.lower() for value in values for address in _ADDRESS.findall(value[:10_000])))


def _key(message: Message, octets: bytes) -> str:
    """What tells the message from others: its Message-ID with the recipients, else its content."""
    message_id = _header(message, "Message-ID").strip()
    identity = f"{message_id}\n{','.join(_recipients(message))}".encode("utf-8", "replace") if message_id else octets
    return sha256(identity).hexdigest()


def _text(parts: list[Message]) -> str:
    """The plain text of the message, else the text of its HTML."""
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.get_content_type() == kind and part.get_content_disposition() != "attachment":
                text = itip.decode(_payload(part)[: 10 * MAX_TEXT], str(part.get_param("charset") or ""))
                text = _strip_tags(text) if kind == "text/html" else text
                if text.strip():
                    return replace_control_characters(text.replace("\r\n", "\n"), lines=True).strip()[:MAX_TEXT]
    return ""


class _TextOfHtml(HTMLParser):
    """Collects the text between the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in ("style", "script")
        if tag in ("br", "p", "div", "tr"):
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def _strip_tags(html: str) -> str:
    parser = _TextOfHtml()
    parser.feed(html)
    return re.sub(r"\n[ \t\n]*\n", "\n\n", "".join(parser.pieces))


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _header(message: Message, name: str) -> str:
    return str(message.get(name, ""))


def _text_header(message: Message, name: str) -> str:
    """The decoded value of a header field, on one line."""
    try:
        pieces = decode_header(_header(message, name)[:2_000])
        value = "".join(itip.decode(text, charset or "") if isinstance(text, bytes) else text for text, charset in pieces)
    except (ValueError, LookupError):
        value = _header(message, name)
    return _line(value)[:200]


def _line(value: str) -> str:
    return replace_control_characters(value).strip()
