"""The HTTP client: connections to other servers under a deadline, with a limit on what is read of a response."""

import select
import socket
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import quote, urlsplit

from kalends.core.net.deadline import Deadline

PORTS = {"http": 80, "https": 443}
CHUNK = 64 * 2**10

Address = tuple[str, int]


class TooLong(Exception):
    """The content of a response is longer than the limit."""


class Connection(HTTPConnection):
    """A connection to one host, for one request after the other. Proxy settings of the environment are ignored.

    addresses: those of the host that were checked; without them, the name is resolved."""

    # A request is never sent again by itself.
    auto_open = 0

    def __init__(self, scheme: str, host: str, port: int, deadline: Deadline, addresses: list[Address] | None = None):
        super().__init__(host, port)
        # The field `Host` has the port unless it is this one.
        self.default_port = PORTS[scheme]
        self._is_tls = scheme == "https"
        self._deadline = deadline
        self._addresses = addresses

    def open(self) -> None:
        """Connect, unless the connection is open and the server has not closed it. The watchdog shuts the socket down at the deadline."""
        if self.sock is not None and not _is_readable(self.sock):
            return
        self.close()
        addresses = self._addresses or self._deadline.resolve(self.host, self.port)
        self.sock = self._deadline.connect_to(addresses, self.host, tls=self._is_tls)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def target(url: str) -> str:
    """The path and query of a URL, for a request. Servers' own links may have characters that should have been encoded."""
    parts = urlsplit(url)
    return quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe="/?:@!$&'()*+,;=%~")


def read_content(response: HTTPResponse, limit: int) -> bytes:
    """The whole content of a response; raises TooLong if it has more bytes than the limit."""
    content = bytearray()
    while chunk := response.read(CHUNK):
        content += chunk
        if len(content) > limit:
            raise TooLong
    if response.length:
        raise HTTPException("the content ended early")
    return bytes(content)


def _is_readable(connection: socket.socket) -> bool:
    """Whether there is something to read before a request was sent: the end, or what nobody asked for."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
