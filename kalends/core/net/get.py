"""GET from an address that a user chose, and forms to one that the operator chose: each host on the way is resolved once, checked, and
connected to by that very address."""

import zlib
from base64 import b64encode
from http.client import HTTPException, HTTPResponse
from urllib.parse import unquote, urldefrag, urlencode, urljoin, urlsplit, urlunsplit

from msgspec import Struct

from kalends.core.i18n import gettext
from kalends.core.net.deadline import Deadline
from kalends.core.net.http_connection import PORTS, Connection, TooLong, read_content, target
from kalends.core.net.post import AddressRefused, PostFailed, resolve, split

SECONDS: float = 20
REDIRECTS = 3
MAX_BYTES = 10 * 2**20
# How many times larger than what was sent the unpacked content may be.
MAX_RATIO = 100
# Below this size, nobody minds the ratio: a short text of blanks is packed well.
FREE_OF_RATIO = 2**16

_REDIRECTIONS = (301, 302, 303, 307, 308)


class GetFailed(Exception):
    """Nothing that can be used came. The text is a sentence for people."""

    def __init__(self, reason: str, status: int | None = None, retry_after: str = ""):
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.retry_after = retry_after


class GetReply(Struct, frozen=True):
    """An HTTP response. The header fields have names in lower case; `url` is that of the last redirect, without user info."""

    status: int
    headers: dict[str, str]
    body: bytes
    url: str


def get(url: str, headers: dict[str, str], *, any_network: bool, seconds: float | None = None) -> GetReply:
    """The response to a GET, after at most three redirects. Raises AddressRefused or GetFailed."""
    url, authorization = _take_user(url)
    seconds = seconds or SECONDS
    with Deadline(seconds, seconds) as deadline:
        for _ in range(REDIRECTS + 1):
            sent = headers | ({"Authorization": authorization} if authorization else {})
            reply = _request(deadline, url, sent, any_network=any_network)
            if reply.status not in _REDIRECTIONS:
                return reply
            following = _follow(url, reply.headers.get("location", ""))
            if urlsplit(following)[:2] != urlsplit(url)[:2]:
                # A credential is for its host alone.
                authorization = ""
            url = following
    raise GetFailed(gettext("It redirected more than %(max)s times.", max=REDIRECTS))


def post_form(url: str, fields: dict[str, str], headers: dict[str, str], *, any_network: bool, seconds: float) -> GetReply:
    """The response to a form. A redirect is not followed. Raises AddressRefused or GetFailed."""
    headers = headers | {"Content-Type": "application/x-www-form-urlencoded"}
    with Deadline(seconds, seconds) as deadline:
        return _request(deadline, url, headers, "POST", urlencode(fields).encode(), any_network=any_network)


def _take_user(url: str) -> tuple[str, str]:
    """The URL without user info and fragment, and the Authorization that the user info stands for."""
    try:
        parts = urlsplit(urldefrag(url).url)
        user, _, host = parts.netloc.rpartition("@")
        name, _, password = user.partition(":")
        token = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    except ValueError:
        raise AddressRefused("must be an address such as https://example.org/events.ics") from None
    if not user:
        return urlunsplit(parts), ""
    return urlunsplit(parts._replace(netloc=host)), f"Basic {token}"


def _follow(url: str, location: str) -> str:
    """The target of a redirect."""
    try:
        following = urldefrag(urljoin(url, location.strip())).url
        scheme = urlsplit(following).scheme
    except ValueError:
        raise GetFailed(gettext("It redirected to something that is no address.")) from None
    if not location or scheme not in PORTS:
        raise GetFailed(gettext("It redirected to something that is no address."))
    if scheme == "http" and url.startswith("https:"):
        raise GetFailed(gettext("It redirected from https to http, which is not safe."))
    return following


def _request(
    deadline: Deadline, url: str, headers: dict[str, str], method: str = "GET", content: bytes = b"", *, any_network: bool
) -> GetReply:
    parts = split(url)
    try:
        addresses = resolve(deadline, parts, any_network=any_network)
    except PostFailed:
        raise GetFailed(gettext("The name of the host has no address.")) from None
    try:
        connection = Connection(parts.scheme, parts.hostname or "", parts.port or PORTS[parts.scheme], deadline, addresses)
        try:
            connection.open()
            connection.request(method, target(url), content, headers | {"Accept-Encoding": "gzip"})
            with connection.getresponse() as response:
                fields = {name.lower(): value for name, value in response.headers.items()}
                body = b"" if response.status in (*_REDIRECTIONS, 304) else _read(response)
                deadline.left()
                return GetReply(response.status, fields, body, url)
        finally:
            connection.close()
    except TooLong:
        raise GetFailed(gettext("It sent more than %(max)s MiB.", max=MAX_BYTES // 2**20)) from None
    except (OSError, HTTPException, ValueError):
        # One text for all causes: which one it was tells about the host, which may be anybody's.
        raise GetFailed(gettext("There was no whole HTTP response within %(seconds)s seconds.", seconds=f"{SECONDS:g}")) from None


def _read(response: HTTPResponse) -> bytes:
    content = read_content(response, MAX_BYTES)
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return content
    if encoding not in ("gzip", "x-gzip"):
        raise GetFailed(gettext("It sent content in a coding that was not asked for."))
    return unpack(content)


def unpack(content: bytes) -> bytes:
    """Unpack gzip, within the limits of size and ratio."""
    limit = max(min(MAX_BYTES, len(content) * MAX_RATIO), FREE_OF_RATIO)
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        unpacked = unpacker.decompress(content, limit + 1)
    except zlib.error:
        raise GetFailed(gettext("It sent content that cannot be unpacked.")) from None
    if len(unpacked) > limit:
        raise GetFailed(gettext("It sent content that becomes far too large when it is unpacked."))
    if not unpacker.eof:
        raise GetFailed(gettext("It sent content that ends early."))
    return unpacked
