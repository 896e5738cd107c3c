"""The RSGI application that Granian runs: it reads request bodies on the event loop, bounded in size and time, and then runs the
requests on a bounded pool of threads.

A client that sends or reads slowly holds no thread, and requests that find no room in the queue get 503. Passwords are hashed and files
imported in small thread pools of their own. `/healthz` runs on the event loop itself: it is served while every thread is busy."""

import asyncio
import os
import re
import signal
import threading
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from granian.rsgi import HTTPProtocol, ProtocolClosed, ProtocolError, Scope
from msgspec import Struct

from kalends.core import errors, tracing
from kalends.core.errors import Problem
from kalends.core.i18n import gettext
from kalends.core.log import endpoint_name, get_logger
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http import metrics
from kalends.http.endpoint import READ_METHODS
from kalends.http.error_handler import CONTENT_TYPE, encode, is_for_browser
from kalends.http.input.params import BODY_LIMIT, FRAMING, UPLOAD_LIMIT
from kalends.http.origin import Origins, network
from kalends.http.reply import Reply
from kalends.http.request import Request, new_id, read_scope
from kalends.http.server import common_headers
from kalends.http.serving import password_clients
from kalends.http.serving.follower_runs import FollowerRuns
from kalends.http.serving.followers import Followers
from kalends.http.serving.large_responses import LARGE, STEP_SECONDS, LargeResponses
from kalends.http.serving.load_meter import LoadMeter, Pool
from kalends.http.serving.notifier import Notifier
from kalends.http.serving.password_clients import Clients
from kalends.http.serving.request_bodies import SMALL, RequestBodies, too_large
from kalends.http.serving.request_queue import RequestQueue, queue_full
from kalends.http.serving.thread_pool import PoolSize, Share, ThreadPool

log = get_logger(__name__)

# Each hash takes 64 MiB and every core for a tenth of a second; an import takes a core for seconds.
POOLS = {
    "hash": PoolSize(
        threads=2,
        queue=16,
        queue_of_devices=8,
        overload_message=gettext("Too many people are signing in at once. Try again in a few seconds."),
    ),
    "upload": PoolSize(
        threads=2,
        queue=4,
        overload_message=gettext("Other imports are running. Try again in a minute."),
    ),
}
# Of the uploads, for a network and for a user.
UPLOADS = Share(threads=1, queue=1)
# When replies with a fixed time are sent: so long after the request, or the next multiple. Most take a few milliseconds.
FIXED_SECONDS = 0.05
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

_FILENAME = re.compile(rb'filename(?!="")', re.IGNORECASE)

# Statuses of broken requests, whose rest is not read.
BROKEN = (400, 408, 431)


class Application(Protocol):
    """What runs the requests."""

    def route(self, request: Request) -> None:
        """Set the endpoint of a request."""

    def identify(self, request: Request) -> int | None:
        """The id of the user whose credential a request carries."""

    def __call__(self, request: Request) -> Reply: ...


class _Job(Struct, frozen=True):
    """The work of a request: the clients it counts for, and its pool if it has one of its own."""

    network: str = ""
    clients: Clients = Clients({})
    pool: str = ""


class Edge:
    """The RSGI application around ours."""

    def __init__(self, application: Application, settings: Settings, db: Database | None = None):
        self._application = application
        self._settings = settings
        self._db = db
        self._origins = Origins(settings)
        self._headers = common_headers(settings)
        self._queue = RequestQueue(db, settings.threads, settings.queue)
        self._pools = {name: ThreadPool(name, size) for name, size in POOLS.items()}
        self._bodies = RequestBodies(settings.body_timeout)
        self._large_responses = LargeResponses()
        self._followers = Followers(Notifier(db, self._queue), FollowerRuns(self._run_all), has_limits=settings.rate_limits == "on")
        self._active = 0
        self._arrivals = 0
        self._stop: asyncio.Task[None] | None = None

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Granian would stop at SIGTERM and at SIGINT. This handles SIGTERM, and sends SIGINT when all requests are done."""
        loop.add_signal_handler(signal.SIGTERM, self._start_stop, loop)
        self._queue.start(loop)
        self._bodies.start(loop)
        if self._settings.metrics_token:
            pools: dict[str, Pool] = {"request": self._queue, **self._pools}
            LoadMeter(lambda: self._active, lambda: self._followers.count, pools, self._db).start(loop)

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._queue.shutdown()
        for pool in self._pools.values():
            pool.shutdown()
        tracing.stop()
        if self._db:
            self._db.close()

    def _start_stop(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._stop is None:
            self._stop = loop.create_task(self._drain(loop))

    async def _drain(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve on until load balancers have noticed, finish every request that has arrived, and then let Granian stop. Each connection is
        closed after its response."""
        await asyncio.sleep(self._settings.drain)
        began = quiet_since = loop.time()
        arrivals = self._arrivals
        self._bodies.shorten_timeouts()
        self._followers.stop()
        self._large_responses.shorten_timeouts(LAST_READ_SECONDS)
        while (self._active or loop.time() < quiet_since + QUIET_SECONDS) and loop.time() < began + FINISH_SECONDS:
            await asyncio.sleep(QUIET_SECONDS / 10)
            if self._arrivals != arrivals:
                arrivals, quiet_since = self._arrivals, loop.time()
        os.kill(os.getpid(), signal.SIGINT)
        # Granian waits for every connection, including those whose client reads nothing.
        end = threading.Timer(LAST_READ_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()

    async def __rsgi__(self, scope: Scope, proto: HTTPProtocol) -> None:
        self._active += 1
        self._arrivals += 1
        try:
            if self._queue.is_full and self._needs_queue(scope):
                reply: Reply | None = await self._refuse(scope, proto)
            else:
                reply = await self._respond(scope, proto)
            if reply:
                await self._send(scope.method, proto, reply)
        finally:
            self._active -= 1

    async def _respond(self, scope: Scope, proto: HTTPProtocol) -> Reply | None:
        """The reply, or None if it was a stream, which has been sent."""
        try:
            request = read_scope(scope)
        except Problem as problem:
            # The body may still be arriving.
            return _closing(self._error_reply(scope.method, problem))
        self._application.route(request)
        if self._stop and request.endpoint and not request.endpoint.while_stopping:
            request.refusal = errors.Unavailable("The server is stopping.")
        reply = self._application(request) if _runs_on_event_loop(request) else await self._run(request, proto)
        return await self._follow(request, scope, proto, reply) if reply.wait and request.method == "GET" else reply

    async def _follow(self, request: Request, scope: Scope, proto: HTTPProtocol, reply: Reply) -> Reply | None:
        """Run the request again when there is something new for it."""
        try:
            with self._followers.admit(request, self._origins.address(request)):
                if reply.wait and reply.wait.resume is None:
                    return await self._followers.poll(request, proto, reply)
                await self._followers.stream(request, proto, reply, scope.client)
                return None
        except Problem as problem:
            return self._error_reply(request.method, problem)

    async def _run_all(self, requests: list[Request]) -> list[Reply]:
        """Run requests without a body, one after the other on one thread."""
        try:
            return await self._queue.run(lambda: [self._application(request) for request in requests])
        except Problem as problem:
            return [self._error_reply(request.method, problem) for request in requests]

    def _needs_queue(self, scope: Scope) -> bool:
        """Whether the request can only run on the common threads; known by its method and path."""
        request = Request(scope.method, scope.path, scope.query_string)
        self._application.route(request)
        return not pool_of(request) and not _runs_on_event_loop(request)

    async def _refuse(self, scope: Scope, proto: HTTPProtocol) -> Reply:
        """Refuse a request before its head is read: under overload most requests are refused, at the expense of those that are served.

        A small body is read, so that the connection can be reused."""
        reply = self._error_reply(scope.method, queue_full())
        length = scope.headers.get("content-length")
        if length is None and "transfer-encoding" not in scope.headers:
            return reply
        try:
            if length is None or int(length) > MAX_REFUSED_BODY:
                return _closing(reply)
            async with asyncio.timeout(LINGER_SECONDS):
                await proto()
        except (TimeoutError, ValueError, ProtocolClosed):
            return _closing(reply)
        return reply

    async def _run(self, request: Request, proto: HTTPProtocol) -> Reply:
        """Read the body, and run the request on a thread."""
        try:
            job = await self._receive(request, proto)
        except Problem as problem:
            # The rest of the body may still be arriving.
            if request.run and not request.endpoint:
                request.refusal = problem
                reply = self._application(request)
                # Its traceback would keep `proto` in memory, and so the connection open.
                request.refusal = None
                return _closing(reply)
            return _closing(self._error_reply(request.method, problem))
        if request.endpoint and request.endpoint.fixed_time:
            return await at_fixed_time(self._run_job(request, job, proto))
        return await self._run_job(request, job, proto)

    async def _run_job(self, request: Request, job: _Job, proto: HTTPProtocol) -> Reply:
        try:
            if job.pool:
                return await self._run_in_pool(request, job)
            reply = await self._queue.run(partial(self._application, request), proto if request.method in READ_METHODS else None)
            # The connection cannot be reused.
            return _closing(reply) if request.is_unread else reply
        except Problem as problem:
            return self._error_reply(request.method, problem)
        finally:
            self._bodies.release(job.network, request.body)

    async def _run_in_pool(self, request: Request, job: _Job) -> Reply:
        """If the pool refuses the work, a browser gets the error page with its form to send again."""
        work = partial(self._application, request)
        try:
            return await self._pools[job.pool].run(job.clients.shares, work, has_device=job.clients.has_device)
        except errors.Overloaded as refusal:
            if not is_for_browser(request):
                raise
            metrics.refused.labels(refusal.resource).inc()
            request.refusal = refusal
            return await self._queue.run(work)

    async def _receive(self, request: Request, proto: HTTPProtocol) -> _Job:
        """Read the body and choose the pool. A file is not read before the client's credential was checked."""
        pool = pool_of(request)
        if not pool and not request.has_body:
            return _Job()
        takes_file = pool in ("upload", "file")
        max_bytes = UPLOAD_LIMIT + FRAMING if takes_file and request.is_multipart else BODY_LIMIT
        length = int(request.headers["content-length"]) if "content-length" in request.headers else None
        if length and length > max_bytes:
            raise too_large(max_bytes)
        client = network(self._origins.address(request))
        clients = Clients({client: UPLOADS})
        if takes_file:
            user_id = await self._queue.run(partial(self._application.identify, request))
            if user_id is None:
                return await self._refuse_guest(request, proto, length, client)
            clients = Clients({client: UPLOADS, f"user {user_id}": UPLOADS})
        if request.has_body:
            request.body = await self._bodies.read(proto, length, max_bytes, client)
        if pool == "file":
            pool = "upload" if _may_have_file(request.body) else ""
        if pool == "hash":
            clients = password_clients.find(request, self._origins, self._settings)
        return _Job(client, clients, pool)

    async def _refuse_guest(self, request: Request, proto: HTTPProtocol, length: int | None, client: str) -> _Job:
        """Read no file from a client without a credential. Of a form without a large file, the page to sign in keeps the input."""
        is_form = request.endpoint is not None and request.endpoint.is_form and not self._origins.is_cross_site(request)
        if is_form and length is not None and length <= BODY_LIMIT:
            request.body = await self._bodies.read(proto, length, BODY_LIMIT, client)
            request.refusal = errors.Unauthorized()
        else:
            request.is_unread = True
        return _Job(network=client)

    async def _send(self, method: str, proto: HTTPProtocol, reply: Reply) -> None:
        if len(reply.body) > LARGE and method in READ_METHODS:
            try:
                self._large_responses.reserve(len(reply.body))
            except Problem as problem:
                reply = self._error_reply(method, problem)
        is_unread = "Connection" in reply.headers
        if self._stop:
            _closing(reply)
        headers = list(reply.headers.items())
        if reply.cookies:
            headers += [("Set-Cookie", cookie) for cookie in reply.cookies]
        if len(reply.body) > LARGE:
            step_timeout = LAST_READ_SECONDS if self._stop else STEP_SECONDS
            await self._large_responses.send(proto, reply.status, headers, reply.body, step_timeout)
        else:
            proto.response_bytes(reply.status, headers, reply.body)
        if is_unread and reply.status not in BROKEN:
            await self._linger(proto)

    def _error_reply(self, method: str, problem: Problem) -> Reply:
        """The reply to a request that never ran."""
        request_id = new_id()
        name = endpoint_name(method)
        if self._settings.metrics_token:
            metrics.observe(name, problem.status, 0)
            if isinstance(problem, errors.Overloaded):
                metrics.refused.labels(problem.resource).inc()
        if self._settings.access_log == "on":
            log.info("request", endpoint=name, status=problem.status, ms=0, user=None, request_id=request_id)
        headers = problem.headers | self._headers | {"Content-Type": CONTENT_TYPE, "X-Request-Id": request_id}
        return Reply(problem.status, CONTENT_TYPE, encode(problem, request_id), headers)

    async def _linger(self, proto: Any) -> None:
        with suppress(ProtocolError):
            aiter(proto)
        with suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(LINGER_SECONDS):
                while True:
                    await anext(proto)


def _runs_on_event_loop(request: Request) -> bool:
    """Whether a request that was routed needs no thread."""
    return request.endpoint is not None and request.endpoint.on_event_loop and not request.has_body


def pool_of(request: Request) -> str:
    """The name of the request's pool, `file` if that depends on whether its body has a file, or empty for the common threads."""
    endpoint = request.endpoint
    if endpoint is None or not endpoint.writes:
        return ""
    if endpoint.pool != "request":
        return endpoint.pool
    return "file" if request.is_multipart and endpoint.takes_file else ""


async def at_fixed_time(work: Awaitable[Reply]) -> Reply:
    """The reply, at the next multiple of the fixed time since the body arrived. (Since the head, a client could choose the moment of the
    last byte so that a multiple lies between two durations.) No thread waits."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    reply = await work
    await asyncio.sleep(FIXED_SECONDS - (loop.time() - began) % FIXED_SECONDS)
    return reply


def _closing(reply: Reply) -> Reply:
    """The reply, after which the connection is closed."""
    reply.headers["Connection"] = "close"
    return reply


def _may_have_file(body: bytes) -> bool:
    """Whether a body may have a file: it is large, or a part has a file name. For an input without a file, browsers send an empty one."""
    return len(body) > SMALL or _FILENAME.search(body) is not None
