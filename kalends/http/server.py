"""The service as one function: it gets a request and returns the reply, and knows nothing of sockets and threads."""

import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kalends.core.log import METHODS, endpoint_name, get_logger
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http import metrics
from kalends.http.endpoint import Endpoint
from kalends.http.error_handler import ErrorHandler, ErrorPage
from kalends.http.idempotency_key import ResponseStore
from kalends.http.origin import Origins, network
from kalends.http.rate_limit import RateLimit, guest_writes
from kalends.http.replicated_endpoint import ReplicatedRunner
from kalends.http.reply import Reply
from kalends.http.request import Request, new_id
from kalends.http.router import Mount, Router
from kalends.http.run_endpoint import API_POLICY, Authenticate, EndpointRunner, RequireAccess, Services, identify

if TYPE_CHECKING:
    from kalends.core.tracer import Tracer

log = get_logger(__name__)

# Replies are for one user: a shared cache must not store them, whatever the suffix of their path.
CACHING = "private, no-cache"
# The name that OpenTelemetry gives to methods that clients invent.
OTHER_METHOD = "_OTHER"

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class Application:
    """These endpoints with what they need. Browsers get errors as pages."""

    def __init__(
        self,
        endpoints: list[Endpoint],
        db: Database,
        settings: Settings,
        authenticate: Authenticate,
        require_access: RequireAccess,
        response_store: ResponseStore,
        clock: Callable[[], int] = timestamps.now,
        error_page: ErrorPage | None = None,
        mounts: Callable[[Services], Mapping[str, Mount]] | None = None,
    ):
        guest_limit = RateLimit(settings, guest_writes(settings))
        self._services = Services(db, settings, authenticate, require_access, clock, Origins(settings), response_store, guest_limit)
        runner = ReplicatedRunner if settings.replicas else EndpointRunner
        runners = [runner(self._services, endpoint) for endpoint in endpoints]
        self.route = Router(runners, mounts(self._services) if mounts else None).route
        self._handle_error = ErrorHandler(db, settings, error_page)
        self._headers = common_headers(settings)
        self._has_cors = bool(settings.cors_origins)
        self._is_observed = bool(settings.metrics_token) or settings.access_log == "on"

    def __call__(self, request: Request) -> Reply:
        """Run a request that was routed."""
        began = time.perf_counter() if self._is_observed else 0
        request_id = request.headers.get("x-request-id")
        request.id = request_id if request_id and _REQUEST_ID.fullmatch(request_id) else new_id()
        try:
            # What is mounted answers refusals in its own words.
            if request.refusal and (request.endpoint or not request.run):
                raise request.refusal
            assert request.run
            reply = request.run(request)
        except Exception as error:
            reply = self._handle_error(request, error)
        self._complete(request, reply)
        if self._is_observed:
            self._observe(request, reply, time.perf_counter() - began)
        return reply

    def identify(self, request: Request) -> int | None:
        """The id of the user whose valid credential a request carries; known before its body is read."""
        return identify(self._services, request)

    def _complete(self, request: Request, reply: Reply) -> None:
        """Add the header fields of every reply. A reply to HEAD has those of GET, and no content."""
        headers = reply.headers = {**self._headers, "X-Request-Id": request.id, **request.reply_headers, **reply.headers}
        if reply.content_type:
            headers["Content-Type"] = reply.content_type
            headers["Content-Length"] = str(len(reply.body))
        if request.method == "HEAD":
            reply.body = b""
        if self._has_cors:
            reply.vary("Origin")
            headers.update(self._services.origins.cors(request))

    def _observe(self, request: Request, reply: Reply, elapsed: float) -> None:
        """Count the request in the metrics, and write it to the access log."""
        settings = self._services.settings
        name = endpoint_name(request.method, request.template)
        if settings.metrics_token:
            metrics.observe(name, reply.status, elapsed)
        if settings.access_log == "on":
            log.info(
                "request",
                endpoint=name,
                status=reply.status,
                ms=round(elapsed * 1000, 2),
                user=request.actor.id if request.actor else None,
                network=network(self._services.origins.address(request)) if settings.log_addresses == "on" else None,
                request_id=request.id,
            )


class TracedApplication(Application):
    """The service with a span for each request. A service without traces is of the other class, and does nothing for them."""

    def __init__(self, tracer: "Tracer", *args: Any):
        super().__init__(*args)
        self._tracer = tracer

    def __call__(self, request: Request) -> Reply:
        """Run the request, and record it."""
        began = time.time_ns()
        reply = super().__call__(request)
        method = request.method if request.method in METHODS else OTHER_METHOD
        self._tracer.record_request(request.headers, method, request.template, reply.status, request.id, began)
        return reply


def common_headers(settings: Settings) -> dict[str, str]:
    """The header fields of every reply, unless it sets others."""
    headers = {
        "Cache-Control": CACHING,
        "Content-Security-Policy": API_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if settings.https:
        headers["Strict-Transport-Security"] = "max-age=63072000; includeSubDomains"
    return headers
