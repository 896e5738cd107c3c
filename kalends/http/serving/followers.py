"""Requests that wait for changes: long polls, and streams of server-sent events. While one waits, it holds no thread.

An endpoint replies that it waits (`Reply.wait`); the request then runs again on a thread when there is something new for it."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from granian.rsgi import HTTPProtocol, ProtocolClosed, ProtocolError

from kalends.core.errors import Overloaded, Unavailable
from kalends.http.origin import network, wider_networks
from kalends.http.reply import Reply, Wait
from kalends.http.request import Request
from kalends.http.serving.follower_runs import FollowerRuns
from kalends.http.serving.granian import StreamTransport
from kalends.http.serving.notifier import Notifier, Waiter
from kalends.http.serving.peer_socket import PeerSocket

# In one process; of them those of one account, guests of one network, and guests of the networks around it.
MAX_FOLLOWERS = 2_000
MAX_PER_ACCOUNT = 50
MAX_GUESTS_PER_NETWORK = 100
MAX_GUESTS_PER_WIDER_NETWORK = 400
# The last places are for accounts that hold at most one, so that nobody takes them all by means of many accounts or networks.
RESERVED = 400
MAX_RESERVED_PER_ACCOUNT = 2
HEARTBEAT_SECONDS = 20
HEARTBEAT = b":\n\n"
# A stream that could not run, because the server is overloaded, tries again after this long.
OVERLOAD_SECONDS = 2
# Granian buffers without bound what a stream sends. After this many bytes the stream waits until the client has received them all.
UNREAD_BYTES = 64 * 1024
# A client that has not received them within this time is disconnected.
SLOW_SECONDS = 20
RETRY_AFTER_SECONDS = 30


class Followers:
    """The requests of a process that wait for changes, or will after they have run again."""

    def __init__(self, notifier: Notifier, runs: FollowerRuns, *, has_limits: bool = True):
        self._has_limits = has_limits
        self._notifier = notifier
        self._runs = runs
        self._count = 0
        # By account, and by network of guests.
        self._held: Counter[str] = Counter()
        self._waiters: set[Waiter] = set()
        self._shared: dict[str, asyncio.Task[Reply]] = {}
        self._is_stopped = False

    @property
    def count(self) -> int:
        return self._count

    def stop(self) -> None:
        """End every wait: long polls get their reply, and streams end."""
        self._is_stopped = True
        self._notifier.stop()
        for waiter in self._waiters:
            waiter.wake()

    @contextmanager
    def admit(self, request: Request, address: str) -> Iterator[None]:
        """Count the request as a follower meanwhile; raise Overloaded if there are too many."""
        limits = self._limits(request, address) if self._has_limits else {}
        if self._count >= MAX_FOLLOWERS or any(self._held[holder] >= limit for holder, limit in limits.items()):
            raise Overloaded("follower", "Too many clients wait for changes. Try again later, or ask without waiting.", RETRY_AFTER_SECONDS)
        self._count += 1
        self._held.update(limits.keys())
        try:
            yield
        finally:
            self._count -= 1
            self._held.subtract(limits.keys())
            # Drop the zero counts, or the counter would grow with every client.
            self._held = +self._held

    def _limits(self, request: Request, address: str) -> dict[str, int]:
        """Whom the request counts for, and how many places each may hold at the moment."""
        is_reserve = self._count >= MAX_FOLLOWERS - RESERVED
        if request.actor:
            return {f"user {request.actor.id}": MAX_RESERVED_PER_ACCOUNT if is_reserve else MAX_PER_ACCOUNT}
        if is_reserve:
            return {network(address): 0}
        return {network(address): MAX_GUESTS_PER_NETWORK} | dict.fromkeys(wider_networks(address), MAX_GUESTS_PER_WIDER_NETWORK)

    async def poll(self, request: Request, proto: HTTPProtocol, reply: Reply) -> Reply:
        """Wait for something to tell, and return it; or the reply without it when its time is over."""
        assert reply.wait
        loop = asyncio.get_running_loop()
        deadline = loop.time() + reply.wait.seconds
        async with _Disconnection(proto) as disconnection:
            while reply.wait and loop.time() < deadline and not self._is_stopped and not disconnection.is_over:
                await self._sleep(reply.wait, deadline - loop.time(), disconnection)
                if not disconnection.is_over:
                    reply = await self._runs.run(request)
        return reply

    async def stream(self, request: Request, proto: HTTPProtocol, reply: Reply, client: str) -> None:
        """Send the reply, and then a part for each change, until the client leaves or may not read any further."""
        sender = _Sender(proto.response_stream(reply.status, _stream_headers(reply)), client)
        with suppress(ProtocolClosed, ProtocolError, ConnectionError, TimeoutError):
            async with _Disconnection(proto) as disconnection:
                await sender.send(reply.body)
                wait = reply.wait
                # The callers hold the reply for as long as the stream lasts.
                reply.body, reply.headers, reply.wait = b"", {}, None
                while wait and not self._is_stopped and not disconnection.is_over:
                    await self._beat(wait, sender, disconnection)
                    if not disconnection.is_over:
                        wait = await self._send_part(request, wait, sender)

    async def _send_part(self, request: Request, wait: Wait, sender: "_Sender") -> Wait | None:
        """Run the request, send what it has to tell, and return what it waits for next."""
        request.headers.update(wait.resume or {})
        reply = await self._run_shared(wait.shared, request)
        if reply.status == Unavailable.status:
            await asyncio.sleep(OVERLOAD_SECONDS)
            return wait
        if reply.wait:
            await sender.send(reply.body)
        return reply.wait

    async def _beat(self, wait: Wait, sender: "_Sender", disconnection: "_Disconnection") -> None:
        """Wait, with a heartbeat now and then."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait.seconds
        while not disconnection.is_over and not self._is_stopped and (rest := deadline - loop.time()) > 0:
            if await self._sleep(wait, min(rest, HEARTBEAT_SECONDS), disconnection):
                return
            await sender.send(HEARTBEAT)

    async def _sleep(self, wait: Wait, seconds: float, disconnection: "_Disconnection") -> bool:
        """Sleep until something has changed, the client has left, or the server stops: True. Or until the time is over: False."""
        waiter = self._notifier.add(wait)
        disconnection.waiter = waiter
        self._waiters.add(waiter)
        try:
            return await waiter.sleep(seconds)
        finally:
            self._waiters.discard(waiter)
            self._notifier.remove(wait, waiter)

    async def _run_shared(self, name: str, request: Request) -> Reply:
        """Run the request, unless another stream of the same name does so at the moment: then get the same reply."""
        if not name:
            return await self._runs.run(request)
        task = self._shared.get(name)
        if task is None:
            task = self._shared[name] = asyncio.ensure_future(self._runs.run(request))
            task.add_done_callback(lambda _: self._shared.pop(name))
        return await asyncio.shield(task)


def _stream_headers(reply: Reply) -> list[tuple[str, str]]:
    headers = [(name, value) for name, value in reply.headers.items() if name != "Content-Length"]
    return headers + [("Set-Cookie", cookie) for cookie in reply.cookies]


class _Disconnection:
    """Notices when the client disconnects, and wakes the request that waits."""

    def __init__(self, proto: HTTPProtocol):
        self._proto = proto
        self.is_over = False
        self.waiter: Waiter | None = None

    async def __aenter__(self) -> "_Disconnection":
        self._task = asyncio.get_running_loop().create_task(self._watch())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._task.cancel()

    async def _watch(self) -> None:
        await self._proto.client_disconnect()
        self.is_over = True
        if self.waiter:
            self.waiter.wake()


class _Sender:
    """Sends the parts of a stream, no faster than the client receives them: Granian buffers little, and this one part at most."""

    def __init__(self, transport: StreamTransport, client: str):
        self._transport = transport
        self._client = client
        self._unread = 0

    async def send(self, content: bytes) -> None:
        """Send the content; raise TimeoutError if the client is too slow, which has then been disconnected."""
        with ExitStack() as closing:
            peer: PeerSocket | None = None
            for i in range(0, len(content), UNREAD_BYTES):
                piece = content[i : i + UNREAD_BYTES]
                if self._unread + len(piece) > UNREAD_BYTES:
                    peer = peer or await self._find_peer(closing)
                    await _drain(peer)
                    self._unread = 0
                await self._transport.send_bytes(piece)
                self._unread += len(piece)

    async def _find_peer(self, closing: ExitStack) -> PeerSocket:
        peer = await asyncio.to_thread(PeerSocket.find, self._client)
        if peer is None:
            raise ConnectionResetError
        return closing.enter_context(peer)


async def _drain(peer: PeerSocket) -> None:
    try:
        async with asyncio.timeout(SLOW_SECONDS):
            await peer.drain()
    except TimeoutError:
        peer.abort()
        raise
