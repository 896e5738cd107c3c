"""Turn every error into an HTTP response: problem+json for programs, a page for browsers."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import falcon

from kalends import errors
from kalends.errors import Problem
from kalends.http.endpoint import Endpoint
from kalends.http.input.request import gather
from kalends.http.problem import CONTENT_TYPE, Failure, encode
from kalends.http.run_endpoint import API_POLICY
from kalends.idempotency.key import Reply
from kalends.log import get_logger

log = get_logger(__name__)

# Renders a failed request of a browser as a page.
ErrorPage = Callable[[Failure], Reply]


class ErrorHandler:
    """The handler that Falcon calls for every exception."""

    def __init__(self, error_page: ErrorPage | None):
        self._error_page = error_page

    def __call__(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: dict[str, Any]) -> None:
        problem = _to_problem(error)
        _log(req, problem, error)
        if self._error_page and is_for_browser(req.path, req.get_header("Accept") or ""):
            reply = self._error_page(_failure(req, problem))
        else:
            headers = {"Content-Security-Policy": API_POLICY} | problem.headers
            reply = Reply(problem.status, CONTENT_TYPE, encode(problem, req.context.request_id), headers)
        resp.status, resp.content_type, resp.data = reply.status, reply.content_type, reply.body
        resp.set_headers(reply.headers)
        for cookie in reply.cookies:
            resp.append_header("Set-Cookie", cookie)


def is_for_browser(path: str, accept: str) -> bool:
    """Whether an error is sent as a page."""
    return not path.startswith("/api/") and "text/html" in accept


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
        form=_form_values(req, endpoint) if endpoint and endpoint.is_form else None,
    )


def _form_values(req: falcon.Request, endpoint: Endpoint) -> dict[str, Any] | None:
    """The values of the form; they are read now if the request was refused before."""
    values: dict[str, Any] | None = req.context.params
    if values is None:
        with suppress(Problem):
            values = gather(req, endpoint)
    return values


def _log(req: falcon.Request, problem: Problem, error: Exception) -> None:
    if problem.status == 500:
        log.error("failed", request_id=req.context.request_id, endpoint=req.uri_template, exc_info=error)
    elif problem.status == 503:
        log.warning("unavailable", request_id=req.context.request_id, endpoint=req.uri_template, cause=str(error.__cause__ or problem))


def _to_problem(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        return errors.MethodNotAllowed(dict(error.headers or {}).get("Allow", "").split(", "))
    if isinstance(error, falcon.HTTPNotFound):
        return errors.NotFound("There is no such path.")
    if isinstance(error, falcon.HTTPError) and error.status_code < 500:
        return errors.BadRequest(error.description or error.title or "")
    return Problem("Something went wrong here, and the log has the details under this request id.")
