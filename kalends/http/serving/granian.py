"""Listening: the sockets, the server processes behind them (Granian's), and a stop that loses no request."""

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

from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from kalends.settings import Settings, WrongSetting, variable

LINUX = sys.platform == "linux"
BACKLOG = 1024
OPEN_FILES = 10_240
OTHER_FILES = 256
HEADER_SECONDS = 30
HEADER_BYTES = 64 * 1024
UNREAD_SECONDS = 30
UNSENT_BYTES = 128 * 1024
STOP_SECONDS = 60
SIGNAL_AGAIN_SECONDS = 0.5
# How long a server process whose parent has died may take to finish the requests in flight.
ORPHAN_SECONDS = 2

# `SO_ATTACH_FILTER`, and a program for it that drops what opens a connection (SYN without ACK) and passes the rest.
_ATTACH_FILTER = 26
_NO_NEW_CONNECTIONS = (
    (0x30, 0, 0, 13),  # load the byte of TCP flags
    (0x54, 0, 0, 0x12),  # keep SYN and ACK
    (0x15, 0, 1, 0x02),  # SYN alone?
    (0x06, 0, 0, 0),  # drop
    (0x06, 0, 0, 0xFFFFFFFF),  # pass
)


def bind(settings: Settings) -> list[socket.socket]:
    """A listening socket for each server process, all on one port: the kernel spreads the connections over them."""
    try:
        family, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise WrongSetting(f"{variable('host')} is {settings.host!r}, and no address to listen on: {error.strerror}.") from None
    try:
        # Alone at first, since sockets that share a port would share it with another program of the same user too.
        alone = _listening(family, address, shared=False)
        if settings.workers == 1 or not LINUX:
            return [alone]
        address = alone.getsockname()
        alone.close()
        return [_listening(family, address, shared=True) for _ in range(settings.workers)]
    except OSError as error:
        raise WrongSetting(
            f"{variable('port')} is {settings.port}, and {settings.host} cannot be listened on there: {error.strerror}. Choose another."
        ) from None


def _listening(family: int, address: Any, *, shared: bool) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if LINUX:
            # The connections inherit both: one that takes nothing for so long is cut, and the kernel holds no more than so much for it.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def serve(application: Callable[[], Any], sockets: list[socket.socket], settings: Settings) -> None:
    """Serve the RSGI application, made in each process anew, until SIGTERM, SIGINT or SIGHUP."""
    if LINUX:
        multiprocessing.set_start_method("fork", force=True)
    _Server(
        sockets,
        interface=Interfaces.RSGI,
        loop=Loops.uvloop,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES),
        workers=settings.workers,
        websockets=False,
        backlog=BACKLOG,
        backpressure=_connections(),
        log_level=LogLevels.error,
        log_dictconfig={"handlers": {}, "formatters": {}, "loggers": {"_granian": {}}},
        respawn_failed_workers=True,
        workers_kill_timeout=1,
    ).serve(spawn_target=_process, target_loader=application, wrap_loader=False)


def _connections() -> int:
    """How many connections a process may hold: as many as the system gives it files, so that idle ones keep nobody out."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = max(soft, OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(files - OTHER_FILES, files // 2)


class _Server(MPServer):
    """Granian's parent process, with sockets that outlive the processes that serve them, and that fall silent before they close."""

    def __init__(self, sockets: list[socket.socket], **options: Any):
        super().__init__("kalends", **options)
        self._sockets = sockets
        self._hears_hangups = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
        # Nothing is ever written. The reading end reports the end of the file when the process that holds the writing end is dead.
        self._lifeline: tuple[Connection, Connection] = multiprocessing.Pipe(duplex=False)

    def _init_shared_socket(self) -> None:
        self._sso: socket.socket | None = None

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Any) -> Any:  # type: ignore[override]
        self._sso = self._sockets[idx % len(self._sockets)]
        self._shd: Any = _holder(self._sso)
        core = _own_core(idx, len(self._sockets))
        return super()._spawn_worker(idx, partial(target, core, self._lifeline, self._sso), callback_loader)

    def _drop_shared_socket(self) -> None:
        """The stop begins. What is connected is served; a connection that nobody would accept any more is not begun."""
        for listener in self._sockets if LINUX else []:
            program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _NO_NEW_CONNECTIONS))
            # A kernel without such filters goes on accepting until the processes are gone.
            with suppress(OSError):
                listener.setsockopt(
                    socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("HP", len(_NO_NEW_CONNECTIONS), ctypes.addressof(program))
                )

    def _stop_workers(self) -> None:
        """A process that is still starting may miss the signal, so it is sent until it is heard."""
        processes: list[Any] = self.wrks
        deadline = time.monotonic() + STOP_SECONDS
        while any(process.is_alive() for process in processes) and time.monotonic() < deadline:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join(SIGNAL_AGAIN_SECONDS)
        super()._stop_workers()  # type: ignore[no-untyped-call]

    def shutdown(self, exit_code: int = 0) -> None:
        """Told to stop, it stops well, even if a server process was told too and was gone before it was waited for."""
        try:
            super().shutdown(exit_code)  # type: ignore[no-untyped-call]
        except SystemExit:
            if not self.interrupt_signal:
                raise

    def signal_handler_reload(self, *given: Any, **more: Any) -> None:
        """The terminal is gone, and with it the service, unless it was started with nohup."""
        if self._hears_hangups:
            self.signal_handler_interrupt()  # type: ignore[no-untyped-call]


def _holder(listener: socket.socket) -> Any:
    holder: Any = SocketHolder
    return holder(listener.fileno(), False, BACKLOG) if LINUX else holder(listener.fileno(), False)


def _own_core(idx: int, processes: int) -> int | None:
    """The core for a process to stay on, which spares it moving its memory from one to another: where there is one for each process,
    and none besides. Otherwise the system knows better which is free."""
    cores = sorted(os.sched_getaffinity(0)) if LINUX else []
    return cores[idx] if 1 < processes == len(cores) else None


def _process(core: int | None, lifeline: tuple[Connection, Connection], listener: socket.socket, *given: Any) -> None:
    """A server process. The terminal's Ctrl-C reaches the parent alone, which then stops the others with SIGTERM."""
    if core is not None:
        # Some systems forbid it, and it only saves time.
        with suppress(OSError):
            os.sched_setaffinity(0, {core})
    os.setpgrp()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    reader, writer = lifeline
    # The parent alone may hold the writing end.
    writer.close()
    threading.Thread(target=_end_with_parent, args=(reader, listener), daemon=True).start()
    MPServer._spawn_rsgi_worker(*given)


def _end_with_parent(lifeline: Connection, listener: socket.socket) -> None:
    """Wait for the death of the parent; then close the port at once, so that a new service can listen there, and stop."""
    lifeline.poll(None)
    # Closing it would leave Granian's copy of the descriptor listening.
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ORPHAN_SECONDS)
    os._exit(1)
