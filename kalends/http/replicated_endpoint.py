"""Run an endpoint on a database with replicas, from which guests read.

A request with a credential (a session, a key, or the secret of a link) reads from the primary, where what was withdrawn has ended. So does
a guest who has just written: their browser has a cookie that lives longer than a replica may lag."""

from typing import Any

from kalends.http.context import Context
from kalends.http.endpoint import Endpoint
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.run_endpoint import Call, EndpointRunner, Services

COOKIE = "kalends_written"
# More than twice the largest lag that can be set.
COOKIE_SECONDS = 90
# The parameters that have the secret of a link.
SECRETS = ("link", "token")


class ReplicatedRunner(EndpointRunner):
    """Runs one endpoint. A guest's read may use a replica in the first attempt; the others, and everything else, use the primary."""

    def __init__(self, services: Services, endpoint: Endpoint):
        super().__init__(services, endpoint)
        has_secret_path = str in endpoint.variables.values()
        self._may_use_replica = endpoint.transaction and not endpoint.writes and not endpoint.is_fresh and not has_secret_path

    def __call__(self, request: Request) -> Reply:
        reply = super().__call__(request)
        if self._writes and "authorization" not in request.headers:
            ctx = Context(self._services.db, self._services.settings, self._services.clock())
            ctx.set_cookie(COOKIE, "1", COOKIE_SECONDS)
            reply.cookies = [*reply.cookies, *ctx.cookies]
        return reply

    def _act(self, ctx: Context, call: Call) -> Any:
        if not self._may_use_replica or call.has_run or not _is_public(call):
            return super()._act(ctx, call)
        call.has_run = True
        with ctx.read_replica():
            self._admit(ctx, call)
            return self.endpoint.function(ctx, **call.arguments)


def _is_public(call: Call) -> bool:
    """Whether the request has no credential, and its guest has not just written."""
    return call.token is None and not call.caller.cookie(COOKIE) and not any(call.names.get(name) for name in SECRETS)
