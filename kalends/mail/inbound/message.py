"""Read a message that arrived: a calendar reply, a bounce, something to ignore, or a text for the organiser."""

import re
import time
from collections.abc import Iterable, Iterator
from email.header import decode_header
from hashlib import sha256
from html import unescape
from itertools import islice

from msgspec import Struct

from kalends.core.values.text import replace_control_characters
from kalends.ical import itip
from kalends.ical.itip import Reply
from kalends.mail.inbound import mime
from kalends.mail.inbound.mime import Part

MAX_OCTETS = 10 * 1024 * 1024
MAX_TEXT = 10_000
# Of the processor, for each megabyte of a message that has begun; a reply as mail programs write it takes 0.0003.
MAX_SECONDS: float = 0.05
# How many fields are searched for the recipient, and how many reports of a bounce for its status.
MAX_RECIPIENT_FIELDS = 50
MAX_REPORTS = 20
# Some programs send the calendar twice: as an alternative, and as an attachment.
MAX_CALENDARS = 2
# The header fields in which mail servers name the recipient.
_RECIPIENTS = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")
_CALENDAR_TYPES = {"text/calendar", "application/ics", "text/x-vcalendar"}
_METHODS = {"REPLY", "COUNTER"}
# No `<` in a tag: else each one would be searched for its end.
_TAG = re.compile(r"(<[^<>]*>)")
_NEW_LINES = ("br", "p", "div", "tr")
_HIDDEN = ("style", "script")


class Bounce(Struct, frozen=True):
    """A report that a message was not delivered, and why; not permanent if the server still tries."""

    is_permanent: bool
    reason: str


class InboundMessage(Struct, frozen=True, kw_only=True):
    """What a message says. `key` is the same for the same message; `trouble` says why its calendar part cannot be read."""

    key: str
    subject: str
    text: str = ""
    reply: Reply | None = None
    bounce: Bounce | None = None
    is_automatic: bool = False
    trouble: str = ""


class _TooSlow(Exception):
    """The message has used its time."""


def recipient_fields(octets: bytes) -> Iterator[str]:
    """The values of the header fields that name the recipient, without reading the rest of the message."""
    fields = mime.parse(octets[: mime.MAX_HEAD]).fields
    values = (value for name in _RECIPIENTS for field, value in fields if field == name)
    return islice(values, MAX_RECIPIENT_FIELDS)


def read(octets: bytes) -> InboundMessage:
    """Read the message. Nothing in it makes this fail, or take long."""
    message = mime.parse(octets[:MAX_OCTETS])
    bounce = _bounce(message)
    reply, text, trouble = None, "", ""
    if len(octets) > MAX_OCTETS:
        trouble = f"it is larger than {MAX_OCTETS // 2**20} MiB"
    elif bounce is None:
        try:
            until = time.thread_time() + MAX_SECONDS * (1 + len(octets) // 2**20)
            parts = list(_until(until, mime.leaves(message)))
            reply, trouble = _reply(_until(until, parts))
            text = "" if reply else _text(list(_until(until, parts)))
        except _TooSlow:
            trouble = "reading it takes too long"
    submitted = message.header("auto-submitted").partition(";")[0].strip().lower()
    return InboundMessage(
        key=_key(message, octets),
        subject=_text_header(message, "subject"),
        text=text,
        reply=reply,
        bounce=bounce,
        is_automatic=submitted == "auto-replied" or (reply is None and _is_automatic(message, submitted)),
        trouble=trouble,
    )


def _until(until: float, parts: Iterable[Part]) -> Iterator[Part]:
    """The parts, as long as the thread has used less time of the processor than this."""
    for part in parts:
        if time.thread_time() > until:
            raise _TooSlow
        yield part


def _is_automatic(message: Part, submitted: str) -> bool:
    """Whether a program wrote the message. Servers of calendars send replies of their users as auto-generated."""
    precedence = message.header("precedence").strip().lower()
    return submitted not in ("", "no") or precedence in ("bulk", "junk", "auto_reply") or bool(message.header("x-autoreply"))


def _reply(parts: Iterable[Part]) -> tuple[Reply | None, str]:
    """The first calendar part that is a reply, or why there is none."""
    trouble = ""
    for part in islice(filter(_is_calendar, parts), MAX_CALENDARS):
        octets = part.content(itip.MAX_OCTETS + 1)
        if len(octets) > itip.MAX_OCTETS:
            trouble = f"its calendar is larger than {itip.MAX_OCTETS // 2**20} MiB"
            continue
        try:
            reply = itip.parse_reply(itip.decode(octets, part.parameter("charset")))
        except ValueError as error:
            trouble = str(error)
            continue
        if reply.method in _METHODS:
            return reply, ""
    return None, trouble


def _is_calendar(part: Part) -> bool:
    return part.content_type in _CALENDAR_TYPES or part.file_name.lower().endswith(".ics")


def _bounce(message: Part) -> Bounce | None:
    """The report of a mail server (RFC 3464), if the message is one."""
    if message.content_type != "multipart/report" or message.parameter("report-type").lower() != "delivery-status":
        return None
    for part in mime.children(message):
        if part.content_type == "message/delivery-status":
            for fields in part.body.split(b"\n\n", MAX_REPORTS)[:MAX_REPORTS]:
                report = Part(mime.parse_fields(fields[: mime.MAX_HEAD]), b"")
                action, status = (report.header(name).strip().lower() for name in ("action", "status"))
                if action:
                    reason = _line(report.header("diagnostic-code") or f"status {status}")[:200]
                    return Bounce(action == "failed" and status.startswith("5"), reason)
    return Bounce(is_permanent=False, reason="a report without a status")


def _key(message: Part, octets: bytes) -> str:
    """What tells the message from others: its Message-ID, else its content."""
    message_id = message.header("message-id").strip()
    return sha256(message_id.encode() if message_id else octets).hexdigest()


def _text(parts: list[Part]) -> str:
    """The plain text of the message, else the text of its HTML."""
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.content_type == kind and not part.is_attachment:
                text = itip.decode(part.content(10 * MAX_TEXT), part.parameter("charset"))
                text = _strip_tags(text) if kind == "text/html" else text
                if text.strip():
                    return replace_control_characters(text.replace("\r\n", "\n"), lines=True).strip()[:MAX_TEXT]
    return ""


def _strip_tags(html: str) -> str:
    """The text between the tags. Python's HTML parser takes quadratic time for tags without an end."""
    first, *comments = html.split("<!--")
    pieces, is_hidden = list[str](), False
    for piece in _TAG.split(first + "".join(comment.partition("-->")[2] for comment in comments)):
        if not _TAG.fullmatch(piece):
            pieces.append("" if is_hidden else unescape(piece))
            continue
        name = piece[1:-1].partition(" ")[0].strip("/").lower()
        is_hidden = name in _HIDDEN and not piece.startswith("</")
        pieces.append("\n" if name in _NEW_LINES and not piece.startswith("</") else "")
    return re.sub(r"\n\s*\n", "\n\n", "".join(pieces))


def _text_header(message: Part, name: str) -> str:
    """The decoded value of a header field, on one line."""
    try:
        pieces = decode_header(message.header(name))
        value = "".join(itip.decode(text, charset or "") if isinstance(text, bytes) else text for text, charset in pieces)
    except (ValueError, LookupError):
        value = message.header(name)
    return _line(value)[:200]


def _line(value: str) -> str:
    return replace_control_characters(value).strip()
