"""The service as a WSGI application: Falcon routes each request to its endpoint."""

import re
import time
from collections.abc import Callable
from os import urandom
from typing import Any

import falcon
from falcon.routing import BaseConverter

from kalends import errors
from kalends.db import Database, TooSlowForEventLoop
from kalends.http import metrics
from kalends.http.endpoint import FORMATS, Endpoint
from kalends.http.error_handler import ErrorHandler, ErrorPage
from kalends.http.origin import Origins
from kalends.http.rate_limit import RateLimit, guest_writes
from kalends.http.run_endpoint import API_POLICY, Authenticate, EndpointRunner, Services
from kalends.idempotency.key import ResponseStore
from kalends.log import endpoint_name, get_logger
from kalends.net.client_network import network
from kalends.settings import Settings
from kalends.values import timestamps

log = get_logger(__name__)

# Responses are for one user: a shared cache must not store them, whatever the suffix of their path.
CACHING = "private, no-cache"

_WORD = re.compile(r"[A-Za-z0-9._-]{1,200}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


def application(
    endpoints: list[Endpoint],
    db: Database,
    settings: Settings,
    authenticate: Authenticate,
    response_store: ResponseStore,
    clock: Callable[[], int] = timestamps.now,
    error_page: ErrorPage | None = None,
) -> "falcon.App[Any, Any]":
    """The WSGI application of these endpoints. Browsers get errors as pages."""
    guest_limit = RateLimit(settings, guest_writes(settings))
    services = Services(db, settings, authenticate, clock, Origins(settings), response_store, guest_limit)
    app: falcon.App[Any, Any] = falcon.App(request_type=_Request, middleware=[_ResponseHeaders(services)])
    app.req_options.strip_url_path_trailing_slash = True
    app.router_options.converters.update(id=_IdConverter, word=_WordConverter)
    handle_error = ErrorHandler(error_page)
    app.add_error_handler(Exception, handle_error)
    app.add_error_handler(falcon.HTTPError, handle_error)
    app.add_error_handler(TooSlowForEventLoop, _reraise)
    with_show = {endpoint.resource for endpoint in endpoints if endpoint.action == "show"}
    paths: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, []).append(endpoint)
    for path, actions in paths.items():
        runners = [EndpointRunner(services, action, has_show=action.resource in with_show) for action in actions]
        app.add_route(_template(path, actions[0]), _Path(runners))
    return app


def pool_paths(endpoints: list[Endpoint]) -> re.Pattern[str]:
    """A pattern for `METHOD path`: the group names the endpoint's pool, or is `file` where the pool depends on a file.

    Other paths do not match. Like the router, the pattern ignores a trailing slash and the suffix of a format.
    """
    kinds: dict[str, list[str]] = {"hash": [], "upload": [], "file": []}
    for endpoint in endpoints:
        kind = "file" if endpoint.takes_file and endpoint.pool == "request" else endpoint.pool
        if kind in kinds:
            kinds[kind].append(f"{endpoint.method} " + re.sub(r"\{\w+\}", "[^/]+", endpoint.path))
    groups = [f"(?P<{kind}>{'|'.join(paths)})" for kind, paths in kinds.items() if paths]
    return re.compile(rf"(?:{'|'.join(groups)})(?:\.[a-z]+)?/?")


def _reraise(req: falcon.Request, resp: falcon.Response, error: Exception, params: dict[str, Any]) -> None:
    """Let the edge catch it: the request runs again on a thread."""
    raise error


class _Request(falcon.Request):
    """A request whose context has what every HTTP response needs, set before anything can fail."""

    def __init__(self, env: dict[str, Any], options: falcon.RequestOptions | None = None):
        super().__init__(env, options)
        context = self.context
        context.began = time.perf_counter()
        request_id = env.get("HTTP_X_REQUEST_ID")
        context.request_id = request_id if request_id and _REQUEST_ID.fullmatch(request_id) else urandom(8).hex()
        context.actor = None
        context.endpoint = None
        context.params = None
        context.format = None
        if self.method not in falcon.HTTP_METHODS:
            # No path has it, so it gets 405, and the metrics get no label with a name that a client invented.
            self.method = "TRACE"
        if self.path.startswith("/api/"):
            root, dot, suffix = self.path.rpartition(".")
            if dot and suffix in FORMATS:
                context.format = suffix
                self.path = root


class _ResponseHeaders:
    """Middleware: the header fields of every HTTP response, the access log and the metrics."""

    def __init__(self, services: Services):
        self._settings = services.settings
        self._origins = services.origins
        self._headers = common_headers(services.settings)

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Set the common header fields before the action, which may replace them."""
        resp.set_headers(self._headers)
        resp.set_header("X-Request-Id", req.context.request_id)

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        if self._settings.cors_origins:
            resp.append_header("Vary", "Origin")
            resp.set_headers(self._origins.cors(req))
        if not self._settings.metrics_token and self._settings.access_log == "off":
            return
        elapsed = time.perf_counter() - req.context.began
        name = endpoint_name(req.method, req.uri_template)
        if self._settings.metrics_token:
            metrics.observe(name, resp.status_code, elapsed)
        if self._settings.access_log == "on":
            log.info(
                "request",
                endpoint=name,
                status=resp.status_code,
                ms=round(elapsed * 1000, 2),
                user=req.context.actor.id if req.context.actor else None,
                network=network(self._origins.address(req)) if self._settings.log_addresses == "on" else None,
                request_id=req.context.request_id,
            )


class _Path:
    """One path: its actions by method and format."""

    def __init__(self, runners: list[EndpointRunner]):
        self._formats: dict[str, dict[str, EndpointRunner]] = {}
        for runner in runners:
            self._formats.setdefault(runner.endpoint.method, {})[runner.endpoint.format] = runner
        for method in self._formats:
            setattr(self, f"on_{method.lower()}", self._run)
        if "GET" in self._formats:
            self.on_head = self._run
        self.on_options = self._list_methods

    def _run(self, req: falcon.Request, resp: falcon.Response, **variables: Any) -> None:
        offered = self._formats["GET" if req.method == "HEAD" else req.method]
        format = req.context.format or _preferred_format(req, offered)
        if format not in offered:
            raise errors.MethodNotAllowed(self._methods(format)) if self._methods(format) else errors.NotFound("There is no such path.")
        if len(offered) > 1 and not req.context.format:
            resp.append_header("Vary", "Accept")
        req.context.endpoint = offered[format].endpoint
        offered[format](req, resp, variables)

    def _methods(self, format: str) -> list[str]:
        """The methods that the path has in this format."""
        methods = [method for method, formats in self._formats.items() if format in formats]
        return [*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"] if methods else []

    def _list_methods(self, req: falcon.Request, resp: falcon.Response, **variables: Any) -> None:
        """OPTIONS. Falcon would leave out OPTIONS itself, and does not know that formats may differ in their methods."""
        formats = [name for offered in self._formats.values() for name in offered]
        methods = self._methods(req.context.format or ("json" if "json" in formats else formats[0]))
        if not methods:
            raise errors.NotFound("There is no such path.")
        resp.set_header("Allow", ", ".join(sorted(methods)))
        resp.content_length = 0


class _IdConverter(BaseConverter):
    """A positive 64-bit integer; no record has any other id."""

    def convert(self, value: str) -> int | None:
        if value.isascii() and value.isdigit() and len(value) <= 19 and 0 < (number := int(value)) < 2**63:
            return number
        return None


class _WordConverter(BaseConverter):
    """A public id or a file name."""

    def convert(self, value: str) -> str | None:
        return value if _WORD.fullmatch(value) else None


def _template(path: str, endpoint: Endpoint) -> str:
    for name, kind in endpoint.variables.items():
        path = path.replace(f"{{{name}}}", f"{{{name}:{'id' if kind is int else 'word'}}}")
    return path


def _preferred_format(req: falcon.Request, offered: dict[str, EndpointRunner]) -> str:
    if len(offered) > 1 and req.env.get("HTTP_ACCEPT", "*/*") != "*/*":
        media_type = req.client_prefers([FORMATS[name] for name in offered])
        for name in offered:
            if FORMATS[name] == media_type:
                return name
    return next(iter(offered))


def common_headers(settings: Settings) -> dict[str, str]:
    """The header fields of every HTTP response, unless it sets others."""
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
