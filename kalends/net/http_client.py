"""A guarded HTTP client for imports: bound to one host, bounded in time and in bytes, and silent about the credential."""

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

# What a whole import may take, whatever number of requests it needs.
SECONDS: float = 30
BYTES = 20 * 2**20
REDIRECTS = 5
CHUNK = 64 * 2**10
RETRY_AFTER = 60
PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]

# It quotes header lines that it cannot read, and a server may echo the credential in one.
logging.getLogger("urllib3").setLevel(logging.ERROR)


class Away(Exception):
    """The provider cannot be reached, or does not answer in time."""

    def __init__(self, reason: str, retry_after: int = RETRY_AFTER):
        super().__init__(reason)
        self.retry_after = retry_after


class Strange(Exception):
    """The provider answered what an import cannot use."""


class Refused(Exception):
    """The provider does not take the credential."""


class Forbidden(Refused):
    """The provider may know who asks, but does not let them see this."""


@dataclass(frozen=True, repr=False)
class Answer:
    """What a provider answered; it may hold a token, so it has no words for a log."""

    url: str
    status: int
    retry_after: int | None
    body: bytes

    def expect(self, status: int) -> Self:
        """This answer, if its status is the expected one."""
        if self.status == status:
            return self
        if self.status in (401, 403):
            raise (Refused if self.status == 401 else Forbidden)(f"it answered {self.status}")
        if self.status == 429 or self.status >= 500:
            raise Away(f"it answered {self.status}", self.retry_after or RETRY_AFTER)
        raise Strange(f"it answered {self.status}")


class Visit:
    """One import's talk with its provider, which ends at the deadline whatever the provider does."""

    def __init__(self) -> None:
        self._deadline = Deadline(SECONDS, SECONDS)
        self._room = BYTES
        self._pools: list[urllib3.HTTPConnectionPool] = []

    def __enter__(self) -> Self:
        self._deadline.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._deadline.__exit__(*error)
        for pool in self._pools:
            pool.close()

    def open(self, base: str, authorization: str = "") -> "Host":
        """The host of an address, to which this credential may be sent."""
        return Host(self, base, authorization)

    def left(self) -> float:
        """The seconds until the deadline."""
        try:
            return self._deadline.left()
        except TimeoutError:
            raise Away(f"it did not finish within {SECONDS:g} seconds") from None

    def pause(self, seconds: int) -> None:
        """Wait for as long as the provider asks, if that ends before the deadline."""
        if seconds >= self.left():
            raise Away("it asks to wait", seconds)
        with suppress(TimeoutError):
            self._deadline.pause(max(seconds, 1))
        self.left()

    def pool(self, origin: Origin) -> urllib3.HTTPConnectionPool:
        """Connections to one host, which the watchdog can cut. No proxy is asked, whatever the environment says."""
        scheme, host, port = origin
        if scheme == "https":
            self._pools.append(_SafePool(host, port, ssl_context=ssl.create_default_context(), visit=self))
        else:
            self._pools.append(_PlainPool(host, port, visit=self))
        return self._pools[-1]

    def connect(self, host: str, port: int) -> socket.socket:
        """A connection that the deadline cuts."""
        made = self._deadline.connect(host, port, tls=False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def ask(self, pool: urllib3.HTTPConnectionPool, method: str, url: str, body: bytes, headers: dict[str, str]) -> tuple[Answer, str]:
        """One request, its whole answer, and where that redirects to."""
        parts = urlsplit(url)
        try:
            response = pool.urlopen(
                method,
                (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
                body=body,
                headers=headers,
                retries=False,
                redirect=False,
                timeout=self.left(),
                preload_content=False,
                decode_content=False,
            )
            try:
                answer = Answer(url, response.status, _seconds(response), self._content(response))
                return answer, response.headers.get("Location", "")
            finally:
                response.close()
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            self.left()
            # What a library says of a failure stays here: our own words name no secret.
            raise Away(_reason(error)) from None

    def _content(self, response: urllib3.BaseHTTPResponse) -> bytes:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Strange("it sent compressed content, which was not asked for")
        content = bytearray()
        while chunk := response.read(CHUNK, decode_content=False):
            self._room -= len(chunk)
            if self._room < 0:
                raise Strange(f"it sent more than {BYTES // 2**20} MiB")
            content += chunk
        # A connection that the watchdog cut looks like one that has ended.
        self.left()
        return bytes(content)


class Host:
    """The one host that a credential is for. Addresses that lead elsewhere are refused before anything is sent."""

    def __init__(self, visit: Visit, base: str, authorization: str):
        self._visit = visit
        self._origin = _origin(base)
        self._pool = visit.pool(self._origin)
        self._headers = {"User-Agent": f"Kalends/{__version__}", "Accept-Encoding": "identity"}
        if authorization:
            self._headers["Authorization"] = authorization

    def request(self, method: str, url: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answer:
        """The answer to a request, after a few redirects on this host."""
        for _ in range(REDIRECTS + 1):
            answer, location = self._visit.ask(self._pool, method, url, body, self._headers | (headers or {}))
            if answer.status not in (301, 302, 307, 308):
                return answer
            url = self._redirected(url, location)
        raise Strange(f"it redirected more than {REDIRECTS} times")

    def resolve(self, url: str, href: str) -> str:
        """The address that an answer's link means."""
        target, origin = _joined(url, href)
        if origin != self._origin:
            raise Strange("it leads to another host")
        return target

    def _redirected(self, url: str, location: str) -> str:
        """As any link; and from http to https, which the rest of the visit stays with."""
        origin = _joined(url, location)[1]
        if self._origin == ("http", origin[1], 80) and origin == ("https", origin[1], 443):
            self._origin = origin
            self._pool = self._visit.pool(origin)
        return self.resolve(url, location)


class _Watched(HTTPConnection):
    """A connection that is made under the eyes of the visit."""

    def __init__(self, *arguments: Any, visit: Visit, **more: Any):
        super().__init__(*arguments, **more)
        self._visit = visit

    def _new_conn(self) -> socket.socket:
        try:
            return self._visit.connect(self.host, self.port)
        except OSError as error:
            raise NewConnectionError(self, str(error)) from None


class _WatchedSafe(_Watched, HTTPSConnection):
    pass


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Watched


class _SafePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedSafe


def _joined(url: str, href: str) -> tuple[str, Origin]:
    try:
        target = urljoin(url, href.strip())
        if "@" not in urlsplit(target).netloc:
            return target, _origin(target)
    except (ValueError, KeyError):
        pass
    raise Strange("it has a link that leads nowhere")


def _origin(url: str) -> Origin:
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").rstrip("."), parts.port or PORTS[parts.scheme]


def _seconds(response: urllib3.BaseHTTPResponse) -> int | None:
    """How long the provider asks to wait."""
    given = response.headers.get("Retry-After", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 6 else None


def _reason(error: Exception) -> str:
    if isinstance(error, NewConnectionError):
        return "it cannot be reached"
    if isinstance(error, SSLError):
        return "no safe connection to it can be made"
    return "it broke its answer off"
