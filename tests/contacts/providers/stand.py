"""A server whose bytes the test defines: a provider that is wrong, slow or hostile."""

import socket
import ssl
import threading
from collections.abc import Callable
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Self

from msgspec import Struct

from kalends.core.settings import Settings
from tests.serve.running import TIMEOUT

DAV_TYPE = "application/xml; charset=utf-8"


class Request(Struct):
    """A request, and the connection for its reply."""

    method: str
    target: str
    head: str
    body: bytes
    connection: socket.socket

    def reply(self, status: int, body: bytes | str = b"", **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status} Reply", f"Content-Length: {len(content)}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)


Behaviour = Callable[[Request], None]


class Stand:
    """A server on a free port. It records its requests, and whether the client disconnected first."""

    def __init__(self, behaviour: Behaviour | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.behaviour = behaviour or (lambda request: request.reply(404))
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.client_disconnected = threading.Event()
        stand = self

        class Handler(BaseRequestHandler):
            def handle(self) -> None:
                try:
                    connection = tls.wrap_socket(self.request, server_side=True) if tls else self.request
                    connection.settimeout(TIMEOUT)
                    request = _received(connection)
                    if request is None:
                        stand.client_disconnected.set()
                        return
                    stand.requests.append(request)
                    stand.behaviour(request)
                    if tls:
                        connection.unwrap()
                except ConnectionError:
                    stand.client_disconnected.set()
                except OSError:
                    return

        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{'https' if tls else 'http'}://{self.host}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def settings(self) -> Settings:
        """Those of a service whose every provider is this one."""
        return Settings(
            google_carddav_url=f"{self.url}/dav",
            yahoo_carddav_url=f"{self.url}/",
            graph_url=f"{self.url}/v1.0",
            graph_login_url=f"{self.url}/organizations",
            graph_client_id="an-application",
        )

    def hang(self, request: Request) -> None:
        """Send nothing more until the client disconnects."""
        if not request.connection.recv(1):
            raise ConnectionAbortedError

    def drip(self, request: Request, drop: bytes) -> None:
        """Send a little now and then until the client disconnects."""
        for _ in range(TIMEOUT * 50):
            if self.closing.wait(0.02):
                return
            request.connection.sendall(drop)


def _received(connection: socket.socket) -> Request | None:
    content = b""
    while b"\r\n\r\n" not in content:
        part = connection.recv(65536)
        if not part:
            return None
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
    while len(body) < int(fields.get("content-length", 0)):
        body += connection.recv(65536)
    method, target, _ = head.decode().split(" ", 2)
    return Request(method, target, head.decode(), body, connection)


def multistatus(*responses: str) -> str:
    spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"'
    return f'<?xml version="1.0" encoding="utf-8"?><D:multistatus {spaces}>{"".join(responses)}</D:multistatus>'


def dav_response(href: str, *properties: str) -> str:
    prop = f"<D:propstat><D:prop>{''.join(properties)}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
    return f"<D:response><D:href>{href}</D:href>{prop}</D:response>"
