"""Run an endpoint for a request: authenticate, bind the parameters, act in one transaction, encode the reply."""

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
from kalends.http.input.options import has_secret
from kalends.http.input.request import bind, gather, is_strict
from kalends.http.origin import Origins
from kalends.http.rate_limit import GuestCall, RateLimit
from kalends.http.send_reply import send_reply
from kalends.http.serving.fast_reads import ON_EVENT_LOOP
from kalends.idempotency.key import IdempotencyKeyInUse, Key, Reply, ResponseStore, StoredResponse, key_of, read_key
from kalends.net.client_network import network
from kalends.settings import Settings
from kalends.values import timestamps

Authenticate = Callable[[Context, str], Actor | None]
SignIn = Callable[[Context], None]

ATTEMPTS = 5
# In the WSGI environment of a request that was refused before it ran: the problem to raise.
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
    response_store: ResponseStore
    guest_writes: RateLimit


def identify(db: Database, settings: Settings, authenticate: Authenticate, env: dict[str, Any]) -> int | None:
    """The id of the user whose valid credential a request carries; known before its body is read."""
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
        self._has_secret_reply = has_secret(endpoint.result)
        self._checks_credential = self._has_secret_reply and endpoint.pool == "hash"
        self._sets_location = has_show and endpoint.status == 201
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
            values, invalid = self._bind(req, variables, strict)
            req.context.params = values
            sign_in = partial(self._authenticate, req=req, token=token, is_bearer=is_bearer) if token is not None else None
            start = partial(self._context, caller, call, refusal)
            if self._takes_key and KEY in req.env:
                key = self._idempotency_key(req, caller, sign_in, values)
                ctx, reply = self._run_once(key, partial(self._run, start, sign_in, invalid, variables, key))
            else:
                ctx, reply = self._run(start, sign_in, invalid, variables)
        finally:
            if call:
                self._settle(call)
                resp.set_headers(call.headers)
        if ctx.after_commit:
            self._run_after_commit(ctx)
        if strict:
            resp.set_header("Preference-Applied", "handling=strict")
        send_reply(ctx, resp, reply, is_write=self._writes, has_cookie=token is not None and not is_bearer)

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
        """Read and bind the parameters. Invalid ones are reported only after the credential was checked."""
        values: dict[str, Any] = {}
        try:
            values = gather(req, self.endpoint)
            params = bind(self.endpoint, values, is_strict=strict)
        except errors.Invalid as invalid:
            return values, invalid
        if self.endpoint.params is not None or self.endpoint.is_form:
            variables["params"] = params
        return values, None

    def _run(
        self,
        start: Callable[[], Context],
        sign_in: SignIn | None,
        invalid: errors.Invalid | None,
        variables: dict[str, Any],
        key: Key | None = None,
    ) -> tuple[Context, Reply]:
        for _ in range(ATTEMPTS):
            ctx = start()
            try:
                if key:
                    return ctx, self._act_and_store(ctx, sign_in, invalid, variables, key)
                return ctx, self._reply(ctx, self._act(ctx, sign_in, invalid, variables))
            except Retry:
                continue
        raise errors.Unavailable("Too many people changed this at once. Try again.")

    def _act(self, ctx: Context, sign_in: SignIn | None, invalid: errors.Invalid | None, variables: dict[str, Any]) -> Any:
        if self.endpoint.transaction and not (self._files and self._has_file(variables)):
            with ctx.write() if self._writes else ctx.read():
                if sign_in:
                    sign_in(ctx)
                self._check(ctx, invalid)
                return self.endpoint.function(ctx, **variables)
        if sign_in:
            with ctx.read():
                sign_in(ctx)
        self._check(ctx, invalid)
        return self.endpoint.function(ctx, **variables)

    def _act_and_store(
        self, ctx: Context, sign_in: SignIn | None, invalid: errors.Invalid | None, variables: dict[str, Any], key: Key
    ) -> Reply:
        """Store the reply in the transaction of the action's last write, so that both are committed or neither is."""
        ctx.defers_commit = True
        try:
            reply = self._reply(ctx, self._act(ctx, sign_in, invalid, variables))
        except BaseException:
            # The error came after the end of that transaction's block.
            ctx.commit()
            raise
        with ctx.resume_write():
            self._services.response_store.insert(ctx, key.key_hash, key.stored_response(None if self._has_secret_reply else reply))
        return reply

    def _context(self, caller: Caller, call: GuestCall | None = None, refusal: errors.Problem | None = None) -> Context:
        ctx = Context(self._services.db, self._services.settings, self._services.clock(), caller)
        ctx.call, ctx.refusal = call, refusal
        return ctx

    def _has_file(self, variables: dict[str, Any]) -> bool:
        """Whether the request has a file: the action takes long to read it, and opens its transactions itself."""
        return any(getattr(variables.get("params"), name, None) is not None for name in self._files)

    def _authenticate(self, ctx: Context, req: falcon.Request, token: str, is_bearer: bool) -> None:
        """Set the actor. A wrong Bearer token is an error everywhere; with an expired cookie, the request is a guest's."""
        ctx.actor = req.context.actor = self._services.authenticate(ctx, token)
        if ctx.actor is None and is_bearer:
            raise errors.InvalidToken("The token is wrong or has expired. Sign in again: POST /api/session.")

    def _check(self, ctx: Context, invalid: errors.Invalid | None) -> None:
        """Raise the error of invalid parameters. A guest who must sign in gets 401 instead, unless that depends on the record."""
        if invalid is None:
            return
        if ctx.actor is None and not self.endpoint.guests and not self.endpoint.variables:
            raise errors.Unauthorized
        raise invalid

    def _guest_call(self, caller: Caller, token: str | None, is_bearer: bool) -> tuple[GuestCall | None, errors.TooMany | None]:
        """A guest's call, to be counted; or its refusal, which a form shows together with its values."""
        if self._services.settings.rate_limits == "off":
            return None, None
        # A wrong Bearer token fails anyway.
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
        """Count a call that has written nothing, or whose transaction was rolled back; raise TooMany if that exceeds the limit."""
        if not call.is_settled:
            with suppress(errors.Unavailable, Retry), self._services.db.write() as tx:
                call.count(tx)

    def _run_after_commit(self, ctx: Context) -> None:
        """Run tasks that may fail: the action is committed, and its reply stands."""
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
        if self._sets_location and getattr(result, "id", UNSET) is not UNSET:
            headers["Location"] = f"/api/{self.endpoint.resource}/{result.id}"
        if getattr(result, "next", None):
            headers["Link"] = f'<{result.next}>; rel="next"'
        return reply

    def _idempotency_key(self, req: falcon.Request, caller: Caller, sign_in: SignIn | None, values: dict[str, Any]) -> Key:
        """The key of the request's user, who is authenticated before anything else is done."""
        header = read_key(req.env[KEY])
        ctx = self._context(caller)
        if sign_in:
            with ctx.read():
                sign_in(ctx)
        return key_of(ctx, header, req.method, req.path, values)

    def _run_once(self, key: Key, run: Callable[[], tuple[Context, Reply]]) -> tuple[Context, Reply]:
        """Run the request, or replay the reply of an earlier request under the same key.

        A request for a new credential runs each time, or it would reveal whether the password is that of the earlier request without
        counting the attempt. It is rolled back when its key turns out to be in use.
        """
        stored = None if self._checks_credential else self._find_stored(key)
        if stored is None:
            try:
                return run()
            except errors.Problem as problem:
                # A concurrent request under the same key may have made this one fail.
                may_be_stored = isinstance(problem, IdempotencyKeyInUse) or not self._checks_credential
                stored = self._find_stored(key) if may_be_stored else None
                if stored is None:
                    raise
        ctx, response = stored
        return ctx, key.replay(response)

    def _find_stored(self, key: Key) -> tuple[Context, StoredResponse] | None:
        ctx = self._context(Caller())
        with ctx.read():
            response = self._services.response_store.find(ctx, key.key_hash)
        return (ctx, response) if response else None
