"""Pages for failed requests: the form to sign in, a redirect without the broken parameters, or an error page."""

from typing import Any
from urllib.parse import quote, unquote_plus, urlencode

from kalends.context import Caller, Context
from kalends.db import Database
from kalends.http.endpoint import Document
from kalends.http.problem import Failure
from kalends.idempotency.key import Reply
from kalends.settings import Settings
from kalends.values import timestamps
from kalends.values.upload import Upload
from kalends.web.forms import FormState
from kalends.web.redirects import redirect
from kalends.web.render import render

SAFE = ("GET", "HEAD")
# The same form may succeed a little later.
TEMPORARY = (429, 503)

# Fields that no page repeats.
SECRETS = frozenset({"password", "current_password", "wkey", "digest", "token", "access_token", "shared_secret", "secret"})


def page(db: Database, settings: Settings, failure: Failure) -> Reply:
    """The page of a failed request."""
    ctx = Context(db, settings, timestamps.now(), Caller(path=failure.path, query=failure.query))
    ctx.actor = failure.actor
    document = _document(ctx, failure)
    return Reply(document.status, document.content_type, document.body, failure.problem.headers | ctx.headers, ctx.cookies)


def _document(ctx: Context, failure: Failure) -> Document:
    if _must_sign_in(failure):
        if failure.method in SAFE:
            return redirect(ctx, f"/sign-in?next={quote(_address(failure.path, failure.query), safe='')}")
        return _sign_in(ctx, failure)
    if failure.method in SAFE and failure.problem.status == 422:
        query = _valid_query(failure)
        if query != failure.query:
            return redirect(ctx, _address(failure.path, query), done="unreadable")
    return _error(ctx, failure)


def _error(ctx: Context, failure: Failure) -> Document:
    """The error page, with the form to send again where that may help."""
    status = failure.problem.status
    pairs = flatten(failure.form or {}) if status in TEMPORARY else []
    if pairs:
        ctx.headers["Cache-Control"] = "no-store"
    return render(
        "web/error.html",
        ctx,
        status=status,
        problem=failure.problem,
        request_id=failure.request_id,
        pairs=pairs,
        back=_address(failure.path, failure.query),
    )


def _must_sign_in(failure: Failure) -> bool:
    """Whether signing in may help. For guests, a private record is not found, whether it exists or not."""
    return failure.problem.status == 401 or (failure.problem.status == 404 and failure.is_for_members and failure.actor is None)


def _sign_in(ctx: Context, failure: Failure) -> Document:
    """The form to sign in, which carries the values of the form that came after the session had ended."""
    typed = failure.form or {}
    values = {"resume": failure.path, "typed": urlencode(flatten(typed)), "next": ""}
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/sign_in.html", ctx, status=401, title="Sign in again", form=FormState(values), lost=_lost_input(typed))


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


def _lost_input(values: dict[str, Any]) -> str:
    """The input that has to be repeated."""
    if any(isinstance(value, Upload) for value in values.values()):
        return "the file"
    return "the password" if any("password" in name for name in values) else ""


def _valid_query(failure: Failure) -> str:
    """The query string without the broken parameters."""
    broken = {error.field.partition("[")[0] for error in failure.problem.errors}
    pairs = failure.query.split("&")
    return "&".join(pair for pair in pairs if unquote_plus(pair.partition("=")[0]).partition("[")[0] not in broken)


def _address(path: str, query: str) -> str:
    """The address on this site: browsers read two leading slashes as another host."""
    path = "/" + path.lstrip("/")
    return f"{path}?{query}" if query else path
