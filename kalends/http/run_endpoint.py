"""The way of one request through its endpoint: authenticate, bind, act in one transaction, encode."""

import gzip
import io
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from typing import Any

import falcon
import msgspec
from msgspec import UNSET, Struct

from kalends import errors
from kalends.context import Actor, Caller, Context
from kalends.db import Database, Retry, TooSlowForEventLoop
from kalends.errors import Problem
from kalends.http.endpoint import Document, Endpoint
from kalends.http.input.fields import fields_of
from kalends.http.input.request import bind, gather, is_strict
from kalends.http.origin import Origins
from kalends.http.rate_limit import GuestCall, RateLimit
from kalends.http.serving.fast_reads import ON_EVENT_LOOP
from kalends.idempotency.key import IdempotencyKeyInUse, Key, Reply, ResponseStore, StoredResponse, key_of, read_key
from kalends.net.client_network import network
from kalends.settings import Settings
from kalends.values import timestamps

Authenticate = Callable[[Context, str], Actor | None]
SignIn = Callable[[Context], None]

ATTEMPTS = 5
# Pages and what they use, by zlib's level.
PAGES, PAGES_LEVEL = ("text/html", "text/css", "text/javascript", "image/svg+xml"), 5
# JSON and files are made for each request, so they are compressed as cheaply as possible.
DATA, DATA_LEVEL = ("application/json", "text/calendar", "text/csv", "text/vcard"), 1
SMALL = 1_000
# In the environment of a request that is refused before it runs: the problem to tell.
REFUSAL = "kalends.refusal"
KEY = "HTTP_IDEMPOTENCY_KEY"
API_POLICY = "default-src 'none'; frame-ancestors 'none'"

_encode = msgspec.json.Encoder().encode
_GZIP = re.compile(r"gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


class Services(Struct, frozen=True):
    """What all requests of a process share."""

    db: Database
    settings: Settings
    authenticate: Authenticate
    clock: Callable[[], int]
    origins: Origins
    memory: ResponseStore
    guest_writes: RateLimit


def identify(db: Database, settings: Settings, authenticate: Authenticate, env: dict[str, Any]) -> int | None:
    """The id of the user whose valid credential a request carries: what can be known before its body is read."""
    try:
        token, _ = Origins(settings).credential(falcon.Request(env | {"wsgi.input": io.BytesIO()}))
    except Problem:
        return None
    if token is None:
        return None
    ctx = Context(db, settings, timestamps.now(), Caller())
    with ctx.read():
        actor = authenticate(ctx, token)
    return actor.id if actor else None


class EndpointRunner:
    """Runs one endpoint."""

    def __init__(self, services: Services, endpoint: Endpoint, *, has_show: bool):
        self.endpoint = endpoint
        self._services = services
        self._writes = endpoint.writes
        self._takes_key = endpoint.takes_idempotency_key
        self._locates = has_show and endpoint.status == 201
        self._files = [field.name for field in fields_of(endpoint.params) if field.is_file] if endpoint.params is not None else []

    def __call__(self, req: falcon.Request, resp: falcon.Response, variables: dict[str, Any]) -> None:
        if ON_EVENT_LOOP in req.env and not self.endpoint.on_event_loop:
            raise TooSlowForEventLoop
        if REFUSAL in req.env:
            raise req.env[REFUSAL]
        caller = self._caller(req)
        if self.endpoint.is_form and caller.is_cross_site:
            raise errors.Forbidden("This form was sent from another site. Open the page here and send it again.")
        token, is_bearer = self._services.origins.credential(req) if self.endpoint.credentials else (None, False)
        call, refusal = self._guest_call(caller, token, is_bearer) if self.endpoint.rate_limited else (None, None)
        strict = is_strict(req)
        try:
            given, broken = self._bind(req, variables, strict)
            req.context.params = given
            sign_in = partial(self._identify, req=req, token=token, is_bearer=is_bearer) if token is not None else None
            start = partial(self._context, caller, call, refusal)
            if self._takes_key and KEY in req.env:
                key = self._key(req, caller, token, is_bearer, given)
                ctx, reply = self._once(key, partial(self._run, start, sign_in, broken, variables, key))
            else:
                ctx, reply = self._run(start, sign_in, broken, variables)
        finally:
            if call:
                self._settle(call)
                resp.set_headers(call.headers)
        if ctx.after_commit:
            self._do_later(ctx)
        if strict:
            resp.set_header("Preference-Applied", "handling=strict")
        self._send(ctx, resp, reply, has_cookie=token is not None and not is_bearer)

    def _caller(self, req: falcon.Request) -> Caller:
        env = req.env
        return Caller(
            address=self._services.origins.address_in(env),
            is_cross_site=self._services.origins.is_cross_site(req),
            authorization=env.get("HTTP_AUTHORIZATION", ""),
            if_match=env.get("HTTP_IF_MATCH"),
            if_none_match=env.get("HTTP_IF_NONE_MATCH"),
            if_modified_since=env.get("HTTP_IF_MODIFIED_SINCE"),
            path=req.path,
            query=req.query_string,
            takes_gzip="HTTP_ACCEPT_ENCODING" in env and bool(_GZIP.search(env["HTTP_ACCEPT_ENCODING"])),
            cookies=env.get("HTTP_COOKIE", ""),
        )

    def _bind(self, req: falcon.Request, variables: dict[str, Any], strict: bool) -> tuple[dict[str, Any], errors.Invalid | None]:
        """Bind the parameters. What is broken is told only after the credential was looked at."""
        given: dict[str, Any] = {}
        try:
            given = gather(req, self.endpoint)
            params = bind(self.endpoint, given, is_strict=strict)
        except errors.Invalid as broken:
            return given, broken
        if self.endpoint.params is not None or self.endpoint.is_form:
            variables["params"] = params
        return given, None

    def _run(
        self,
        start: Callable[[], Context],
        sign_in: SignIn | None,
        broken: errors.Invalid | None,
        variables: dict[str, Any],
        key: Key | None = None,
    ) -> tuple[Context, Reply]:
        for _ in range(ATTEMPTS):
            ctx = start()
            if key:
                ctx.keep = partial(self._keep, ctx, key)
            try:
                if self.endpoint.transaction and not (self._files and self._has_file(variables)):
                    with ctx.write() if self._writes else ctx.read():
                        if sign_in:
                            sign_in(ctx)
                        self._refuse(ctx, broken)
                        result = ctx.done(self.endpoint.function(ctx, **variables))
                else:
                    self._known(ctx, sign_in)
                    self._refuse(ctx, broken)
                    result = self.endpoint.function(ctx, **variables)
                return ctx, self._reply(ctx, result)
            except Retry:
                continue
        raise errors.Unavailable("Too many people changed this at once. Try again.")

    def _known(self, ctx: Context, sign_in: SignIn | None) -> None:
        if sign_in:
            with ctx.read():
                sign_in(ctx)

    def _context(self, caller: Caller, call: GuestCall | None = None, refusal: errors.Problem | None = None) -> Context:
        ctx = Context(self._services.db, self._services.settings, self._services.clock(), caller)
        ctx.call, ctx.refusal = call, refusal
        return ctx

    def _has_file(self, variables: dict[str, Any]) -> bool:
        """Whether the action was given a file: it takes its time to read, and opens its transaction itself."""
        return any(getattr(variables.get("params"), name, None) is not None for name in self._files)

    def _identify(self, ctx: Context, req: falcon.Request, token: str, is_bearer: bool) -> None:
        """A wrong Bearer token is an error everywhere; a stale cookie makes a guest."""
        ctx.actor = req.context.actor = self._services.authenticate(ctx, token)
        if ctx.actor is None and is_bearer:
            raise errors.InvalidToken("The token is wrong or has expired. Sign in again: POST /api/session.")

    def _refuse(self, ctx: Context, broken: errors.Invalid | None) -> None:
        """Say what is broken. A guest who must sign in first is told that instead, unless it depends on the record."""
        if broken is None:
            return
        if ctx.actor is None and not self.endpoint.guests and not self.endpoint.variables:
            raise errors.Unauthorized
        raise broken

    def _guest_call(self, caller: Caller, token: str | None, is_bearer: bool) -> tuple[GuestCall | None, errors.TooMany | None]:
        """The call to count, if a guest makes it; or its refusal, where a form shows that with what was typed. A wrong Bearer token
        fails anyway."""
        if self._services.settings.rate_limits == "off":
            return None, None
        if token is not None and (is_bearer or self._is_session(caller, token)):
            return None, None
        try:
            return self._services.guest_writes.call(network(caller.address), self._services.clock()), None
        except errors.TooMany as refusal:
            if not self.endpoint.is_form:
                raise
            return None, refusal

    def _is_session(self, caller: Caller, token: str) -> bool:
        ctx = self._context(caller)
        with ctx.read():
            return self._services.authenticate(ctx, token) is not None

    def _settle(self, call: GuestCall) -> None:
        """Count a call that has written nothing, or whose transaction was rolled back; or refuse it instead of what it would get."""
        if not call.is_settled:
            with suppress(errors.Unavailable, Retry), self._services.db.write() as tx:
                call.count(tx)

    def _do_later(self, ctx: Context) -> None:
        """What may as well fail: the action is committed, and its answer stands."""
        for task in ctx.after_commit:
            with suppress(errors.Unavailable, Retry), self._services.db.write() as tx:
                task(tx)

    def _reply(self, ctx: Context, result: Any) -> Reply:
        headers = ctx.headers
        if isinstance(result, Document):
            reply = Reply(result.status, result.content_type, result.body, headers, ctx.cookies)
        else:
            headers["Content-Security-Policy"] = API_POLICY
            reply = Reply(ctx.status or self.endpoint.status, "application/json", _encode(result), headers, ctx.cookies)
        if ctx.etag_has_body_hash:
            headers["ETag"] = f'{headers["ETag"][:-1]}.{blake2b(reply.body, digest_size=8).hexdigest()}"'
            ctx.etag_has_body_hash = False
        if self._locates and getattr(result, "id", UNSET) is not UNSET:
            headers["Location"] = f"/api/{self.endpoint.resource}/{result.id}"
        if getattr(result, "next", None):
            headers["Link"] = f'<{result.next}>; rel="next"'
        return reply

    def _send(self, ctx: Context, resp: falcon.Response, reply: Reply, *, has_cookie: bool) -> None:
        resp.set_headers(reply.headers)
        for cookie in reply.cookies:
            resp.append_header("Set-Cookie", cookie)
        if not self._writes and (ctx.unchanged or ("ETag" in reply.headers and ctx.caller.has_version(reply.headers["ETag"]))):
            resp.status = 304
            return
        body = reply.body
        level = self._level(reply, has_cookie) if len(body) > SMALL else 0
        if level:
            resp.append_header("Vary", "Accept-Encoding")
            if ctx.caller.takes_gzip:
                resp.set_header("Content-Encoding", "gzip")
                body = gzip.compress(body, level, mtime=0)
                if "ETag" in reply.headers:
                    # The compressed bytes differ from those that the strong tag stands for.
                    resp.set_header("ETag", f"W/{reply.headers['ETag']}")
        resp.status, resp.content_type, resp.data = reply.status, reply.content_type, body

    def _level(self, reply: Reply, has_cookie: bool) -> int:
        """How hard to compress the reply; 0 for not at all.

        Replies to writes may hold a new token or key, and another site can make a browser send its cookie: the length of a compressed
        reply that holds a secret and what the sender chose would tell the secret (BREACH).
        """
        if reply.content_type.startswith(PAGES):
            return PAGES_LEVEL
        return DATA_LEVEL if reply.content_type.startswith(DATA) and not self._writes and not has_cookie else 0

    def _key(self, req: falcon.Request, caller: Caller, token: str | None, is_bearer: bool, given: dict[str, Any]) -> Key:
        """Known before anything is done, and so is whose it is; a guest was counted, or will be."""
        given_key = read_key(req.env[KEY])
        ctx = self._context(caller)
        if token is not None:
            with ctx.read():
                self._identify(ctx, req, token, is_bearer)
        return key_of(ctx, given_key, req.method, req.path, given)

    def _once(self, key: Key, run: Callable[[], tuple[Context, Reply]]) -> tuple[Context, Reply]:
        """Do it, or under a key that was used give the answer that was kept: also where somebody else just was quicker, which may
        have made it fail here."""
        found = None if self.endpoint.rechecks else self._kept(key)
        if found is None:
            try:
                return run()
            except errors.Problem as problem:
                may_have_it = isinstance(problem, IdempotencyKeyInUse) or not self.endpoint.rechecks
                found = self._kept(key) if may_have_it else None
                if found is None:
                    raise
        ctx, kept = found
        return ctx, key.reply(kept)

    def _kept(self, key: Key) -> tuple[Context, StoredResponse] | None:
        ctx = self._context(Caller())
        with ctx.read():
            kept = self._services.memory.find(ctx, key.name)
        return (ctx, kept) if kept else None

    def _keep(self, ctx: Context, key: Key, result: Any) -> None:
        self._services.memory.insert(ctx, key.name, key.kept(self._reply(ctx, result)))
