"""Connections that end at a deadline, whatever the other side does."""

import socket
import ssl
import threading
import time
from queue import Empty, SimpleQueue
from typing import Self


class Deadline:
    """Within `seconds` all is over, and each step within `step`; a server that drips byte after byte cannot hold it."""

    def __init__(self, seconds: float, step: float):
        self.step = step
        self._end = time.monotonic() + seconds
        self._over = threading.Event()
        self._twins: list[socket.socket] = []
        self._watchdog = threading.Timer(seconds, self._cut)
        self._watchdog.daemon = True

    def __enter__(self) -> Self:
        self._watchdog.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._watchdog.cancel()
        for twin in self._twins:
            twin.close()

    def connect(self, host: str, port: int, *, tls: bool) -> socket.socket:
        """A connection to the first address of the host that takes one."""
        failed: OSError = socket.gaierror("the name has no address")
        for address in self._addresses(host, port):
            try:
                made = socket.create_connection(address, self._patience())
            except OSError as error:
                failed = error
                continue
            return self._secured(made, host) if tls else self._watched(made)
        raise failed

    def _secured(self, plain: socket.socket, host: str) -> socket.socket:
        try:
            return ssl.create_default_context().wrap_socket(self._watched(plain), server_hostname=host)
        except BaseException:
            plain.close()
            raise

    def _watched(self, connection: socket.socket) -> socket.socket:
        """Keep a second handle, since TLS takes the first one over."""
        connection.settimeout(self.step)
        self._twins.append(connection.dup())
        if self._over.is_set():
            self._cut()
        return connection

    def _cut(self) -> None:
        self._over.set()
        for twin in list(self._twins):
            try:
                twin.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def left(self) -> float:
        """The seconds until all is over; raises TimeoutError when it is."""
        seconds = self._end - time.monotonic()
        if seconds <= 0 or self._over.is_set():
            raise TimeoutError
        return seconds

    def pause(self, seconds: float) -> None:
        """Wait, though not beyond the end."""
        self._over.wait(seconds)
        self.left()

    def _patience(self) -> float:
        return min(self.left(), self.step)

    def _addresses(self, host: str, port: int) -> list[tuple[str, int]]:
        """The addresses of a name. A resolver that hangs cannot be interrupted, only left behind."""
        found: SimpleQueue[list[tuple[str, int]]] = SimpleQueue()

        def look_up() -> None:
            try:
                found.put([(str(entry[4][0]), port) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
            except (OSError, UnicodeError):
                found.put([])

        threading.Thread(target=look_up, daemon=True).start()
        try:
            return found.get(timeout=self._patience())
        except Empty:
            raise TimeoutError from None
