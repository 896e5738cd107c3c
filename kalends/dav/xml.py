"""XML of WebDAV: reading the bodies of requests within bounds, and writing multistatus replies.

Replies are joined from text: a list of ten thousand resources costs what its text costs."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape as escape_html
from xml.etree.ElementTree import Element

from msgspec import Struct

from kalends.core.values import xml_tree

# A client that asks for 5,000 resources by name needs two thirds of this.
MAX_TAGS = 15_000
# A client sends the same few short bodies all the time: octets of those that are kept as they were parsed.
MAX_REPEATED = 1_000

DAV, CALDAV, CALENDAR_SERVER, APPLE = "DAV:", "urn:ietf:params:xml:ns:caldav", "http://calendarserver.org/ns/", "http://apple.com/ns/ical/"
CARDDAV, PUSH = "urn:ietf:params:xml:ns:carddav", "https://bitfire.at/webdav-push"
PREFIXES = {DAV: "D", CALDAV: "C", CARDDAV: "CR", CALENDAR_SERVER: "CS", APPLE: "A", PUSH: "P"}
CONTENT_TYPE = "application/xml; charset=utf-8"

_OPEN = (
    '<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus '
    + " ".join(f'xmlns:{prefix}="{space}"' for space, prefix in PREFIXES.items())
    + ">"
)
_CLOSE = "</D:multistatus>"
# What XML 1.0 cannot have, not even escaped.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"[^\W\d][\w.-]*", re.UNICODE)

STATUS = {200: "OK", 403: "Forbidden", 404: "Not Found", 409: "Conflict", 424: "Failed Dependency", 507: "Insufficient Storage"}


class Response(Struct):
    """One resource of a multistatus: its properties as elements, and those that it does not have; or a status alone."""

    href: str
    properties: str = ""
    missing: str = ""
    status: int = 0
    error: str = ""


def parse(body: bytes) -> Element:
    """The root of the body, which nobody changes. Declarations of entities and document types are refused."""
    return _parse_again(body) if len(body) <= MAX_REPEATED else _parse(body)


def _parse(body: bytes) -> Element:
    return xml_tree.parse(body, MAX_TAGS)


_parse_again = lru_cache(100)(_parse)


def escape(text: str) -> str:
    """Text for an element or an attribute."""
    return escape_html(_FORBIDDEN.sub(" ", text)) if not text.isalnum() else text


def name_element(name: str, inner: str = "") -> str:
    """An element by its name in Clark notation."""
    space, _, local = name.rpartition("}")
    space = space.removeprefix("{")
    prefix = PREFIXES.get(space)
    if prefix == "D":
        return f"<D:{local}>{inner}</D:{local}>" if inner else f"<D:{local}/>"
    if not _NAME.fullmatch(local):
        return ""
    if not space:
        return f"<{local}>{inner}</{local}>" if inner else f"<{local}/>"
    prefix = prefix or "x"
    opened = f'{prefix}:{local} xmlns:{prefix}="{escape(space)}"'
    return f"<{opened}>{inner}</{prefix}:{local}>" if inner else f"<{opened}/>"


def href(path: str) -> str:
    return f"<D:href>{escape(path)}</D:href>"


def multistatus(responses: Iterable[str], tail: str = "") -> bytes:
    """A multistatus body of responses that were written already; `tail` follows them."""
    return "".join([_OPEN, *responses, tail, _CLOSE]).encode()


def write_response(response: Response) -> str:
    parts = ["<D:response>", href(response.href)]
    if response.status:
        parts.append(_status(response.status))
        if response.error:
            parts.append(f"<D:error>{response.error}</D:error>")
    else:
        if response.properties or not response.missing:
            parts.append(propstat(response.properties, 200))
        if response.missing:
            parts.append(propstat(response.missing, 404))
    parts.append("</D:response>")
    return "".join(parts)


def propstat(properties: str, status: int, error: str = "") -> str:
    failed = f"<D:error>{error}</D:error>" if error else ""
    return f"<D:propstat><D:prop>{properties}</D:prop>{_status(status)}{failed}</D:propstat>"


def _status(status: int) -> str:
    return f"<D:status>HTTP/1.1 {status} {STATUS.get(status, '')}</D:status>"


class DavError(Exception):
    """A request that fails. `condition` is the precondition's name in Clark notation, `{DAV:}valid-sync-token`; `inner` its content."""

    def __init__(self, status: int, detail: str, condition: str = "", inner: str = "", headers: Mapping[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.condition = condition
        self.inner = inner
        self.headers = dict(headers or {})


def error_body(detail: str, condition: str = "", inner: str = "") -> bytes:
    """The body of an error (RFC 4918, section 16), with words in an element of our own, which clients skip."""
    failed = name_element(condition, inner) if condition else ""
    words = f'<K:message xmlns:K="urn:kalends">{escape(detail)}</K:message>' if detail else ""
    return f'<?xml version="1.0" encoding="utf-8"?>\n<D:error xmlns:D="DAV:">{failed}{words}</D:error>'.encode()
