"""Run an endpoint on a database with replicas, so that clients read their own writes.

The reply to a write has the position of the database in `Kalends-Position`, and for browsers in a cookie. A client sends it back, and
reads from a replica that has replayed it, or else from the primary. The cookie lives longer than a replica may lag: a browser that has none
has written nothing that a replica may lack."""

import hmac
from typing import Any

from kalends import errors
from kalends.context import Context
from kalends.http.endpoint import Endpoint
from kalends.http.request import Request
from kalends.http.run_endpoint import Call, EndpointRunner, Services
from kalends.reply import Reply
from kalends.settings import Settings
from kalends.tokens import derive

HEADER = "Kalends-Position"
COOKIE = "kalends_position"
# More than twice the largest lag that can be set.
COOKIE_SECONDS = 90
# What a client sends that has written nothing.
START = "0"
# After a write whose position cannot be read. No replica reaches it, so the client reads from the primary.
UNREACHABLE = (1 << 63) - 1


class ReplicatedRunner(EndpointRunner):
    """Runs one endpoint. Its read may use a replica in the first attempt; the others, and everything but that read, use the primary."""

    def __init__(self, services: Services, endpoint: Endpoint):
        super().__init__(services, endpoint)
        self._may_use_replica = endpoint.transaction and not endpoint.writes and not endpoint.is_fresh

    def __call__(self, request: Request) -> Reply:
        reply = super().__call__(request)
        if self._writes:
            self._set_position(request, reply)
        return reply

    def _act(self, ctx: Context, call: Call) -> Any:
        if not self._may_use_replica or call.has_run:
            return super()._act(ctx, call)
        call.has_run = True
        with ctx.read_after(self._find_position(call)):
            self._admit(ctx, call)
            return self.endpoint.function(ctx, **call.arguments)

    def _find_position(self, call: Call) -> int | None:
        """What a snapshot must have; None if that is not known. Programs keep no cookies, so without the header it is not known."""
        settings = self._services.settings
        header = call.request.headers.get(HEADER.lower())
        if header is not None or call.is_bearer:
            return parse(settings, header or "")
        return parse(settings, call.caller.cookie(COOKIE)) or 0

    def _set_position(self, request: Request, reply: Reply) -> None:
        settings = self._services.settings
        try:
            position = self._services.db.commit_position()
        except errors.Unavailable:
            position = UNREACHABLE
        reply.headers[HEADER] = text = sign(settings, position)
        if "authorization" not in request.headers:
            ctx = Context(self._services.db, settings, self._services.clock())
            ctx.set_cookie(COOKIE, text, COOKIE_SECONDS)
            reply.cookies = [*reply.cookies, *ctx.cookies]


def sign(settings: Settings, position: int) -> str:
    """The position as clients get it. Of two, the later one is the greater text. Without a signature, anyone could name one that no
    replica reaches, and burden the primary."""
    return _signed(settings, f"{position:016x}")


def parse(settings: Settings, text: str) -> int | None:
    """The position that a client sent; None if it is not one of ours."""
    if text == START:
        return 0
    digits = text.partition(".")[0]
    is_ours = bool(text) and hmac.compare_digest(text.encode(), _signed(settings, digits).encode())
    return int(digits, 16) if is_ours else None


def _signed(settings: Settings, digits: str) -> str:
    return f"{digits}.{derive(settings, 'position', digits)[:22]}"
