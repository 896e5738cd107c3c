"""Run an endpoint for a request: authenticate, bind the parameters, act in one transaction, encode the reply."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from kalends.core import errors
from kalends.core.errors import Problem
from kalends.core.i18n import gettext
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, Retry
from kalends.http import dry_run
from kalends.http.context import Actor, Caller, Context
from kalends.http.endpoint import Document, Endpoint
from kalends.http.idempotency_key import IdempotencyKeyInUse, Key, ResponseStore, key_of, read_key
from kalends.http.input import batch as batches
from kalends.http.input.batch import is_batch
from kalends.http.input.fields import Params, fields_of
from kalends.http.input.options import has_secret
from kalends.http.input.params import bind, gather, is_strict
from kalends.http.origin import Origins, network
from kalends.http.rate_limit import GuestCall, RateLimit
from kalends.http.reply import Reply, content_hash, encode_reply
from kalends.http.request import Request

Authenticate = Callable[[Context, str], Actor | None]
# Raises an error if the caller may not call the endpoint, whatever the record.
RequireAccess = Callable[[Context, Endpoint], None]

ATTEMPTS = 5
KEY = "idempotency-key"
API_POLICY = "default-src 'none'; frame-ancestors 'none'"

# Programs get messages in English: a Text is that, as another type.
_encode = msgspec.json.Encoder(enc_hook=str).encode


class Services(Struct, frozen=True):
    """What all requests of a process share."""

    db: Database
    settings: Settings
    authenticate: Authenticate
    require_access: RequireAccess
    clock: Callable[[], int]
    origins: Origins
    response_store: ResponseStore
    guest_writes: RateLimit


class Call(Struct):
    """A call of an action: the request with its credential, what it counts against, and its parameters or what is wrong with them."""

    request: Request
    caller: Caller
    token: str | None
    is_bearer: bool
    guest_call: GuestCall | None = None
    refusal: errors.TooMany | None = None
    arguments: dict[str, Any] = {}
    invalid: errors.Invalid | None = None
    is_dry_run: bool = False
    # Whether a replica may have failed to serve it.
    has_run: bool = False

    @property
    def names(self) -> dict[str, Any]:
        """The parameters by name, with the variables of the path."""
        params = self.arguments.get("params")
        content = params.value if isinstance(params, Params) else params
        return {**(structs.asdict(content) if isinstance(content, Struct) else {}), **self.arguments}


def identify(services: Services, request: Request) -> int | None:
    """The id of the user whose valid credential a request carries; known before its body is read."""
    try:
        token, _ = services.origins.credential(request)
    except Problem:
        return None
    if token is None:
        return None
    ctx = Context(services.db, services.settings, timestamps.now())
    with ctx.read():
        actor = services.authenticate(ctx, token)
    return actor.id if actor else None


def run_after_commit(ctx: Context) -> None:
    """Run tasks that may fail: the action is committed, and its reply stands."""
    for task in ctx.after_commit:
        with suppress(errors.Unavailable, Retry), ctx.db.write() as tx:
            task(tx)


class EndpointRunner:
    """Runs one endpoint."""

    _gather = staticmethod(gather)
    _bind_params = staticmethod(bind)
    # Whether its transaction takes long.
    _is_long = False

    def __init__(self, services: Services, endpoint: Endpoint):
        self.endpoint = endpoint
        self._services = services
        self._writes = endpoint.writes
        self._takes_key = endpoint.takes_idempotency_key
        self._takes_dry_run = dry_run.is_taken(endpoint)
        self._takes_params = endpoint.params is not None or endpoint.is_form
        self._has_secret_reply = has_secret(endpoint.result)
        self._checks_credential = self._has_secret_reply and endpoint.pool == "hash"
        batch = endpoint.batch
        self._batch = BatchRunner(services, structs.replace(endpoint, function=batch, batch=None, location="")) if batch else None
        self._files = [field.name for field in fields_of(endpoint.params) if field.is_file] if endpoint.params is not None else []

    def __call__(self, request: Request) -> Reply:
        if self._batch and is_batch(request):
            return self._batch(request)
        origins = self._services.origins
        if self.endpoint.is_form and not self.endpoint.by_link and origins.is_cross_site(request):
            raise errors.Forbidden(gettext("This form was sent from another site. Open the page here and send it again."))
        token, is_bearer = origins.credential(request) if self.endpoint.credentials else (None, False)
        strict = is_strict(request)
        ctx, reply = self._handle(Call(request, self._caller(request), token, is_bearer), strict=strict)
        if strict:
            request.reply_headers["Preference-Applied"] = "handling=strict"
        if request.reply_headers:
            reply.headers = request.reply_headers | reply.headers
        has_cookie = token is not None and not is_bearer
        encode_reply(request.headers, reply, is_unchanged=ctx.unchanged, is_write=self._writes, has_cookie=has_cookie)
        return reply

    def _caller(self, request: Request) -> Caller:
        origins = self._services.origins
        return Caller(origins.address(request), origins.is_cross_site(request), request.path, request.query, request.headers, request.id)

    def _handle(self, call: Call, *, strict: bool) -> tuple[Context, Reply]:
        """Run the action, and what follows its commit."""
        request = call.request
        if self.endpoint.rate_limited:
            self._limit(call)
        try:
            self._bind(call, strict=strict)
            key = self._idempotency_key(call) if self._takes_key and KEY in request.headers and not call.is_dry_run else None
            ctx, reply = self._run_once(call, key) if key else self._run(call)
        finally:
            if call.guest_call:
                self._settle(call.guest_call)
                request.reply_headers.update(call.guest_call.headers)
        if ctx.after_commit:
            run_after_commit(ctx)
        return ctx, reply

    def _bind(self, call: Call, *, strict: bool) -> None:
        """Read and bind the parameters. Invalid ones are reported only after the credential was checked."""
        request = call.request
        call.arguments = request.variables
        if not (self._takes_params or request.query or request.body):
            request.params = {}
            return
        try:
            request.params = self._gather(request, self.endpoint)
            if self._takes_dry_run and request.params:
                call.is_dry_run = dry_run.take_parameter(self.endpoint, request.params)
            params = self._bind_params(self.endpoint, request.params, is_strict=strict)
        except errors.Invalid as invalid:
            call.invalid, request.params = invalid, request.params or {}
            return
        if self._takes_params:
            call.arguments["params"] = params

    def _run(self, call: Call, key: Key | None = None) -> tuple[Context, Reply]:
        for _ in range(ATTEMPTS):
            ctx = self._context(call.caller)
            ctx.call, ctx.refusal = call.guest_call, call.refusal
            try:
                if call.is_dry_run:
                    return ctx, self._dry_run(ctx, call)
                if key:
                    return ctx, self._act_and_store(ctx, call, key)
                return ctx, self._reply(ctx, self._act(ctx, call))
            except Retry:
                continue
        raise errors.Unavailable(gettext("Too many people changed this at once. Try again."))

    def _act(self, ctx: Context, call: Call) -> Any:
        if self.endpoint.transaction and not (self._files and self._has_file(call)):
            with ctx.write(alone=self._is_long) if self._writes else ctx.read():
                self._admit(ctx, call)
                return self.endpoint.function(ctx, **call.arguments)
        if call.token is None:
            self._admit(ctx, call)
        else:
            with ctx.read():
                self._admit(ctx, call)
        return self.endpoint.function(ctx, **call.arguments)

    def _act_and_store(self, ctx: Context, call: Call, key: Key) -> Reply:
        """Store the reply in the transaction of the action's last write, so that both are committed or neither is."""
        ctx.defers_commit = True
        try:
            reply = self._reply(ctx, self._act(ctx, call))
        except BaseException:
            # The error came after the end of that transaction's block.
            ctx.commit()
            raise
        store = self._services.response_store
        with ctx.resume_write():
            response = key.stored_response(None if self._has_secret_reply else reply, store.access_hash(ctx, call.names))
            store.insert(ctx, key.key_hash, response)
        return reply

    def _dry_run(self, ctx: Context, call: Call) -> Reply:
        """Run the action, reply as it would, and undo it."""
        ctx.is_dry_run = ctx.defers_commit = True
        try:
            result = self._act(ctx, call)
            with ctx.read():
                outcome = dry_run.find_outcome(ctx, self.endpoint)
        finally:
            ctx.roll_back()
        ctx.after_commit.clear()
        return dry_run.build_reply(self._reply(ctx, result), outcome)

    def _context(self, caller: Caller) -> Context:
        return Context(self._services.db, self._services.settings, self._services.clock(), caller)

    def _has_file(self, call: Call) -> bool:
        """Whether the request has a file: the action takes long to read it, and opens its transactions itself."""
        return any(getattr(call.arguments.get("params"), name, None) is not None for name in self._files)

    def _admit(self, ctx: Context, call: Call) -> None:
        """Authenticate, then report invalid parameters. A guest who must sign in gets 401 instead, unless that depends on the record and
        the parameters were read."""
        self._authenticate(ctx, call)
        if call.invalid is None:
            return
        if ctx.actor is None and not self.endpoint.guests and (call.request.is_unread or not self.endpoint.variables):
            raise errors.Unauthorized
        raise call.invalid

    def _authenticate(self, ctx: Context, call: Call) -> None:
        """Set the actor, and require access. A wrong Bearer token is an error; with an expired cookie, the request is a guest's."""
        if call.token is not None:
            ctx.actor = call.request.actor = self._services.authenticate(ctx, call.token)
            if ctx.actor is None and call.is_bearer:
                raise errors.InvalidToken("The token is wrong or has expired. Sign in again: POST /api/session.")
        self._services.require_access(ctx, self.endpoint)

    def _limit(self, call: Call) -> None:
        """Set a guest's call, to be counted; or its refusal, which a form shows together with its values."""
        if self._services.settings.rate_limits == "off":
            return
        # A wrong Bearer token fails anyway.
        if call.token is not None and (call.is_bearer or self._is_session(call.caller, call.token)):
            return
        try:
            call.guest_call = self._services.guest_writes.call(network(call.caller.address), self._services.clock())
        except errors.TooMany as refusal:
            if not self.endpoint.is_form:
                raise
            call.refusal = refusal

    def _is_session(self, caller: Caller, token: str) -> bool:
        ctx = self._context(caller)
        with ctx.read():
            return self._services.authenticate(ctx, token) is not None

    def _settle(self, call: GuestCall) -> None:
        """Count a call that has written nothing, or whose transaction was rolled back; raise TooMany if that exceeds the limit."""
        if not call.is_settled:
            with suppress(errors.Unavailable, Retry), self._services.db.write() as tx:
                call.count(tx)

    def _reply(self, ctx: Context, result: Any) -> Reply:
        headers = ctx.headers
        if isinstance(result, Document):
            reply = Reply(result.status, result.content_type, result.body, headers, ctx.cookies, ctx.wait)
        else:
            headers["Content-Security-Policy"] = API_POLICY
            reply = Reply(ctx.status or self.endpoint.status, "application/json", _encode(result), headers, ctx.cookies, ctx.wait)
        if ctx.etag_has_body_hash:
            # Whom a write notified is no part of the record: the ETag is that of the next read.
            has_notified = getattr(result, "notified", UNSET) is not UNSET
            hashed = _encode(structs.replace(result, notified=UNSET)) if has_notified else reply.body
            headers["ETag"] = f'{headers["ETag"][:-1]}.{content_hash(hashed)}"'
            ctx.etag_has_body_hash = False
        has_location = self.endpoint.location and reply.status == 201 and not ctx.hides_location
        if has_location and getattr(result, "id", UNSET) is not UNSET:
            headers["Location"] = self.endpoint.location.format(id=result.id)
        if getattr(result, "next", None):
            headers["Link"] = f'<{result.next}>; rel="next"'
        return reply

    def _idempotency_key(self, call: Call) -> Key:
        """The key of the request's user, who is authenticated before anything else is done."""
        request = call.request
        header = read_key(request.headers[KEY])
        ctx = self._context(call.caller)
        if call.token is not None:
            with ctx.read():
                self._authenticate(ctx, call)
        return key_of(ctx, header, request.method, request.path, request.params or {})

    def _run_once(self, call: Call, key: Key) -> tuple[Context, Reply]:
        """Run the request, or replay the reply of an earlier request under the same key.

        A request for a new credential runs each time, or it would reveal whether the password is that of the earlier request without
        counting the attempt. It is rolled back when its key turns out to be in use.
        """
        replayed = None if self._checks_credential else self._replay(call, key)
        if replayed is None:
            try:
                return self._run(call, key)
            except errors.Problem as problem:
                # A concurrent request under the same key may have made this one fail.
                may_be_stored = isinstance(problem, IdempotencyKeyInUse) or not self._checks_credential
                replayed = self._replay(call, key) if may_be_stored else None
                if replayed is None:
                    raise
        return replayed

    def _replay(self, call: Call, key: Key) -> tuple[Context, Reply] | None:
        """The stored reply, if there is one and the actor, who was authenticated, sees what they saw when it was stored."""
        ctx, store = self._context(Caller()), self._services.response_store
        ctx.actor = call.request.actor
        with ctx.read():
            response = store.find(ctx, key.key_hash)
            return (ctx, key.replay(response, store.access_hash(ctx, call.names))) if response else None


class BatchRunner(EndpointRunner):
    """Runs the action of an endpoint for a JSON array."""

    _gather = staticmethod(batches.gather)
    _bind_params = staticmethod(batches.bind)
    _is_long = True
