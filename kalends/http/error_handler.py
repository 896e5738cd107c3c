"""Turn every error into an HTTP response: problem+json for programs, a page for browsers."""

from collections.abc import Callable

from kalends.errors import Problem
from kalends.http.problem import CONTENT_TYPE, encode
from kalends.http.request import Request
from kalends.http.run_endpoint import API_POLICY
from kalends.i18n import gettext
from kalends.log import get_logger
from kalends.reply import Reply

log = get_logger(__name__)

UNEXPECTED = gettext("Something went wrong here, and the log has the details under this request id.")
# Renders a failed request of a browser as a page.
ErrorPage = Callable[[Request, Problem], Reply]


class ErrorHandler:
    """Makes the reply to a request that failed."""

    def __init__(self, error_page: ErrorPage | None):
        self._error_page = error_page

    def __call__(self, request: Request, error: Exception) -> Reply:
        problem = error if isinstance(error, Problem) else Problem(UNEXPECTED)
        _log(request, problem, error)
        if self._error_page and is_for_browser(request):
            return self._error_page(request, problem)
        return Reply(problem.status, CONTENT_TYPE, encode(problem, request.id), {"Content-Security-Policy": API_POLICY} | problem.headers)


def is_for_browser(request: Request) -> bool:
    """Whether an error is sent as a page."""
    return not request.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def _log(request: Request, problem: Problem, error: Exception) -> None:
    if problem.status == 500:
        log.error("failed", request_id=request.id, endpoint=request.template, exc_info=error)
    elif problem.status == 503:
        log.warning("unavailable", request_id=request.id, endpoint=request.template, cause=str(error.__cause__ or problem))
