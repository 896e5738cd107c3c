"""Socket connections that a watchdog thread shuts down at a deadline."""

import os
import socket
import ssl
import threading
import time
from queue import Empty, SimpleQueue
from typing import Self


class Deadline:
    """A deadline of `seconds` for everything and of `step` for each socket call. A server that drips bytes cannot extend it."""

    def __init__(self, seconds: float, step: float):
        self.step = step
        self._end = time.monotonic() + seconds
        self._expired = threading.Event()
        self._duplicates: list[socket.socket] = []
        self._watchdog = threading.Timer(seconds, self._shut_down)
        self._watchdog.daemon = True

    def __enter__(self) -> Self:
        self._watchdog.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._watchdog.cancel()
        for duplicate in self._duplicates:
            duplicate.close()

    def connect(self, host: str, port: int, *, tls: bool) -> socket.socket:
        """Connect to the first address of the host that accepts."""
        return self.connect_to(self.resolve(host, port), host, tls=tls)

    def connect_to(self, addresses: list[tuple[str, int]], host: str, *, tls: bool) -> socket.socket:
        """Connect to the first of the addresses that accepts; TLS expects a certificate of the host."""
        failed: OSError = socket.gaierror("the name has no address")
        for address in addresses:
            try:
                connection = socket.create_connection(address, self._step_timeout())
            except OSError as error:
                failed = error
                continue
            return self._wrap_tls(connection, host) if tls else self.watch(connection)
        raise failed

    def resolve(self, host: str, port: int) -> list[tuple[str, int]]:
        """Resolve a name, in a thread: getaddrinfo cannot be interrupted, so a resolver that hangs is abandoned."""
        results: SimpleQueue[list[tuple[str, int]]] = SimpleQueue()

        def look_up() -> None:
            try:
                results.put([(str(entry[4][0]), port) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
            except (OSError, UnicodeError):
                results.put([])

        threading.Thread(target=look_up, daemon=True).start()
        try:
            return results.get(timeout=self._step_timeout())
        except Empty:
            raise TimeoutError from None

    def _wrap_tls(self, plain: socket.socket, host: str) -> socket.socket:
        try:
            return ssl.create_default_context().wrap_socket(self.watch(plain), server_hostname=host)
        except BaseException:
            plain.close()
            raise

    def watch(self, connection: socket.socket) -> socket.socket:
        """Put a connection under the deadline. The watchdog has a duplicate of the socket: TLS takes over the original."""
        connection.settimeout(self.step)
        self._duplicates.append(socket.socket(fileno=os.dup(connection.fileno())))
        if self._expired.is_set():
            self._shut_down()
        return connection

    def _shut_down(self) -> None:
        self._expired.set()
        for duplicate in list(self._duplicates):
            try:
                duplicate.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def left(self) -> float:
        """The seconds until the deadline; raises TimeoutError when it has passed."""
        seconds = self._end - time.monotonic()
        if seconds <= 0 or self._expired.is_set():
            raise TimeoutError
        return seconds

    def pause(self, seconds: float) -> None:
        """Sleep, at most until the deadline."""
        self._expired.wait(seconds)
        self.left()

    def _step_timeout(self) -> float:
        return min(self.left(), self.step)
