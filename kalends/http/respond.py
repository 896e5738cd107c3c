"""The way of one request through its endpoint: authenticate, bind, act in one transaction, encode."""

import gzip
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import falcon
import msgspec
from msgspec import Struct

from kalends import errors
from kalends.context import Actor, Caller, Context
from kalends.db import Database, Retry, Slow
from kalends.http.endpoint import Document, Endpoint
from kalends.http.fields import fields_of
from kalends.http.limits import RateLimit
from kalends.http.origin import Origins, credential, is_cross_site
from kalends.http.params import bind
from kalends.settings import Settings

Authenticate = Callable[[Context, str], Actor | None]

GUEST_WRITES_A_MINUTE = 30
ATTEMPTS = 5
# Pages and what they use. Feeds and API answers are left to a proxy.
COMPRESSED = ("text/html", "text/css", "text/javascript", "image/svg+xml")
# In the environment of a request that holds up others: what is not quick is not for it.
HURRIES = "kalends.hurries"
API_POLICY = "default-src 'none'; frame-ancestors 'none'"

_encode = msgspec.json.Encoder().encode


class Surroundings(Struct, frozen=True):
    """What all requests of a process share."""

    db: Database
    settings: Settings
    authenticate: Authenticate
    clock: Callable[[], int]
    origins: Origins
    guest_writes: RateLimit = msgspec.field(default_factory=lambda: RateLimit(GUEST_WRITES_A_MINUTE))


class Responder:
    """Runs one endpoint."""

    def __init__(self, surroundings: Surroundings, endpoint: Endpoint, *, has_show: bool):
        self.endpoint = endpoint
        self._its = surroundings
        self._locates = has_show and endpoint.status == 201
        self._files = [field.name for field in fields_of(endpoint.params) if field.is_file] if endpoint.params is not None else []

    def __call__(self, req: falcon.Request, resp: falcon.Response, variables: dict[str, Any]) -> None:
        if HURRIES in req.env and not self.endpoint.quick:
            raise Slow
        caller = self._caller(req)
        if self.endpoint.is_form and caller.is_cross_site:
            raise errors.Forbidden("This form was sent from another site. Open the page here and send it again.")
        token, is_bearer = credential(req) if self.endpoint.credentials else (None, False)
        if token is None:
            self._count_guest(caller)
        broken = self._bind(req, variables)
        ctx, result = self._run(caller, token, is_bearer, broken, variables)
        self._do_later(ctx)
        req.context.user_id = ctx.actor.id if ctx.actor else None
        self._answer(ctx, resp, result)

    def _caller(self, req: falcon.Request) -> Caller:
        env = req.env
        return Caller(
            address=self._its.origins.address(req),
            is_cross_site=is_cross_site(req),
            authorization=env.get("HTTP_AUTHORIZATION", ""),
            if_match=env.get("HTTP_IF_MATCH"),
            if_none_match=env.get("HTTP_IF_NONE_MATCH"),
            if_modified_since=env.get("HTTP_IF_MODIFIED_SINCE"),
            path=req.path,
            query=req.query_string,
            takes_gzip="gzip" in env.get("HTTP_ACCEPT_ENCODING", ""),
        )

    def _bind(self, req: falcon.Request, variables: dict[str, Any]) -> errors.Invalid | None:
        """Bind the parameters. What is broken is told only after the credential was looked at."""
        try:
            params = bind(self.endpoint, req)
        except errors.Invalid as broken:
            return broken
        if self.endpoint.params is not None or self.endpoint.is_form:
            variables["params"] = params
        return None

    def _run(
        self, caller: Caller, token: str | None, is_bearer: bool, broken: errors.Invalid | None, variables: dict[str, Any]
    ) -> tuple[Context, Any]:
        for _ in range(ATTEMPTS):
            ctx = Context(self._its.db, self._its.settings, self._its.clock(), caller)
            try:
                if self.endpoint.transaction and not self._has_file(variables):
                    with ctx.write() if self.endpoint.writes else ctx.read():
                        self._sign_in(ctx, token, is_bearer)
                        self._refuse(ctx, broken)
                        return ctx, self.endpoint.function(ctx, **variables)
                if token is not None:
                    with ctx.read():
                        self._sign_in(ctx, token, is_bearer)
                self._refuse(ctx, broken)
                return ctx, self.endpoint.function(ctx, **variables)
            except Retry:
                continue
        raise errors.Unavailable("Too many people changed this at once. Try again.")

    def _has_file(self, variables: dict[str, Any]) -> bool:
        """Whether the action was given a file: it takes its time to read, and opens its transaction itself."""
        return any(getattr(variables.get("params"), name, None) is not None for name in self._files)

    def _sign_in(self, ctx: Context, token: str | None, is_bearer: bool) -> None:
        """A wrong Bearer token is an error everywhere; a stale cookie makes a guest."""
        if token is not None:
            ctx.actor = self._its.authenticate(ctx, token)
            if ctx.actor is None and is_bearer:
                raise errors.Unauthorized("The token is wrong or has expired. Sign in again: POST /api/session.")
            if ctx.actor is None:
                self._count_guest(ctx.caller)

    def _refuse(self, ctx: Context, broken: errors.Invalid | None) -> None:
        """Say what is broken. A guest who must sign in first is told that instead, unless it depends on the record."""
        if broken is None:
            return
        if ctx.actor is None and not self.endpoint.guests and not self.endpoint.variables:
            raise errors.Unauthorized
        raise broken

    def _count_guest(self, caller: Caller) -> None:
        if self.endpoint.limited and self._its.settings.rate_limits == "on":
            self._its.guest_writes.count(caller.address)

    def _do_later(self, ctx: Context) -> None:
        """What may as well fail: the action is committed, and its answer stands."""
        for task in ctx.later:
            with suppress(errors.Unavailable, Retry), self._its.db.write() as tx:
                task(tx)

    def _answer(self, ctx: Context, resp: falcon.Response, result: Any) -> None:
        resp.set_headers(ctx.headers)
        for cookie in ctx.cookies:
            resp.append_header("Set-Cookie", cookie)
        if isinstance(result, Document):
            status, content_type, body = result.status, result.content_type, result.body
        else:
            status, content_type, body = ctx.status or self.endpoint.status, "application/json", _encode(result)
            resp.set_header("Content-Security-Policy", API_POLICY)
        if ctx.unchanged or ("ETag" in ctx.headers and self._is_known(ctx, resp, body)):
            resp.status = 304
            return
        if content_type.startswith(COMPRESSED) and len(body) > 1_000:
            resp.append_header("Vary", "Accept-Encoding")
            if ctx.caller.takes_gzip:
                resp.set_header("Content-Encoding", "gzip")
                body = gzip.compress(body, 5, mtime=0)
        resp.status, resp.content_type, resp.data = status, content_type, body
        if self._locates and hasattr(result, "id"):
            resp.set_header("Location", f"/api/{self.endpoint.resource}/{result.id}")
        if getattr(result, "next", None):
            resp.append_header("Link", f'<{result.next}>; rel="next"')

    def _is_known(self, ctx: Context, resp: falcon.Response, body: bytes) -> bool:
        """Tag the answer, and say whether the client holds it already."""
        etag = ctx.headers["ETag"]
        if ctx.tags_answer:
            etag = f'{etag[:-1]}.{blake2b(body, digest_size=8).hexdigest()}"'
            resp.set_header("ETag", etag)
        return not self.endpoint.writes and ctx.caller.knows(etag)
