"""Granian's side: read the body on the event loop, bounded in size and time, then run the WSGI application on a bounded
pool of threads. So a client that sends or reads slowly holds no thread, and beyond the queue's length the answer is a quick 503.

Passwords are hashed and files imported in small pools of their own. What takes less than the way to another thread and back is
answered on the event loop itself; where it turns out to take longer, it is given up there and run on a thread."""

import asyncio
import os
import re
import secrets
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from granian._granian import RSGIHTTPProtocol as HTTPProtocol
from granian._granian import RSGIProtocolError as ProtocolError
from granian.rsgi import Scope
from msgspec import Struct

from kalends import errors
from kalends.db import Database, TooSlowForEventLoop
from kalends.errors import Problem
from kalends.http import metrics
from kalends.http.input.request import BODY_LIMIT, FRAMING, UPLOAD_LIMIT
from kalends.http.origin import Origins
from kalends.http.problem import CONTENT_TYPE, encode
from kalends.http.run_endpoint import ON_EVENT_LOOP, REFUSAL
from kalends.http.server import common_headers, is_for_people
from kalends.http.serving.cancellation import Read, Reads
from kalends.http.serving.large_responses import LARGE, STEP_SECONDS, LargeResponses
from kalends.http.serving.request_bodies import SMALL, Bodies, too_large
from kalends.http.serving.thread_pool import QUEUE_SECONDS, Pool, Size
from kalends.http.serving.wsgi_environ import Environ, environ, has_body, is_multipart, set_body
from kalends.log import endpoint_name, log
from kalends.net.client_network import network
from kalends.settings import Settings

Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Answer = tuple[int, list[tuple[str, str]], bytes]
T = TypeVar("T")

# Each hash takes 64 MiB and every core for a tenth of a second; an import takes a core for seconds.
POOLS = {
    "hash": Size(2, queue=16, threads_each=2, queue_each=6, busy="Too many people are signing in at once. Try again shortly."),
    "upload": Size(2, queue=4, threads_each=1, queue_each=1, busy="Other imports are running. Try again in a minute."),
}
# For how long the rest of a refused body is read: a client that is cut off while it sends never sees the answer.
LINGER_SECONDS = 2
# A stop waits until nothing has arrived for a moment.
QUIET_SECONDS = 0.25
# Where new connections cannot be kept out, there may be no quiet moment.
FINISH_SECONDS = 30
LAST_READING_SECONDS = 3

CLOSE = ("connection", "close")
READS = ("GET", "HEAD")
# The statuses after which nothing more is read: the request has come to no good end.
BROKEN = (400, 408, 431)


class Routes(Struct, frozen=True):
    """What the edge must know of a request before the application sees it.

    quick: the paths to answer on the event loop, if the database lets it hurry.
    pools: the methods and paths that have a pool of their own.
    identify: the id of the user whose credential a request carries.
    """

    quick: re.Pattern[str]
    pools: re.Pattern[str]
    identify: Callable[[Environ], int | None]


class _Job(Struct, frozen=True):
    """What is to run: with which body, for whom, and in which pool, if it is not that of all requests.

    is_unread: the body was left where it is, so that the connection cannot go on.
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
        self._hurries = routes is not None
        self._origins = Origins(settings)
        self._headers = [(name.lower(), value) for name, value in common_headers(settings).items()]
        self._executor = ThreadPoolExecutor(settings.threads, thread_name_prefix="request")
        self._pools = {name: Pool(name, size) for name, size in POOLS.items()}
        self._room = settings.threads + settings.queue
        self._active = 0
        self._bodies = Bodies(settings.body_timeout)
        self._large_responses = LargeResponses()
        self._reads = Reads(db)
        # When each request was given to a thread, in that order.
        self._waiting: dict[Future[Any], float] = {}
        self._last_arrival = 0.0
        self._stop: asyncio.Task[None] | None = None

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Granian would stop at SIGTERM and SIGINT. SIGTERM is ours first."""
        loop.add_signal_handler(signal.SIGTERM, self._stop_soon, loop)
        self._hurries = self._hurries and self._can_hurry()
        self._watch_queue(loop)
        self._reads.start(loop)

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._executor.shutdown()
        for pool in self._pools.values():
            pool.shutdown()
        if self._db:
            self._db.close()

    def _can_hurry(self) -> bool:
        """Not if the database is away just now: then there is time."""
        try:
            return self._db is not None and self._db.limit_to_fast_reads()
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
        self._bodies.hurry()
        self._large_responses.hurry(LAST_READING_SECONDS)
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
            if CLOSE in answer[1] and answer[0] not in BROKEN:
                await self._linger(proto)
        finally:
            self._active -= 1

    async def _answer(self, scope: Scope, proto: HTTPProtocol) -> Answer:
        try:
            env = environ(scope)
            if not has_body(env) and self._is_quick(scope):
                with suppress(TooSlowForEventLoop):
                    return self._run(env, b"", hurries=True)
                del env[ON_EVENT_LOOP]
            job = await self._receive(scope, env, proto)
        except Problem as problem:
            # The connection may be in the middle of the body.
            return self._refusal(scope, problem, CLOSE)
        try:
            work = partial(self._run, env, job.body)
            if job.pool:
                return await self._in_pool(scope, env, job, work)
            status, headers, content = await self._on_thread(work, Read(proto) if scope.method in READS else None)
            return status, [*headers, CLOSE] if job.is_unread else headers, content
        except Problem as problem:
            return self._refusal(scope, problem)
        finally:
            self._bodies.release(job.network, job.body)

    async def _in_pool(self, scope: Scope, env: Environ, job: _Job, work: Callable[[], Answer]) -> Answer:
        """A browser that is refused is shown the page for that, with its form to send again."""
        try:
            return await self._pools[job.pool].run(job.clients, work)
        except errors.Unavailable as refusal:
            if not is_for_people(scope.path, env.get("HTTP_ACCEPT", "")):
                raise
            env[REFUSAL] = refusal
            return await self._on_thread(work)

    async def _receive(self, scope: Scope, env: Environ, proto: HTTPProtocol) -> _Job:
        """Read the body, and find the pool. Whoever sends a file is known first: without a credential, it is not even read."""
        kind = self._kind(scope, env)
        if not kind and not has_body(env):
            return _Job()
        most = UPLOAD_LIMIT + FRAMING if kind in ("upload", "file") and is_multipart(env) else BODY_LIMIT
        if int(env.get("HTTP_CONTENT_LENGTH", 0)) > most:
            raise too_large(most)
        client = network(self._origins.address_in(env))
        clients: tuple[str, ...] = (client,)
        if self._routes and kind in ("upload", "file"):
            user_id = await self._on_thread(partial(self._routes.identify, env))
            if user_id is None:
                return _Job(network=client, is_unread=True)
            clients = client, f"user {user_id}"
        body = await self._bodies.read(proto, most, client) if has_body(env) else b""
        if kind == "file":
            kind = "upload" if _may_have_file(body) else ""
        return _Job(body, client, clients, kind)

    def _kind(self, scope: Scope, env: Environ) -> str:
        """The request's pool, or `file` if it depends on a file, or nothing: then it is for the threads of all requests."""
        if scope.method == "GET" or self._routes is None:
            return ""
        match = self._routes.pools.fullmatch(f"{scope.method} {scope.path}")
        kind = match.lastgroup or "" if match else ""
        return "" if kind == "file" and not is_multipart(env) else kind

    async def _on_thread(self, work: Callable[[], T], read: Read | None = None) -> T:
        """read: what ends the work when the client has left."""
        if self._room <= 0:
            raise errors.Unavailable("Too many requests are waiting. Try again shortly.", retry_after=1)
        self._room -= 1
        waiting = self._executor.submit(read.run, work) if read else self._executor.submit(work)
        if read:
            self._reads.add(read, waiting)
        self._waiting[waiting] = asyncio.get_running_loop().time()
        try:
            return await asyncio.wrap_future(waiting)
        except asyncio.CancelledError:
            if not waiting.cancelled():
                raise
            raise errors.Unavailable("Nobody had time for this request. Try again shortly.") from None
        finally:
            del self._waiting[waiting]
            if read:
                self._reads.remove(read)
            self._room += 1

    async def _send(self, scope: Scope, proto: HTTPProtocol, answer: Answer) -> None:
        if len(answer[2]) > LARGE and scope.method == "GET":
            try:
                self._large_responses.make_room(len(answer[2]))
            except Problem as problem:
                answer = self._refusal(scope, problem)
        status, headers, content = answer
        if self._stop and CLOSE not in headers:
            headers = [*headers, CLOSE]
        if len(content) > LARGE:
            await self._large_responses.send(proto, status, headers, content, LAST_READING_SECONDS if self._stop else STEP_SECONDS)
        else:
            proto.response_bytes(status, headers, content)

    def _is_quick(self, scope: Scope) -> bool:
        if not self._hurries or self._routes is None or scope.method != "GET" or scope.query_string:
            return False
        return bool(self._routes.quick.fullmatch(scope.path))

    def _run(self, env: Environ, body: bytes, *, hurries: bool = False) -> Answer:
        status = 500
        headers: list[tuple[str, str]] = []

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = int(line[:3]), [(name.lower(), value) for name, value in fields]

        set_body(env, body)
        if hurries:
            env[ON_EVENT_LOOP] = True
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


def _may_have_file(body: bytes) -> bool:
    """Whether a multipart body has a file: one that is large enough, or whose parts name one."""
    return len(body) > SMALL or b"filename" in body.lower()
