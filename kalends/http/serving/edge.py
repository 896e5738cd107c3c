"""The RSGI application that Granian runs: it reads request bodies on the event loop, bounded in size and time, and then runs the WSGI
application on a bounded pool of threads.

A client that sends or reads slowly holds no thread, and requests beyond the length of the queue get 503 at once. Passwords are hashed
and files imported in small thread pools of their own. Fast reads run on the event loop itself (fast_reads.py)."""

import asyncio
import os
import re
import secrets
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from granian._granian import RSGIHTTPProtocol as HTTPProtocol
from granian._granian import RSGIProtocolError as ProtocolError
from granian.rsgi import Scope
from msgspec import Struct

from kalends import errors
from kalends.db import Database, TooSlowForEventLoop
from kalends.errors import Problem
from kalends.http import metrics
from kalends.http.error_handler import is_for_browser
from kalends.http.input.request import BODY_LIMIT, FRAMING, UPLOAD_LIMIT
from kalends.http.origin import Origins
from kalends.http.problem import CONTENT_TYPE, encode
from kalends.http.run_endpoint import REFUSAL
from kalends.http.server import common_headers
from kalends.http.serving.cancellation import Read
from kalends.http.serving.fast_reads import ON_EVENT_LOOP, FastReads
from kalends.http.serving.large_responses import LARGE, STEP_SECONDS, LargeResponses
from kalends.http.serving.request_bodies import SMALL, RequestBodies, too_large
from kalends.http.serving.request_queue import RequestQueue, queue_full
from kalends.http.serving.thread_pool import PoolSize, ThreadPool
from kalends.http.serving.wsgi_environ import Environ, environ, has_body, is_multipart, set_body
from kalends.log import endpoint_name, get_logger
from kalends.net.client_network import network
from kalends.settings import Settings

log = get_logger(__name__)

Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
# Status, header fields and content.
HTTPResponse = tuple[int, list[tuple[str, str]], bytes]

# Each hash takes 64 MiB and every core for a tenth of a second; an import takes a core for seconds.
POOLS = {
    "hash": PoolSize(
        threads=2,
        queue=16,
        threads_per_client=2,
        queue_per_client=6,
        overload_message="Too many people are signing in at once. Try again shortly.",
    ),
    "upload": PoolSize(
        threads=2,
        queue=4,
        threads_per_client=1,
        queue_per_client=1,
        overload_message="Other imports are running. Try again in a minute.",
    ),
}
# How long the rest of a refused body is read: a client that is disconnected while it sends never reads the response.
LINGER_SECONDS = 2
# The largest body that is read if the queue is full.
MAX_REFUSED_BODY = 16 * 1024
# A stop waits until no request has arrived for this long.
QUIET_SECONDS = 0.25
# The timeout of that wait, for systems on which new connections cannot be refused.
FINISH_SECONDS = 30
# After that, the timeout for clients to read the last responses.
LAST_READ_SECONDS = 3

CLOSE = ("connection", "close")
READS = ("GET", "HEAD")
# Statuses of broken requests, whose rest is not read.
BROKEN = (400, 408, 431)


class Routes(Struct, frozen=True):
    """What the edge must know about a request before the WSGI application runs.

    fast_reads: the paths of GETs that may run on the event loop.
    pools: methods and paths whose group names their thread pool, or `file` if that depends on whether they have a file.
    identify: returns the id of the user whose credential a request carries.
    """

    fast_reads: re.Pattern[str]
    pools: re.Pattern[str]
    identify: Callable[[Environ], int | None]


class _Job(Struct, frozen=True):
    """The work of a request: its body, the clients it counts for, and its pool if it has one of its own.

    is_unread: the body was not read, so the connection cannot be reused.
    """

    body: bytes = b""
    network: str = ""
    clients: tuple[str, ...] = ()
    pool: str = ""
    is_unread: bool = False


class Edge:
    """The RSGI application around a WSGI one."""

    def __init__(self, wsgi: Wsgi, settings: Settings, db: Database | None = None, routes: Routes | None = None):
        self._wsgi = wsgi
        self._settings = settings
        self._db = db
        self._routes = routes
        self._origins = Origins(settings)
        self._headers = [(name.lower(), value) for name, value in common_headers(settings).items()]
        self._queue = RequestQueue(db, settings.threads, settings.queue)
        self._fast_reads = FastReads(db, routes.fast_reads if routes else None)
        self._pools = {name: ThreadPool(name, size) for name, size in POOLS.items()}
        self._bodies = RequestBodies(settings.body_timeout)
        self._large_responses = LargeResponses()
        self._active = 0
        self._last_arrival = 0.0
        self._stop: asyncio.Task[None] | None = None

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Granian would stop at SIGTERM and at SIGINT. This handles SIGTERM, and sends SIGINT when all requests are done."""
        loop.add_signal_handler(signal.SIGTERM, self._start_stop, loop)
        self._fast_reads.start()
        self._queue.start(loop)

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._queue.shutdown()
        for pool in self._pools.values():
            pool.shutdown()
        if self._db:
            self._db.close()

    def _start_stop(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._stop is None:
            self._stop = loop.create_task(self._drain(loop))

    async def _drain(self, loop: asyncio.AbstractEventLoop) -> None:
        """Finish every request that has arrived, close each connection after its response, and then let Granian stop."""
        began = self._last_arrival = loop.time()
        self._bodies.shorten_timeouts()
        self._large_responses.shorten_timeouts(LAST_READ_SECONDS)
        while (self._active or loop.time() < self._last_arrival + QUIET_SECONDS) and loop.time() < began + FINISH_SECONDS:
            await asyncio.sleep(QUIET_SECONDS / 10)
        os.kill(os.getpid(), signal.SIGINT)
        # Granian waits for every connection, including those whose client reads nothing.
        end = threading.Timer(LAST_READ_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()

    async def __rsgi__(self, scope: Scope, proto: HTTPProtocol) -> None:
        self._active += 1
        self._last_arrival = asyncio.get_running_loop().time()
        try:
            response = await self._respond(scope, proto)
            await self._send(scope, proto, response)
            if CLOSE in response[1] and response[0] not in BROKEN:
                await self._linger(proto)
        finally:
            self._active -= 1

    async def _respond(self, scope: Scope, proto: HTTPProtocol) -> HTTPResponse:
        if self._queue.is_full and self._needs_queue(scope):
            return await self._refuse(scope, proto)
        try:
            env = environ(scope)
            if not has_body(env) and self._fast_reads.accepts(scope):
                env[ON_EVENT_LOOP] = True
                with suppress(TooSlowForEventLoop):
                    return self._run(env, b"")
                del env[ON_EVENT_LOOP]
            job = await self._receive(scope, env, proto)
        except Problem as problem:
            # The rest of the body may still be arriving.
            return self._error_response(scope, problem, CLOSE)
        try:
            work = partial(self._run, env, job.body)
            if job.pool:
                return await self._run_in_pool(scope, env, job, work)
            status, headers, content = await self._queue.run(work, Read(proto) if scope.method in READS else None)
            return status, [*headers, CLOSE] if job.is_unread else headers, content
        except Problem as problem:
            return self._error_response(scope, problem)
        finally:
            self._bodies.release(job.network, job.body)

    def _needs_queue(self, scope: Scope) -> bool:
        """Whether the request can only run on the common threads."""
        if scope.method in READS:
            return not self._fast_reads.accepts(scope)
        return self._routes is None or not self._routes.pools.fullmatch(f"{scope.method} {scope.path}")

    async def _refuse(self, scope: Scope, proto: HTTPProtocol) -> HTTPResponse:
        """Refuse a request before it is parsed: under overload most requests are refused, at the expense of those that are served.

        A small body is read, so that the connection can be reused."""
        length = scope.headers.get("content-length")
        if length is None and "transfer-encoding" not in scope.headers:
            return self._error_response(scope, queue_full())
        try:
            if length is None or int(length) > MAX_REFUSED_BODY:
                return self._error_response(scope, queue_full(), CLOSE)
            async with asyncio.timeout(LINGER_SECONDS):
                await proto()
        except (TimeoutError, ValueError):
            return self._error_response(scope, queue_full(), CLOSE)
        return self._error_response(scope, queue_full())

    async def _run_in_pool(self, scope: Scope, env: Environ, job: _Job, work: Callable[[], HTTPResponse]) -> HTTPResponse:
        """If the pool refuses the work, a browser gets the error page with its form to send again."""
        try:
            return await self._pools[job.pool].run(job.clients, work)
        except errors.Unavailable as refusal:
            if not is_for_browser(scope.path, env.get("HTTP_ACCEPT", "")):
                raise
            env[REFUSAL] = refusal
            return await self._queue.run(work)

    async def _receive(self, scope: Scope, env: Environ, proto: HTTPProtocol) -> _Job:
        """Read the body and choose the pool. A file is not read before the client's credential was checked."""
        kind = self._kind(scope, env)
        if not kind and not has_body(env):
            return _Job()
        max_bytes = UPLOAD_LIMIT + FRAMING if kind in ("upload", "file") and is_multipart(env) else BODY_LIMIT
        if int(env.get("HTTP_CONTENT_LENGTH", 0)) > max_bytes:
            raise too_large(max_bytes)
        client = network(self._origins.address_in(env))
        clients: tuple[str, ...] = (client,)
        if self._routes and kind in ("upload", "file"):
            user_id = await self._queue.run(partial(self._routes.identify, env))
            if user_id is None:
                return _Job(network=client, is_unread=True)
            clients = client, f"user {user_id}"
        body = await self._bodies.read(proto, max_bytes, client) if has_body(env) else b""
        if kind == "file":
            kind = "upload" if _may_have_file(body) else ""
        return _Job(body, client, clients, kind)

    def _kind(self, scope: Scope, env: Environ) -> str:
        """The name of the request's pool, `file` if it depends on whether the body has a file, or empty for the common threads."""
        if scope.method == "GET" or self._routes is None:
            return ""
        match = self._routes.pools.fullmatch(f"{scope.method} {scope.path}")
        kind = match.lastgroup or "" if match else ""
        return "" if kind == "file" and not is_multipart(env) else kind

    async def _send(self, scope: Scope, proto: HTTPProtocol, response: HTTPResponse) -> None:
        if len(response[2]) > LARGE and scope.method == "GET":
            try:
                self._large_responses.reserve(len(response[2]))
            except Problem as problem:
                response = self._error_response(scope, problem)
        status, headers, content = response
        if self._stop and CLOSE not in headers:
            headers = [*headers, CLOSE]
        if len(content) > LARGE:
            await self._large_responses.send(proto, status, headers, content, LAST_READ_SECONDS if self._stop else STEP_SECONDS)
        else:
            proto.response_bytes(status, headers, content)

    def _run(self, env: Environ, body: bytes) -> HTTPResponse:
        status = 500
        headers: list[tuple[str, str]] = []

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = int(line[:3]), [(name.lower(), value) for name, value in fields]

        set_body(env, body)
        content = b"".join(self._wsgi(env, start_response))
        return status, headers, content

    def _error_response(self, scope: Scope, problem: Problem, *more_headers: tuple[str, str]) -> HTTPResponse:
        """The response to a request that never reached the WSGI application."""
        request_id = secrets.token_hex(8)
        name = endpoint_name(scope.method)
        if self._settings.metrics_token:
            metrics.observe(name, problem.status, 0)
        if self._settings.access_log == "on":
            log.info("request", endpoint=name, status=problem.status, ms=0, user=None, request_id=request_id)
        headers = [(name.lower(), value) for name, value in problem.headers.items()]
        headers += [*self._headers, ("content-type", CONTENT_TYPE), ("x-request-id", request_id), *more_headers]
        return problem.status, headers, encode(problem, request_id)

    async def _linger(self, proto: Any) -> None:
        with suppress(ProtocolError):
            aiter(proto)
        with suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(LINGER_SECONDS):
                while True:
                    await anext(proto)


def _may_have_file(body: bytes) -> bool:
    """Whether a multipart body may have a file: it is large, or a part has a file name."""
    return len(body) > SMALL or b"filename" in body.lower()
