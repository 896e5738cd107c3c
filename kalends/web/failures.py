"""Pages for failed requests: the form to sign in, a redirect without the broken parameters, or an error page."""

from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote_plus, urlencode

from kalends.core.errors import Problem
from kalends.core.i18n import gettext
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.multipart import Upload
from kalends.http.input.params import gather
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.policy import site as sites
from kalends.web import sign_in_ways
from kalends.web.forms import FormState
from kalends.web.redirects import redirect
from kalends.web.render import render

SAFE = ("GET", "HEAD")
# The same form may succeed a little later.
TEMPORARY = (429, 503)

# Fields that no page repeats.
SECRETS = frozenset(
    {"password", "current_password", "wkey", "digest", "token", "access_token", "shared_secret", "secret", "ticket", "code"}
)


def reply(ctx: Context, request: Request, problem: Problem) -> Reply:
    """The page of a failed request."""
    document = _document(ctx, request, problem)
    return Reply(document.status, document.content_type, document.body, problem.headers | ctx.headers, ctx.cookies)


def _document(ctx: Context, request: Request, problem: Problem) -> Document:
    if _must_sign_in(request, problem):
        if request.method in SAFE:
            return redirect(ctx, f"/sign-in?next={quote(_url(request.path, request.query), safe='')}")
        return _sign_in(ctx, request)
    if request.method in SAFE and problem.status == 422:
        query = _valid_query(request, problem)
        if query != request.query:
            return redirect(ctx, _url(request.path, query), done="unreadable")
    return _error(ctx, request, problem)


def _error(ctx: Context, request: Request, problem: Problem) -> Document:
    """The error page, with the form to send again where that may help."""
    status = problem.status
    if status >= 500:
        # The database may be the reason.
        ctx.site = sites.without_database(ctx.settings)
    pairs = flatten(_form(request)) if status in TEMPORARY else []
    if pairs:
        ctx.headers["Cache-Control"] = "no-store"
    return render(
        "web/error.html",
        ctx,
        status=status,
        problem=problem,
        request_id=request.id,
        pairs=pairs,
        back=_url(request.path, request.query),
    )


def _must_sign_in(request: Request, problem: Problem) -> bool:
    """Whether signing in may help. For guests, a private record is not found, whether it exists or not."""
    return problem.status == 401 or (problem.status == 404 and _is_for_members(request) and request.actor is None)


def _is_for_members(request: Request) -> bool:
    return request.endpoint is not None and request.endpoint.credentials and not request.endpoint.guests


def _form(request: Request) -> dict[str, Any]:
    """The values of the form; they are read now if the request was refused before."""
    if request.endpoint is None or not request.endpoint.is_form:
        return {}
    if request.params is None:
        with suppress(Problem):
            request.params = gather(request, request.endpoint)
    return request.params or {}


def _sign_in(ctx: Context, request: Request) -> Document:
    """The form to sign in, which carries the values of the form that came after the session had ended."""
    typed = _form(request)
    values = {"resume": request.path, "typed": urlencode(flatten(typed)), "next": ""}
    ctx.headers["Cache-Control"] = "no-store"
    return render(
        "account/sign_in.html",
        ctx,
        status=401,
        title=gettext("Sign in again"),
        form=FormState(values),
        lost=_lost_input(request, typed),
        ways=sign_in_ways.find(ctx.settings),
    )


def flatten(values: dict[str, Any], pattern: str = "{}") -> list[tuple[str, str]]:
    """A form's fields as a browser sends them, without files and secrets."""
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        if name in SECRETS:
            continue
        if isinstance(value, dict):
            pairs += flatten(value, f"{pattern.format(name)}[{{}}]")
        elif isinstance(value, list):
            pairs += [(f"{pattern.format(name)}[]", str(each)) for each in value if not isinstance(each, dict | list | Upload)]
        elif not isinstance(value, Upload) and value is not None:
            pairs.append((pattern.format(name), str(value)))
    return pairs


def _lost_input(request: Request, values: dict[str, Any]) -> str:
    """The input that has to be repeated."""
    if request.is_unread:
        return gettext("what you typed with the large file")
    if any(isinstance(value, Upload) and value.content for value in values.values()):
        return gettext("the file")
    return gettext("the password") if any("password" in name for name in values) else ""


def _valid_query(request: Request, problem: Problem) -> str:
    """The query string without the broken parameters."""
    broken = {error.field.partition("[")[0] for error in problem.errors}
    pairs = request.query.split("&")
    return "&".join(pair for pair in pairs if unquote_plus(pair.partition("=")[0]).partition("[")[0] not in broken)


def _url(path: str, query: str) -> str:
    """The URL on this site: browsers read two leading slashes as another host."""
    path = "/" + path.lstrip("/")
    return f"{path}?{query}" if query else path
