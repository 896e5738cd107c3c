"""The service as a WSGI application: Falcon routes a request to its endpoint, and every error becomes one shape."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from os import urandom
from typing import Any

import falcon
from falcon.routing import BaseConverter

from kalends import errors
from kalends.db import Database, TooSlowForEventLoop
from kalends.errors import Problem
from kalends.http import metrics
from kalends.http.endpoint import FORMATS, Endpoint
from kalends.http.input.request import gather
from kalends.http.origin import Origins
from kalends.http.problem import CONTENT_TYPE, Failure, encode
from kalends.http.rate_limit import RateLimit, guest_writes
from kalends.http.run_endpoint import API_POLICY, Authenticate, EndpointRunner, Services
from kalends.idempotency.key import Reply, ResponseStore
from kalends.log import endpoint_name, log
from kalends.net.client_network import network
from kalends.settings import Settings
from kalends.values import timestamps

# A failed request of a browser as a page.
ErrorPage = Callable[[Failure], Reply]

# Answers are for one reader; a cache that others share must not keep them, whatever their path ends with.
CACHING = "private, no-cache"

_WORD = re.compile(r"[A-Za-z0-9._-]{1,200}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


def application(
    endpoints: list[Endpoint],
    db: Database,
    settings: Settings,
    authenticate: Authenticate,
    memory: ResponseStore,
    clock: Callable[[], int] = timestamps.now,
    error_page: ErrorPage | None = None,
) -> "falcon.App[Any, Any]":
    """The WSGI application of these endpoints. Browsers that ask for a page get errors as pages too."""
    services = Services(db, settings, authenticate, clock, Origins(settings), memory, RateLimit(settings, guest_writes(settings)))
    app: falcon.App[Any, Any] = falcon.App(request_type=_Request, middleware=[_ResponseHeaders(services)])
    app.req_options.strip_url_path_trailing_slash = True
    app.router_options.converters.update(id=_IdConverter, word=_WordConverter)
    failures = _ErrorHandler(error_page)
    app.add_error_handler(Exception, failures)
    app.add_error_handler(falcon.HTTPError, failures)
    app.add_error_handler(TooSlowForEventLoop, _reraise)
    shown = {e.resource for e in endpoints if e.action == "show"}
    paths: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, []).append(endpoint)
    for path, actions in paths.items():
        responders = [EndpointRunner(services, action, has_show=action.resource in shown) for action in actions]
        app.add_route(_template(path, actions[0]), _Path(responders))
    return app


def quick_paths(endpoints: list[Endpoint]) -> re.Pattern[str]:
    """The paths whose GET is quick."""
    quick = [re.sub(r"\{\w+\}", "[^/.]+", endpoint.path) for endpoint in endpoints if endpoint.quick]
    return re.compile("|".join(quick))


def pool_paths(endpoints: list[Endpoint]) -> re.Pattern[str]:
    """What to match with a method and a path: the group is the endpoint's pool, or `file` where it depends on a file. Other paths
    do not match. The routes ignore a slash at the end and the suffix of a format, and so does this."""
    kinds: dict[str, list[str]] = {"hash": [], "upload": [], "file": []}
    for endpoint in endpoints:
        kind = "file" if endpoint.takes_file and endpoint.pool == "request" else endpoint.pool
        if kind in kinds:
            kinds[kind].append(f"{endpoint.method} " + re.sub(r"\{\w+\}", "[^/]+", endpoint.path))
    groups = [f"(?P<{kind}>{'|'.join(paths)})" for kind, paths in kinds.items() if paths]
    return re.compile(rf"(?:{'|'.join(groups)})(?:\.[a-z]+)?/?")


def _reraise(req: falcon.Request, resp: falcon.Response, error: Exception, params: dict[str, Any]) -> None:
    """Not an answer: the request will run again, on a thread of its own."""
    raise error


class _Request(falcon.Request):
    """A request with what its answer needs in any case, set before anything can fail."""

    def __init__(self, env: dict[str, Any], options: falcon.RequestOptions | None = None):
        super().__init__(env, options)
        context = self.context
        context.began = time.perf_counter()
        given = env.get("HTTP_X_REQUEST_ID")
        context.request_id = given if given and _REQUEST_ID.fullmatch(given) else urandom(8).hex()
        context.actor = None
        context.endpoint = None
        context.given = None
        context.format = None
        if self.method not in falcon.HTTP_METHODS:
            # No path answers it, so it is 405 like any other, and no figure of the metrics is called after it.
            self.method = "TRACE"
        if self.path.startswith("/api/"):
            root, dot, suffix = self.path.rpartition(".")
            if dot and suffix in FORMATS:
                context.format = suffix
                self.path = root


class _ResponseHeaders:
    """What every answer carries, whichever action gave it."""

    def __init__(self, services: Services):
        self._settings = services.settings
        self._origins = services.origins
        self._headers = common_headers(services.settings)

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Before the action, which may say otherwise."""
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

    def __init__(self, responders: list[EndpointRunner]):
        self._formats: dict[str, dict[str, EndpointRunner]] = {}
        for responder in responders:
            self._formats.setdefault(responder.endpoint.method, {})[responder.endpoint.format] = responder
        for method in self._formats:
            setattr(self, f"on_{method.lower()}", self._on)
        if "GET" in self._formats:
            self.on_head = self._on
        self.on_options = self._say_methods

    def _on(self, req: falcon.Request, resp: falcon.Response, **variables: Any) -> None:
        offered = self._formats["GET" if req.method == "HEAD" else req.method]
        chosen = req.context.format or _preferred(req, offered)
        if chosen not in offered:
            raise errors.MethodNotAllowed(self._methods(chosen)) if self._methods(chosen) else errors.NotFound("There is no such path.")
        if len(offered) > 1 and not req.context.format:
            resp.append_header("Vary", "Accept")
        req.context.endpoint = offered[chosen].endpoint
        offered[chosen](req, resp, variables)

    def _methods(self, chosen: str) -> list[str]:
        """The methods that the path has in this format."""
        found = [method for method, formats in self._formats.items() if chosen in formats]
        return [*found, *(["HEAD"] if "GET" in found else []), "OPTIONS"] if found else []

    def _say_methods(self, req: falcon.Request, resp: falcon.Response, **variables: Any) -> None:
        """Falcon would leave out OPTIONS itself, and does not know that formats may differ in their methods."""
        formats = [name for offered in self._formats.values() for name in offered]
        methods = self._methods(req.context.format or ("json" if "json" in formats else formats[0]))
        if not methods:
            raise errors.NotFound("There is no such path.")
        resp.set_header("Allow", ", ".join(sorted(methods)))
        resp.content_length = 0


class _IdConverter(BaseConverter):
    """A positive 64-bit integer; anything else is no record's id."""

    def convert(self, value: str) -> int | None:
        if value.isascii() and value.isdigit() and len(value) <= 19 and 0 < (number := int(value)) < 2**63:
            return number
        return None


class _WordConverter(BaseConverter):
    """A public id or a file's name; anything else is neither."""

    def convert(self, value: str) -> str | None:
        return value if _WORD.fullmatch(value) else None


def _template(path: str, endpoint: Endpoint) -> str:
    for name, kind in endpoint.variables.items():
        path = path.replace(f"{{{name}}}", f"{{{name}:{'id' if kind is int else 'word'}}}")
    return path


def _preferred(req: falcon.Request, offered: dict[str, EndpointRunner]) -> str:
    if len(offered) > 1 and req.env.get("HTTP_ACCEPT", "*/*") != "*/*":
        wanted = req.client_prefers([FORMATS[name] for name in offered])
        for name in offered:
            if FORMATS[name] == wanted:
                return name
    return next(iter(offered))


class _ErrorHandler:
    """Turns every error into an answer."""

    def __init__(self, error_page: ErrorPage | None):
        self._page = error_page

    def __call__(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: dict[str, Any]) -> None:
        problem = _as_problem(error)
        _log(req, problem, error)
        reply = self._page(_failure(req, problem)) if self._page and _is_for_people(req) else _for_programs(problem, req)
        resp.status, resp.content_type, resp.data = reply.status, reply.content_type, reply.body
        resp.set_headers(reply.headers)
        for cookie in reply.cookies:
            resp.append_header("Set-Cookie", cookie)


def _for_programs(problem: Problem, req: falcon.Request) -> Reply:
    headers = {"Content-Security-Policy": API_POLICY} | problem.headers
    return Reply(problem.status, CONTENT_TYPE, encode(problem, req.context.request_id), headers)


def _failure(req: falcon.Request, problem: Problem) -> Failure:
    endpoint: Endpoint | None = req.context.endpoint
    return Failure(
        problem=problem,
        request_id=req.context.request_id,
        method=req.method,
        path=req.path,
        query=req.query_string,
        actor=req.context.actor,
        is_for_members=endpoint is not None and endpoint.credentials and not endpoint.guests,
        form=_typed(req, endpoint) if endpoint and endpoint.is_form else None,
    )


def _typed(req: falcon.Request, endpoint: Endpoint) -> dict[str, Any] | None:
    """What was typed into the form; a request that was refused at once was not read yet."""
    given: dict[str, Any] | None = req.context.given
    if given is None:
        with suppress(Problem):
            given = gather(req, endpoint)
    return given


def _is_for_people(req: falcon.Request) -> bool:
    return is_for_people(req.path, req.get_header("Accept") or "")


def is_for_people(path: str, accept: str) -> bool:
    """Whether a failure is shown as a page."""
    return not path.startswith("/api/") and "text/html" in accept


def _log(req: falcon.Request, problem: Problem, error: Exception) -> None:
    if problem.status == 500:
        log.error("failed", request_id=req.context.request_id, endpoint=req.uri_template, exc_info=error)
    elif problem.status == 503:
        log.warning("unavailable", request_id=req.context.request_id, endpoint=req.uri_template, cause=str(error.__cause__ or problem))


def _as_problem(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        return errors.MethodNotAllowed(dict(error.headers or {}).get("Allow", "").split(", "))
    if isinstance(error, falcon.HTTPNotFound):
        return errors.NotFound("There is no such path.")
    if isinstance(error, falcon.HTTPError) and error.status_code < 500:
        return errors.BadRequest(error.description or error.title or "")
    return Problem("Something went wrong here, and the log has the details under this request id.")


def common_headers(settings: Settings) -> dict[str, str]:
    """What every answer carries, unless it says otherwise."""
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
