"""HTTP client for imports: one host per credential, a deadline and a byte limit for the whole session, no credential in logs."""

import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Self
from urllib.parse import urljoin, urlsplit

from kalends.core.net.deadline import Deadline
from kalends.core.net.http_connection import PORTS, Connection, TooLong, read_content, target
from kalends.core.version import __version__

# Limits of a whole import, over all its requests.
SECONDS: float = 30
BYTES = 20 * 2**20
REDIRECTS = 5
RETRY_AFTER = 60

Origin = tuple[str, str, int]


class ProviderUnavailable(Exception):
    """The provider cannot be reached, or did not respond in time."""

    def __init__(self, reason: str, retry_after: int = RETRY_AFTER):
        super().__init__(reason)
        self.retry_after = retry_after


class UnexpectedReply(Exception):
    """The provider sent a response that an import cannot use."""


class CredentialRejected(Exception):
    """The provider rejected the credential (401)."""


class AccessDenied(CredentialRejected):
    """The provider denied access with this credential (403)."""


@dataclass(frozen=True, repr=False)
class ProviderResponse:
    """A provider's HTTP response. It may hold a token, so it has no repr that could reach a log."""

    url: str
    status: int
    retry_after: int | None
    body: bytes

    def expect(self, status: int) -> Self:
        """Return this response if it has the expected status; raise what the status means otherwise."""
        if self.status == status:
            return self
        if self.status in (401, 403):
            raise (CredentialRejected if self.status == 401 else AccessDenied)(f"it responded with status {self.status}")
        if self.status == 429 or self.status >= 500:
            raise ProviderUnavailable(f"it responded with status {self.status}", self.retry_after or RETRY_AFTER)
        raise UnexpectedReply(f"it responded with status {self.status}")


class ProviderSession:
    """All requests of one import to its provider, under one deadline and one byte limit."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds or SECONDS
        self._deadline = Deadline(self._seconds, self._seconds)
        self._bytes_left = BYTES
        self._connections: list[Connection] = []

    def __enter__(self) -> Self:
        self._deadline.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._deadline.__exit__(*error)
        for connection in self._connections:
            connection.close()

    def open(self, base: str, authorization: str = "") -> "Host":
        """Open the host of a URL; the credential is sent to that host alone."""
        return Host(self, base, authorization)

    def left(self) -> float:
        """The seconds until the deadline."""
        try:
            return self._deadline.left()
        except TimeoutError:
            raise ProviderUnavailable(f"it did not finish within {self._seconds:g} seconds") from None

    def pause(self, seconds: int) -> None:
        """Sleep for the provider's Retry-After, if that ends before the deadline."""
        if seconds >= self.left():
            raise ProviderUnavailable("it asks to wait", seconds)
        with suppress(TimeoutError):
            self._deadline.pause(max(seconds, 1))
        self.left()

    def connection(self, origin: Origin) -> Connection:
        """A connection to one host."""
        connection = Connection(*origin, self._deadline)
        self._connections.append(connection)
        return connection

    def send(self, connection: Connection, method: str, url: str, content: bytes, headers: dict[str, str]) -> tuple[ProviderResponse, str]:
        """Send one request; return the whole HTTP response and its redirect target."""
        try:
            self._open(connection)
            connection.request(method, target(url), content, headers)
            with connection.getresponse() as raw:
                body = self._read_body(raw)
                return ProviderResponse(url, raw.status, _retry_after(raw), body), raw.headers.get("Location", "")
        except (HTTPException, OSError, ValueError):
            self.left()
            # The library's message may quote a secret, so it is not passed on.
            raise ProviderUnavailable("the connection broke") from None

    def _open(self, connection: Connection) -> None:
        self.left()
        try:
            connection.open()
        except OSError as error:
            self.left()
            is_unsafe = isinstance(error, ssl.SSLError)
            raise ProviderUnavailable("no safe connection to it can be made" if is_unsafe else "it cannot be reached") from None

    def _read_body(self, response: HTTPResponse) -> bytes:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnexpectedReply("it sent compressed content, which was not asked for")
        try:
            content = read_content(response, self._bytes_left)
        except TooLong:
            raise UnexpectedReply(f"it sent more than {BYTES // 2**20} MiB") from None
        self._bytes_left -= len(content)
        # A socket that the watchdog shut down reads as end of file.
        self.left()
        return content


class Host:
    """The one host that a credential is for. URLs of other hosts are rejected before anything is sent."""

    def __init__(self, session: ProviderSession, base: str, authorization: str):
        self._session = session
        self._origin = _origin(base)
        self._connection = session.connection(self._origin)
        self._headers = {"User-Agent": f"Kalends/{__version__}", "Accept-Encoding": "identity"}
        if authorization:
            self._headers["Authorization"] = authorization

    def request(self, method: str, url: str, body: bytes = b"", headers: dict[str, str] | None = None) -> ProviderResponse:
        """Send a request and follow a few redirects on this host."""
        for _ in range(REDIRECTS + 1):
            response, location = self._session.send(self._connection, method, url, body, self._headers | (headers or {}))
            if response.status not in (301, 302, 307, 308):
                return response
            url = self._follow_redirect(url, location)
        raise UnexpectedReply(f"it redirected more than {REDIRECTS} times")

    def resolve(self, url: str, href: str) -> str:
        """Resolve a link of a response; it must stay on this host."""
        target, origin = _join(url, href)
        if origin != self._origin:
            raise UnexpectedReply("it leads to another host")
        return target

    def _follow_redirect(self, url: str, location: str) -> str:
        """Resolve a redirect; an upgrade from http to https is kept for the rest of the session."""
        origin = _join(url, location)[1]
        if self._origin == ("http", origin[1], 80) and origin == ("https", origin[1], 443):
            self._origin = origin
            self._connection = self._session.connection(origin)
        return self.resolve(url, location)


def _join(url: str, href: str) -> tuple[str, Origin]:
    try:
        target = urljoin(url, href.strip())
        if "@" not in urlsplit(target).netloc:
            return target, _origin(target)
    except (ValueError, KeyError):
        pass
    raise UnexpectedReply("it has a link that leads nowhere")


def _origin(url: str) -> Origin:
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").rstrip("."), parts.port or PORTS[parts.scheme]


def _retry_after(response: HTTPResponse) -> int | None:
    """Parse Retry-After; None if it is not a number of seconds."""
    value = response.headers.get("Retry-After", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None
