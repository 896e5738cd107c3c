"""Turn every error into an HTTP response: problem+json (RFC 9457) for programs, a page for browsers."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from kalends.core.errors import FieldError, Problem
from kalends.core.i18n import gettext
from kalends.core.log import get_logger
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Caller, Context
from kalends.http.input.types import EventId
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.run_endpoint import API_POLICY

log = get_logger(__name__)

UNEXPECTED = gettext("Something went wrong on the server. If you ask for help, include the request id: the log has the details.")
# Renders a failed request of a browser as a page.
ErrorPage = Callable[[Context, Request, Problem], Reply]


class ErrorHandler:
    """Makes the reply to a request that failed."""

    def __init__(self, db: Database, settings: Settings, error_page: ErrorPage | None):
        self._db = db
        self._settings = settings
        self._error_page = error_page

    def __call__(self, request: Request, error: Exception) -> Reply:
        problem = error if isinstance(error, Problem) else Problem(UNEXPECTED)
        _log(request, problem, error)
        if self._error_page and is_for_browser(request):
            caller = Caller(path=request.path, query=request.query, headers=request.headers)
            ctx = Context(self._db, self._settings, timestamps.now(), caller, request.actor)
            return self._error_page(ctx, request, problem)
        return Reply(problem.status, CONTENT_TYPE, encode(problem, request.id), {"Content-Security-Policy": API_POLICY} | problem.headers)


def is_for_browser(request: Request) -> bool:
    """Whether an error is sent as a page."""
    return not request.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def _log(request: Request, problem: Problem, error: Exception) -> None:
    if problem.status == 500:
        log.error("failed", request_id=request.id, endpoint=request.template, exc_info=error)
    elif problem.status == 503:
        log.warning("unavailable", request_id=request.id, endpoint=request.template, cause=str(error.__cause__ or problem))


CONTENT_TYPE = "application/problem+json"


class ProblemBody(msgspec.Struct):
    """What went wrong, for people and programs."""

    type: Annotated[str, Meta(description="Kind of problem, for programs.")]
    title: Annotated[str, Meta(description="Kind of problem, for people.")]
    status: Annotated[int, Meta(description="HTTP status.")]
    detail: Annotated[str, Meta(description="What is wrong with this request, and what to do.")]
    errors: Annotated[list[FieldError], Meta(description="The broken fields, all of them.")]
    request_id: Annotated[str, Meta(description="Id of the request in the server's log.")]
    event_id: EventId | UnsetType = UNSET
    ticket: Annotated[str, Meta(description="Of a login with a second step: send it back with `code`.")] | UnsetType = UNSET


def type_of(kind: str) -> str:
    """The `type` of a problem: a reference that leads to its line in the catalogue on this very server."""
    return f"/docs/errors#{kind}"


def encode(problem: Problem, request_id: str) -> bytes:
    event_id = UNSET if problem.event_id is None else problem.event_id
    body = ProblemBody(
        type_of(problem.kind),
        problem.title,
        problem.status,
        problem.detail,
        problem.errors,
        request_id,
        event_id,
        problem.ticket or UNSET,
    )
    # Programs get messages in English: a Text is that, as another type.
    return msgspec.json.encode(body, enc_hook=str)
