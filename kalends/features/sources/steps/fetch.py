"""Fetch what an address has: a calendar, or a web page that leads to one or describes its events."""

import re
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from msgspec import Struct

from kalends.core.i18n import gettext
from kalends.core.net.get import GetFailed, GetReply, get
from kalends.core.net.post import AddressRefused
from kalends.core.records.source import SourceKind
from kalends.core.settings import Settings
from kalends.core.values import text, timestamps
from kalends.core.version import __version__
from kalends.features.sources.rules import web_page
from kalends.features.sources.rules.web_page import WebPage
from kalends.ical.archive import join_calendars
from kalends.ical.lines import unsplit_utf8

_ACCEPT = "text/calendar, text/html;q=0.8, */*;q=0.5"
# When the file was made says nothing of an event, and many servers write another time in each response.
_STAMP = re.compile(rb"\nDTSTAMP[;:][^\n]*")


class Fetched(Struct, frozen=True):
    """What came: the calendar as text, or nothing if it is as it was."""

    kind: SourceKind
    feed_url: str
    status: int
    size: int
    content: str | None
    # The hash of what was sent, without its DTSTAMPs; empty after a 304.
    digest: str
    headers: dict[str, str] = {}


class FetchFailed(Exception):
    """Nothing came that can be used. The text is a sentence for people."""

    def __init__(self, reason: str, status: int | None = None, size: int = 0, retry_after: int = 0):
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.size = size
        self.retry_after = retry_after


def discover(settings: Settings, url: str) -> Fetched:
    """What is at an address that nobody has followed yet."""
    reply = _get(settings, url, {})
    content = _decode(reply)
    if not web_page.is_html(content):
        return _fetched("calendar", url, reply, content)
    page = WebPage(content, reply.url)
    for link in page.calendars[:1]:
        feed = _get(settings, link, {})
        if not web_page.is_html(calendar := _decode(feed)):
            return _fetched("linked", link, feed, calendar)
    if not (calendar := web_page.to_calendar(page, reply.url, settings.url)):
        raise FetchFailed(gettext("There is a web page without events and without a link to a calendar."), reply.status, len(reply.body))
    return _fetched("page", url, reply, calendar)


def fetch(settings: Settings, feed_url: str, kind: SourceKind, etag: str, modified: str, digest: str) -> Fetched:
    """What a source has now. etag, modified and digest: of the version that is here. What is the same is not read."""
    headers = ({"If-None-Match": etag} if etag else {}) | ({"If-Modified-Since": modified} if modified else {})
    reply = _get(settings, feed_url, headers)
    if reply.status == 304:
        return Fetched(kind, feed_url, 304, 0, None, "", reply.headers)
    if _hash(reply.body) == digest:
        return Fetched(kind, feed_url, 200, len(reply.body), None, digest, reply.headers)
    content = _decode(reply)
    if kind == "page":
        page = web_page.to_calendar(WebPage(content, reply.url), reply.url, settings.url)
        if not page:
            raise FetchFailed(gettext("The page has no events any more."), reply.status, len(reply.body))
        return _fetched(kind, feed_url, reply, page)
    if web_page.is_html(content):
        raise FetchFailed(gettext("There is a web page where the calendar was."), reply.status, len(reply.body))
    return _fetched(kind, feed_url, reply, content)


def _fetched(kind: SourceKind, feed_url: str, reply: GetReply, content: str) -> Fetched:
    return Fetched(kind, feed_url, reply.status, len(reply.body), content, _hash(reply.body), reply.headers)


def _hash(body: bytes) -> str:
    return blake2b(_STAMP.sub(b"", body), digest_size=16).hexdigest()


def _decode(reply: GetReply) -> str:
    try:
        return text.decode(unsplit_utf8(join_calendars(reply.body)))
    except ValueError as error:
        raise FetchFailed(gettext("What is there %(problem)s.", problem=error.args[0]), reply.status, len(reply.body)) from None


def _get(settings: Settings, url: str, headers: dict[str, str]) -> GetReply:
    headers = headers | {"Accept": _ACCEPT, "User-Agent": f"Kalends/{__version__} (+{settings.url})"}
    try:
        reply = get(url, headers, any_network=settings.sources == "any")
    except AddressRefused as refusal:
        raise FetchFailed(gettext("The address %(problem)s.", problem=refusal.args[0])) from None
    except GetFailed as failure:
        raise FetchFailed(failure.reason, failure.status) from None
    if reply.status == 200 or (reply.status == 304 and len(headers) > 2):
        return reply
    raise FetchFailed(_meaning(reply.status), reply.status, len(reply.body), _retry_after(reply.headers.get("retry-after", "")))


def _meaning(status: int) -> str:
    if status in (401, 403):
        return gettext("The server refuses access (status %(status)s).", status=str(status))
    if status in (404, 410):
        return gettext("There is nothing at this address any more (status %(status)s).", status=str(status))
    if status == 429:
        return gettext("The server asks to wait (status 429).")
    if status >= 500:
        return gettext("The server has a problem of its own (status %(status)s).", status=str(status))
    return gettext("The server replied with status %(status)s.", status=str(status))


def _retry_after(value: str) -> int:
    """The seconds that the field asks to wait: it has their number, or a date."""
    if value.isascii() and value.isdigit():
        return int(value) if len(value) < 8 else 0
    try:
        return max(0, int(parsedate_to_datetime(value[:100]).timestamp()) - timestamps.now())
    except (ValueError, TypeError, OverflowError):
        return 0
