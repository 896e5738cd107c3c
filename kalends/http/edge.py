"""Granian's side: read the body on the event loop, bounded in size and time, then run the WSGI application on a bounded
pool of threads. So a client that sends or reads slowly holds no thread, and beyond the queue's length the answer is a quick 503.

What takes less than the way to another thread and back is answered on the event loop itself; where it turns out to take longer, it
is given up there and run on a thread."""

import asyncio
import io
import os
import re
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from granian._granian import RSGIHTTPProtocol as HTTPProtocol
from granian._granian import RSGIProtocolError as ProtocolError
from granian.rsgi import Scope

from kalends import errors
from kalends.db import Database, Slow
from kalends.errors import Problem
from kalends.http import metrics
from kalends.http.log import endpoint_name, log
from kalends.http.outflow import LARGE, STEP_SECONDS, Outflow
from kalends.http.params import BODY_LIMIT, FRAMING, UPLOAD_LIMIT
from kalends.http.problem import CONTENT_TYPE, encode
from kalends.http.reads import Read, Reads
from kalends.http.respond import HURRIES
from kalends.http.server import common_headers
from kalends.settings import Settings

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Answer = tuple[int, list[tuple[str, str]], bytes]

# What the bodies of all requests may hold together, in each process.
BODIES_LIMIT = 16 * UPLOAD_LIMIT
# For how long the rest of a refused body is read: a client that is cut off while it sends never sees the answer.
LINGER_SECONDS = 2
# A stop waits until nothing has arrived for a moment, and no longer than this for bodies that are still on their way.
QUIET_SECONDS = 0.25
# Where new connections cannot be kept out, there may be no quiet moment.
FINISH_SECONDS = 30
# For how long a request may wait for a thread.
QUEUE_SECONDS = 10
LAST_BODIES_SECONDS = 3
LAST_READING_SECONDS = 3

CLOSE = ("connection", "close")
READS = ("GET", "HEAD")


class Edge:
    """The RSGI application around a WSGI one."""

    def __init__(self, wsgi: Wsgi, settings: Settings, db: Database | None = None, quick: re.Pattern[str] | None = None):
        """quick: the paths to answer on the event loop, if the database lets it hurry."""
        self._wsgi = wsgi
        self._settings = settings
        self._db = db
        self._quick = quick
        self._headers = [(name.lower(), value) for name, value in common_headers(settings).items()]
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="request")
        self._room = settings.threads + settings.queue
        self._held = 0
        self._active = 0
        self._reading: set[asyncio.Timeout] = set()
        self._outflow = Outflow()
        self._reads = Reads(db)
        # When each request was given to the pool, in that order.
        self._waiting: dict[Future[Answer], float] = {}
        self._last_arrival = 0.0
        self._stop: asyncio.Task[None] | None = None

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Granian would stop at SIGTERM and SIGINT. SIGTERM is ours first."""
        loop.add_signal_handler(signal.SIGTERM, self._stop_soon, loop)
        if not self._can_hurry():
            self._quick = None
        self._watch_queue(loop)
        self._reads.start(loop)

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._pool.shutdown()
        if self._db:
            self._db.close()

    def _can_hurry(self) -> bool:
        """Not if the database is away just now: then there is time."""
        try:
            return self._db is not None and self._db.hurry()
        except errors.Unavailable:
            return False

    def _watch_queue(self, loop: asyncio.AbstractEventLoop) -> None:
        """While every thread is held up by something that hangs, whoever waits for one is not kept waiting too."""
        for waiting, since in list(self._waiting.items()):
            if loop.time() < since + QUEUE_SECONDS:
                break
            waiting.cancel()
        loop.call_later(QUEUE_SECONDS / 10, self._watch_queue, loop)

    def _stop_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._stop is None:
            self._stop = loop.create_task(self._finish(loop))

    async def _finish(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer whatever has arrived, and close each connection with its answer; then let Granian stop."""
        began = self._last_arrival = loop.time()
        for timeout in self._reading:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or began, began + LAST_BODIES_SECONDS))
        self._outflow.hurry(LAST_READING_SECONDS)
        while (self._active or loop.time() < self._last_arrival + QUIET_SECONDS) and loop.time() < began + FINISH_SECONDS:
            await asyncio.sleep(QUIET_SECONDS / 10)
        os.kill(os.getpid(), signal.SIGINT)
        # Granian waits for every connection, and there may be one whose client reads nothing.
        end = threading.Timer(LAST_READING_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()

    async def __rsgi__(self, scope: Scope, proto: HTTPProtocol) -> None:
        self._active += 1
        self._last_arrival = asyncio.get_running_loop().time()
        try:
            answer = await self._answer(scope, proto)
            await self._send(scope, proto, answer)
            if answer[0] == errors.TooLarge.status:
                await self._linger(proto)
        finally:
            self._active -= 1

    async def _answer(self, scope: Scope, proto: HTTPProtocol) -> Answer:
        try:
            body = await self._body(scope, proto)
        except Problem as problem:
            # The connection may be in the middle of the body.
            return self._refusal(scope, problem, CLOSE)
        if not body and self._is_quick(scope):
            with suppress(Slow):
                return self._run(scope, body, hurries=True)
        if self._room <= 0:
            return self._refusal(scope, errors.Unavailable("Too many requests are waiting. Try again shortly.", retry_after=1))
        self._room -= 1
        self._held += len(body)
        read = Read(proto)
        if is_read := scope.method in READS:
            waiting = self._pool.submit(read.run, self._run, scope, body)
            self._reads.add(read, waiting)
        else:
            waiting = self._pool.submit(self._run, scope, body)
        self._waiting[waiting] = asyncio.get_running_loop().time()
        try:
            return await asyncio.wrap_future(waiting)
        except asyncio.CancelledError:
            if not waiting.cancelled():
                raise
            return self._refusal(scope, errors.Unavailable("Nobody had time for this request. Try again shortly."))
        finally:
            del self._waiting[waiting]
            if is_read:
                self._reads.remove(read)
            self._held -= len(body)
            self._room += 1

    async def _send(self, scope: Scope, proto: HTTPProtocol, answer: Answer) -> None:
        if len(answer[2]) > LARGE and scope.method == "GET":
            try:
                self._outflow.make_room(len(answer[2]))
            except Problem as problem:
                answer = self._refusal(scope, problem)
        status, headers, content = answer
        if self._stop and CLOSE not in headers:
            headers = [*headers, CLOSE]
        if len(content) > LARGE:
            await self._outflow.send(proto, status, headers, content, LAST_READING_SECONDS if self._stop else STEP_SECONDS)
        else:
            proto.response_bytes(status, headers, content)

    def _is_quick(self, scope: Scope) -> bool:
        return self._quick is not None and scope.method == "GET" and not scope.query_string and bool(self._quick.fullmatch(scope.path))

    async def _body(self, scope: Scope, proto: HTTPProtocol) -> bytes:
        length = scope.headers.get("content-length")
        if length is None and "transfer-encoding" not in scope.headers:
            return b""
        most = UPLOAD_LIMIT + FRAMING if scope.headers.get("content-type", "").lower().startswith("multipart/form-data") else BODY_LIMIT
        if length is not None and int(length) > most:
            raise _too_large(most)
        patience = min(self._settings.body_timeout, LAST_BODIES_SECONDS) if self._stop else self._settings.body_timeout
        timeout = asyncio.timeout(patience)
        try:
            async with timeout:
                self._reading.add(timeout)
                return await self._read(proto, most)
        except TimeoutError:
            raise errors.TooSlow(f"Send the body within {patience} seconds.") from None
        finally:
            self._reading.discard(timeout)

    async def _read(self, proto: HTTPProtocol, most: int) -> bytes:
        body = bytearray()
        ends = 0
        try:
            async for chunk in proto:
                body += chunk
                self._held += len(chunk)
                if len(body) > most:
                    raise _too_large(most)
                if self._held > BODIES_LIMIT:
                    raise errors.Unavailable("Too many large requests are arriving. Try again shortly.")
                ends += not chunk
        finally:
            self._held -= len(body)
        # An empty chunk ends a body. One that breaks off, in the middle or in its chunked form, has another before that.
        if ends != 1:
            raise errors.BadRequest("The body ends before it is complete.")
        return bytes(body)

    def _run(self, scope: Scope, body: bytes, *, hurries: bool = False) -> Answer:
        status = 500
        headers: list[tuple[str, str]] = []

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = int(line[:3]), [(name.lower(), value) for name, value in fields]

        env = environ(scope, body)
        if hurries:
            env[HURRIES] = True
        content = b"".join(self._wsgi(env, start_response))
        return status, headers, content

    def _refusal(self, scope: Scope, problem: Problem, *more: tuple[str, str]) -> Answer:
        """The answer to a request that the application never sees, with more headers."""
        request_id = secrets.token_hex(8)
        name = endpoint_name(scope.method)
        if self._settings.metrics_token:
            metrics.observe(name, problem.status, 0)
        if self._settings.access_log == "on":
            log.info("request", endpoint=name, status=problem.status, ms=0, user=None, request_id=request_id)
        headers = [(name.lower(), value) for name, value in problem.headers.items()]
        headers += [*self._headers, ("content-type", CONTENT_TYPE), ("x-request-id", request_id), *more]
        return problem.status, headers, encode(problem, request_id)

    async def _linger(self, proto: Any) -> None:
        with suppress(ProtocolError):
            aiter(proto)
        with suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(LINGER_SECONDS):
                while True:
                    await anext(proto)


def environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """The WSGI environment of an RSGI request."""
    host, _, port = scope.server.rpartition(":")
    env: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        # A name with an underscore would pass for the one with hyphens, which a proxy may have checked.
        if "_" not in name:
            key = "HTTP_" + name.upper().replace("-", "_")
            env[key] = f"{env[key]}{'; ' if name == 'cookie' else ','}{value}" if key in env else value
    if "authorization" in scope.headers:
        # Granian keeps a value beyond ASCII to itself. It is no credential of ours, and not to be passed over as if none was given.
        env.setdefault("HTTP_AUTHORIZATION", "unreadable")
    if "idempotency-key" in scope.headers:
        env.setdefault("HTTP_IDEMPOTENCY_KEY", "")
    if scope.authority and "HTTP_HOST" not in env:
        env["HTTP_HOST"] = scope.authority
    env["CONTENT_LENGTH"] = str(len(body)) if body else ""
    if "HTTP_CONTENT_TYPE" in env:
        env["CONTENT_TYPE"] = env.pop("HTTP_CONTENT_TYPE")
    env.pop("HTTP_CONTENT_LENGTH", None)
    return env


def _too_large(most: int) -> errors.TooLarge:
    return errors.TooLarge(f"A body may have at most {most // 1024 // 1024} MiB.")
