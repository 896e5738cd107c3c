"""The socket of a connection, which Granian keeps to itself: whether the client has received everything, and how to disconnect it."""

import asyncio
import fcntl
import os
import socket
import stat
import struct
import termios
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path

# Linux and macOS have it.
_DESCRIPTORS = Path("/dev/fd")
# The intervals at which the kernel's queue is looked at, and how often it must be empty in a row: Granian's threads refill it.
FIRST_CHECK_SECONDS = 0.005
LAST_CHECK_SECONDS = 0.2
EMPTY_CHECKS = 2


class PeerSocket:
    """A second descriptor of the socket. Use it as a context manager, which closes it."""

    def __init__(self, connection: socket.socket):
        self._connection = connection

    @classmethod
    def find(cls, client: str) -> "PeerSocket | None":
        """The socket that is connected with this address and port; None if there is none any more."""
        address, _, port = client.rpartition(":")
        peer = _plain(address.strip("[]")), int(port)
        for name in os.listdir(_DESCRIPTORS):
            # Granian's threads close descriptors meanwhile.
            with suppress(OSError):
                descriptor = os.dup(int(name))
                if _is_connected(descriptor, peer):
                    return cls(socket.socket(fileno=descriptor))
                os.close(descriptor)
        return None

    def __enter__(self) -> "PeerSocket":
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    async def drain(self) -> None:
        """Wait until the client has received all that was sent: the kernel's queue is empty, and Granian has nothing to refill it."""
        empty_checks = 0
        interval = FIRST_CHECK_SECONDS
        while empty_checks < EMPTY_CHECKS:
            await asyncio.sleep(interval)
            [unsent] = struct.unpack("i", fcntl.ioctl(self._connection, termios.TIOCOUTQ, b"\0" * 4))
            empty_checks = 0 if unsent else empty_checks + 1
            interval = min(2 * interval, LAST_CHECK_SECONDS)

    def abort(self) -> None:
        """Reset the connection; Granian then frees what it has buffered."""
        with suppress(OSError):
            # The kernel discards what it has not sent yet.
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._connection.shutdown(socket.SHUT_RDWR)


def _is_connected(descriptor: int, peer: tuple[str, int]) -> bool:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return False
    connection = socket.socket(fileno=descriptor)
    try:
        return connection.family in (socket.AF_INET, socket.AF_INET6) and _address(connection) == peer
    finally:
        # The descriptor stays open.
        connection.detach()


def _address(connection: socket.socket) -> tuple[str, int] | None:
    try:
        address, port, *_ = connection.getpeername()
    except OSError:
        # It listens, or the client has left.
        return None
    return _plain(address), port


def _plain(address: str) -> str:
    """An IPv4 address that was mapped to IPv6, as IPv4."""
    plain = ip_address(address.partition("%")[0])
    mapped = plain.ipv4_mapped if isinstance(plain, IPv6Address) else None
    return str(mapped or plain)
