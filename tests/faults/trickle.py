"""Slow clients, in a process of their own: `python -m tests.faults.trickle PORT NUMBER PATH`. A third each sends its headers, sends its
body and reads its reply, a byte a second; a client that is disconnected connects again."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable

SECOND = 1
SMALL = 4096
HEADERS = b"GET /healthz HTTP/1.1\r\nHost: calendar\r\nX-Slow: "
BODY = b"POST /api/session HTTP/1.1\r\nHost: calendar\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


async def main(port: int, number: int, path: str) -> None:
    """Print `ready` when all are connected, and continue until the process is killed."""
    reading = f"GET {path} HTTP/1.1\r\nHost: calendar\r\n\r\n".encode()
    kinds: list[Callable[[socket.socket], Awaitable[None]]] = [_send, _send, _read]
    openings = [HEADERS, BODY, reading]
    connected = asyncio.Semaphore(0)
    clients = [asyncio.create_task(_reconnect(port, openings[i % 3], kinds[i % 3], connected)) for i in range(number)]
    for _ in range(number):
        await connected.acquire()
    print("ready", flush=True)
    await asyncio.gather(*clients)


async def _reconnect(port: int, opening: bytes, trickle: Callable[[socket.socket], Awaitable[None]], connected: asyncio.Semaphore) -> None:
    loop = asyncio.get_running_loop()
    while True:
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        try:
            await loop.sock_connect(connection, ("127.0.0.1", port))
            await loop.sock_sendall(connection, opening)
            if trickle is _read:
                # The reply has begun.
                await loop.sock_recv(connection, 1)
            connected.release()
            await trickle(connection)
        except OSError:
            await asyncio.sleep(SECOND)
        finally:
            connection.close()


async def _send(connection: socket.socket) -> None:
    while True:
        await asyncio.sleep(SECOND)
        await asyncio.get_running_loop().sock_sendall(connection, b"x")


async def _read(connection: socket.socket) -> None:
    while await asyncio.get_running_loop().sock_recv(connection, 1):
        await asyncio.sleep(SECOND)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
