"""Granian: listening sockets, server processes, and a graceful stop that loses no request.

The only module that uses names of Granian that are not public; `tests/serve/test_granian.py` has the list to check at an upgrade."""

import ctypes
import multiprocessing
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from granian._granian import RSGIHTTPStreamTransport as StreamTransport
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from kalends.core.settings import Settings, WrongSetting, variable

__all__ = ["StreamTransport", "bind", "serve"]

LINUX = sys.platform == "linux"
BACKLOG = 1024
OPEN_FILES = 10_240
RESERVED_FILES = 256
HEADER_TIMEOUT = 30
HEADER_BYTES = 64 * 1024
USER_TIMEOUT = 30
UNSENT_BYTES = 128 * 1024
STOP_TIMEOUT = 60
SIGNAL_INTERVAL = 0.5
# How long a server process may finish its requests after its parent has died.
ORPHAN_TIMEOUT = 2

# SO_ATTACH_FILTER (socket(7)), and a classic BPF program that drops connection attempts (SYN without ACK) and passes the rest.
_SO_ATTACH_FILTER = 26
_DROP_SYN = (
    (0x30, 0, 0, 13),  # load the byte of TCP flags
    (0x54, 0, 0, 0x12),  # keep SYN and ACK
    (0x15, 0, 1, 0x02),  # SYN alone?
    (0x06, 0, 0, 0),  # drop
    (0x06, 0, 0, 0xFFFFFFFF),  # pass
)


def bind(settings: Settings) -> list[socket.socket]:
    """Open a listening socket for each server process, all on one port: the kernel balances connections over them (SO_REUSEPORT)."""
    try:
        family, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise WrongSetting(f"{variable('host')} is {settings.host!r}, which is not an address to listen on: {error.strerror}.") from None
    try:
        # Exclusively at first: with SO_REUSEPORT, another program of the same user could hold the port without an error.
        exclusive = _listen(family, address, reuse_port=False)
        if settings.workers == 1 or not LINUX:
            return [exclusive]
        address = exclusive.getsockname()
        exclusive.close()
        return [_listen(family, address, reuse_port=True) for _ in range(settings.workers)]
    except OSError as error:
        raise WrongSetting(
            f"{variable('port')} is {settings.port}, and {settings.host} cannot be listened on there: {error.strerror}. Choose another."
        ) from None


def _listen(family: int, address: Any, *, reuse_port: bool) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if LINUX:
            # Connections inherit both: the timeout for unacknowledged data, and the limit on unsent data in the kernel.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT * 1000)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def serve(application: Callable[[], Any], sockets: list[socket.socket], settings: Settings) -> None:
    """Serve the RSGI application, which each process creates for itself, until SIGTERM, SIGINT or SIGHUP."""
    if LINUX:
        multiprocessing.set_start_method("fork", force=True)
    _Server(
        sockets,
        settings.drain,
        interface=Interfaces.RSGI,
        loop=Loops.uvloop,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT * 1000, max_buffer_size=HEADER_BYTES),
        workers=settings.workers,
        websockets=False,
        backlog=BACKLOG,
        backpressure=_max_connections(),
        log_level=LogLevels.error,
        log_dictconfig={"handlers": {}, "formatters": {}, "loggers": {"_granian": {}}},
        respawn_failed_workers=True,
        workers_kill_timeout=1,
    ).serve(spawn_target=_run_worker, target_loader=application, wrap_loader=False)


def _max_connections() -> int:
    """Raise the limit on open files, and return how many connections it allows: idle ones must not block new ones."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = max(soft, OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(files - RESERVED_FILES, files // 2)


class _Server(MPServer):
    """Granian's parent process, with sockets that outlive worker processes, and that refuse new connections before they close."""

    def __init__(self, sockets: list[socket.socket], drain_seconds: int, **options: Any):
        super().__init__("kalends", **options)
        self._sockets = sockets
        self._drain_seconds = drain_seconds
        self._stops_on_hangup = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
        # Nothing is ever written to it. The reading end reports end-of-file when the parent, which holds the writing end, has died.
        self._parent_pipe: tuple[Connection, Connection] = multiprocessing.Pipe(duplex=False)

    def _init_shared_socket(self) -> None:
        self._sso: socket.socket | None = None

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Any) -> Any:  # type: ignore[override]
        self._sso = self._sockets[idx % len(self._sockets)]
        self._shd: Any = _holder(self._sso)
        return super()._spawn_worker(idx, partial(target, self._parent_pipe, self._sso), callback_loader)

    def _drop_shared_socket(self) -> None:
        """Called when the stop begins: serve on for the time to drain; then serve open connections, and drop attempts to open new ones."""
        self._send_sigterm_for(self._drain_seconds)
        for listener in self._sockets if LINUX else []:
            program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *instruction) for instruction in _DROP_SYN))
            # A kernel without socket filters accepts connections until the processes have ended.
            with suppress(OSError):
                listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(_DROP_SYN), ctypes.addressof(program)))

    def _stop_workers(self) -> None:
        self._send_sigterm_for(STOP_TIMEOUT)
        super()._stop_workers()  # type: ignore[no-untyped-call]

    def _send_sigterm_for(self, seconds: float) -> None:
        """Send SIGTERM repeatedly until all processes have ended, since one that is still starting may miss it."""
        processes: list[Any] = self.wrks
        deadline = time.monotonic() + seconds
        while any(process.is_alive() for process in processes) and time.monotonic() < deadline:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join(min(SIGNAL_INTERVAL, max(0, deadline - time.monotonic())))

    def shutdown(self, exit_code: int = 0) -> None:
        """Exit with 0 after a signal, even if a worker process got the signal too and ended first."""
        try:
            super().shutdown(exit_code)  # type: ignore[no-untyped-call]
        except SystemExit:
            if not self.interrupt_signal:
                raise

    def signal_handler_reload(self, *args: Any, **kwargs: Any) -> None:
        """SIGHUP: the terminal was closed. Stop, unless the service was started with nohup."""
        if self._stops_on_hangup:
            self.signal_handler_interrupt()  # type: ignore[no-untyped-call]


def _holder(listener: socket.socket) -> Any:
    holder: Any = SocketHolder
    return holder(listener.fileno(), False, BACKLOG) if LINUX else holder(listener.fileno(), False)


def _run_worker(parent_pipe: tuple[Connection, Connection], listener: socket.socket, *args: Any) -> None:
    """Run a worker process in its own process group: Ctrl-C reaches the parent alone, which stops the workers with SIGTERM."""
    os.setpgrp()
    # Until it can handle the signal: the parent sends it again.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    reader, writer = parent_pipe
    # Only the parent may hold the writing end.
    writer.close()
    threading.Thread(target=_end_with_parent, args=(reader, listener), daemon=True).start()
    MPServer._spawn_rsgi_worker(*args)


def _end_with_parent(parent_pipe: Connection, listener: socket.socket) -> None:
    """Wait for the death of the parent; then free the port at once for a new service, and stop."""
    parent_pipe.poll(None)
    # The kernel ends the process then, even if the machine is so busy that no thread of it gets to run.
    signal.alarm(ORPHAN_TIMEOUT)
    # close() would leave Granian's copy of the descriptor listening.
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    os.kill(os.getpid(), signal.SIGTERM)
