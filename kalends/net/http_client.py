"""HTTP client for imports: one host per credential, a deadline and a byte limit for the whole session, no credential in logs."""

import logging
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, SSLError

from kalends import __version__
from kalends.net.deadline import Deadline

# Limits of a whole import, over all its requests.
SECONDS: float = 30
BYTES = 20 * 2**20
REDIRECTS = 5
CHUNK = 64 * 2**10
RETRY_AFTER = 60
PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]

# urllib3 logs header lines that it cannot parse, and a server may echo the credential in one.
logging.getLogger("urllib3").setLevel(logging.ERROR)


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
class HttpResponse:
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

    def __init__(self) -> None:
        self._deadline = Deadline(SECONDS, SECONDS)
        self._bytes_left = BYTES
        self._pools: list[urllib3.HTTPConnectionPool] = []

    def __enter__(self) -> Self:
        self._deadline.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._deadline.__exit__(*error)
        for pool in self._pools:
            pool.close()

    def open(self, base: str, authorization: str = "") -> "Host":
        """Open the host of a URL; the credential is sent to that host alone."""
        return Host(self, base, authorization)

    def left(self) -> float:
        """The seconds until the deadline."""
        try:
            return self._deadline.left()
        except TimeoutError:
            raise ProviderUnavailable(f"it did not finish within {SECONDS:g} seconds") from None

    def pause(self, seconds: int) -> None:
        """Sleep for the provider's Retry-After, if that ends before the deadline."""
        if seconds >= self.left():
            raise ProviderUnavailable("it asks to wait", seconds)
        with suppress(TimeoutError):
            self._deadline.pause(max(seconds, 1))
        self.left()

    def pool(self, origin: Origin) -> urllib3.HTTPConnectionPool:
        """A connection pool for one host, whose sockets the watchdog can shut down. Proxy settings of the environment are ignored."""
        scheme, host, port = origin
        if scheme == "https":
            self._pools.append(_TlsPool(host, port, ssl_context=ssl.create_default_context(), session=self))
        else:
            self._pools.append(_PlainPool(host, port, session=self))
        return self._pools[-1]

    def connect(self, host: str, port: int) -> socket.socket:
        """Connect; the watchdog shuts the socket down at the deadline."""
        connection = self._deadline.connect(host, port, tls=False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def send(
        self, pool: urllib3.HTTPConnectionPool, method: str, url: str, content: bytes, headers: dict[str, str]
    ) -> tuple[HttpResponse, str]:
        """Send one request; return the whole HTTP response and its redirect target."""
        parts = urlsplit(url)
        try:
            raw = pool.urlopen(
                method,
                (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
                body=content,
                headers=headers,
                retries=False,
                redirect=False,
                timeout=self.left(),
                preload_content=False,
                decode_content=False,
            )
            try:
                body = self._read_body(raw)
                return HttpResponse(url, raw.status, _retry_after(raw), body), raw.headers.get("Location", "")
            finally:
                raw.close()
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            self.left()
            # The library's message may quote a secret, so it is not passed on.
            raise ProviderUnavailable(_reason(error)) from None

    def _read_body(self, response: urllib3.BaseHTTPResponse) -> bytes:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnexpectedReply("it sent compressed content, which was not asked for")
        content = bytearray()
        while chunk := response.read(CHUNK, decode_content=False):
            self._bytes_left -= len(chunk)
            if self._bytes_left < 0:
                raise UnexpectedReply(f"it sent more than {BYTES // 2**20} MiB")
            content += chunk
        # A socket that the watchdog shut down reads as end of file.
        self.left()
        return bytes(content)


class Host:
    """The one host that a credential is for. URLs of other hosts are rejected before anything is sent."""

    def __init__(self, session: ProviderSession, base: str, authorization: str):
        self._session = session
        self._origin = _origin(base)
        self._pool = session.pool(self._origin)
        self._headers = {"User-Agent": f"Kalends/{__version__}", "Accept-Encoding": "identity"}
        if authorization:
            self._headers["Authorization"] = authorization

    def request(self, method: str, url: str, body: bytes = b"", headers: dict[str, str] | None = None) -> HttpResponse:
        """Send a request and follow a few redirects on this host."""
        for _ in range(REDIRECTS + 1):
            response, location = self._session.send(self._pool, method, url, body, self._headers | (headers or {}))
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
            self._pool = self._session.pool(origin)
        return self.resolve(url, location)


class _DeadlineConnection(HTTPConnection):
    """A connection whose socket the session's watchdog can shut down."""

    def __init__(self, *arguments: Any, session: ProviderSession, **more: Any):
        super().__init__(*arguments, **more)
        self._session = session

    def _new_conn(self) -> socket.socket:
        try:
            return self._session.connect(self.host, self.port)
        except OSError as error:
            raise NewConnectionError(self, str(error)) from None


class _DeadlineTlsConnection(_DeadlineConnection, HTTPSConnection):
    pass


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _DeadlineConnection


class _TlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _DeadlineTlsConnection


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


def _retry_after(response: urllib3.BaseHTTPResponse) -> int | None:
    """Parse Retry-After; None if it is not a number of seconds."""
    value = response.headers.get("Retry-After", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None


def _reason(error: Exception) -> str:
    if isinstance(error, NewConnectionError):
        return "it cannot be reached"
    if isinstance(error, SSLError):
        return "no safe connection to it can be made"
    return "the connection broke"
