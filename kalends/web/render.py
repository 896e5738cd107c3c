"""Pages rendered from templates, with the page to return to from each, and the static files that they use."""

import hashlib
import mimetypes
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.settings import Settings
from kalends.core.values.picture import parse_path
from kalends.http.context import Context
from kalends.http.endpoint import Document, Endpoint
from kalends.http.input.fields import fields_of
from kalends.http.input.options import split_annotated
from kalends.http.reply import add_vary
from kalends.policy import site as sites
from kalends.web import notices
from kalends.web.environment import GLOBALS, environment
from kalends.web.forms import FormState
from kalends.web.times import reader_zone

# Comments are for readers of the source, and a fifth of what a browser would fetch: lines of scripts, and comments of style sheets.
_COMMENTS = {".js": re.compile(rb"^\s*//.*\n", re.MULTILINE), ".css": re.compile(rb"/\*.*?\*/\n?", re.DOTALL)}
HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# For pages that other sites may embed.
EMBEDDED = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")

_OWN_PICTURES = "img-src 'self'"

_pages = re.compile("/")
_static = files("kalends.web") / "static"


def render(template: str, ctx: Context, *, status: int = 200, form: FormState | None = None, csp: str = POLICY, **values: Any) -> Document:
    """The page as HTML, with the state of its form."""
    ctx.headers["Content-Security-Policy"] = csp if ctx.settings.foreign_pictures == "off" else _allow_pictures(csp, ctx.settings)
    if ctx.actor:
        # The next user of the browser must not find the page in its cache.
        ctx.headers["Cache-Control"] = "no-store"
    notice = notices.take(ctx) if csp == POLICY else None
    site = sites.get_or_default(ctx)
    add_vary(ctx.headers, "Accept-Language")
    page = environment(ctx.locale, sends_email=ctx.settings.sends("email")).get_template(template)
    values |= {"ctx": ctx, "actor": ctx.actor, "form": form or FormState(), "notice": notice, "site": site, "logo": parse_path(site.logo)}
    values |= {"path": ctx.caller.path, "return_path": find_return_path(ctx), "reader_zone": reader_zone(ctx)}
    # A value from JSON may hold a lone surrogate. ASCII is encoded fastest: most parts of a page are, the whole of it is not.
    body = b"".join([part.encode("utf-8", "replace") for part in page.generate(values)])
    return Document(body, HTML, status)


def _allow_pictures(csp: str, settings: Settings) -> str:
    """The policy with pictures from elsewhere; without https, they may come by http, too."""
    return csp.replace(_OWN_PICTURES, f"{_OWN_PICTURES} https:" if settings.https else f"{_OWN_PICTURES} https: http:")


def find_return_path(ctx: Context) -> str:
    """The URL of the page that the reader sees, to return to: many forms are sent to paths that have no page. A form that is shown again is
    on its own page, else on the nearest one above its path."""
    path, query = ctx.caller.path, ctx.caller.query
    if ctx.page_path:
        return ctx.page_path
    if _pages.fullmatch(path):
        return f"{path}?{query}" if query else path
    while path and not _pages.fullmatch(path):
        path = path.rpartition("/")[0]
    return path or "/"


def render_text(template: str, locale: Locale = ENGLISH, /, **values: Any) -> str:
    """The template as text, for messages."""
    return environment(locale).get_template(template).render(values)


def limit_inputs(endpoints: Iterable[Endpoint]) -> None:
    """Set the maxlength of inputs to that of the endpoints' fields, the longest of each name. Called once by the application."""
    limits: dict[str, int] = {}
    for struct in [endpoint.params for endpoint in endpoints if endpoint.writes and endpoint.params is not None]:
        for field in fields_of(struct):
            limits[field.name] = max(limits.get(field.name, 0), split_annotated(field.type)[1].max_length or 0)
    GLOBALS["max_length"] = limits.get


def collect_pages(endpoints: Iterable[Endpoint]) -> None:
    """Know the paths of all pages. Called once by the application."""
    global _pages
    _pages = re.compile("|".join(_path_pattern(each) for each in endpoints if each.format == "html" and each.method == "GET"))


def _path_pattern(endpoint: Endpoint) -> str:
    path = re.escape(endpoint.path).replace(r"\{", "{").replace(r"\}", "}")
    for name, kind in endpoint.variables.items():
        path = path.replace(f"{{{name}}}", "[0-9]+" if kind is int else r"[\w.-]+")
    return path


@cache
def static_file(name: str) -> tuple[bytes, str, str] | None:
    """Content without comments, media type and hash of a static file, or None."""
    file = _static / name
    if "/" in name or name.startswith(".") or not file.is_file():
        return None
    content = file.read_bytes()
    for suffix, comment in _COMMENTS.items():
        content = comment.sub(b"", content) if name.endswith(suffix) else content
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return content, f"{kind}; charset=utf-8" if kind.startswith("text/") else kind, hashlib.sha256(content).hexdigest()[:16]


def static_url(name: str) -> str:
    """The file's URL, which changes when its content does, so that it can be cached for ever."""
    file = static_file(name)
    assert file is not None, name
    return f"/static/{name}?v={file[2]}"


GLOBALS["static"] = static_url
