"""Streams to slow clients: little is buffered for them, and they are disconnected."""

import asyncio
import socket
from typing import Any

import pytest

from kalends.http.serving import followers
from tests import loops

SMALL = 4096
CONTENT = b"x" * 3_000_000


class Buffer:
    """Sends in the background, as Granian's transport does: `send_bytes` returns at once."""

    def __init__(self, connection: socket.socket):
        self.accepted = 0
        self._connection = connection
        self._sending: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._sending.set_result(None)

    async def send_bytes(self, content: bytes) -> None:
        self.accepted += len(content)
        self._sending = asyncio.ensure_future(self._send(self._sending, content))

    async def _send(self, before: "asyncio.Future[Any]", content: bytes) -> None:
        await before
        await asyncio.get_running_loop().sock_sendall(self._connection, content)

    def stop(self) -> None:
        self._sending.cancel()


@pytest.fixture
def connection() -> Any:
    """The two ends of a connection: the client's, which has little room, and the server's."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
        server.setblocking(False)
        client.setblocking(False)
        with server:
            yield client, server


def _address(client: socket.socket) -> str:
    return "{}:{}".format(*client.getsockname())


async def _read(client: socket.socket) -> int:
    received = 0
    while received < len(CONTENT) and (part := await asyncio.get_running_loop().sock_recv(client, 1_000_000)):
        received += len(part)
    return received


def test_a_client_that_does_not_read_is_disconnected(connection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client, server = connection
    monkeypatch.setattr(followers, "SLOW_SECONDS", 0.2)

    async def story() -> None:
        buffer: Any = Buffer(server)
        with pytest.raises(TimeoutError):
            await followers._Sender(buffer, _address(client)).send(CONTENT)
        buffer.stop()
        assert 0 < buffer.accepted <= 4 * followers.UNREAD_BYTES
        server.close()
        with pytest.raises(ConnectionResetError):
            await _read(client)

    loops.run(story())


def test_a_client_that_reads_gets_everything(connection: Any) -> None:
    client, server = connection

    async def story() -> None:
        buffer: Any = Buffer(server)
        reading = asyncio.ensure_future(_read(client))
        await followers._Sender(buffer, _address(client)).send(CONTENT)
        assert await asyncio.wait_for(reading, 20) == len(CONTENT)

    loops.run(story())
