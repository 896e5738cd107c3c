"""Pages from templates, and the static files that they use."""

import hashlib
import mimetypes
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from kalends.context import Context
from kalends.http.endpoint import Document

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http: data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_static = files("kalends.web") / "static"


def render(template: str, ctx: Context, *, status: int = 200, **values: Any) -> Document:
    """The page as HTML."""
    ctx.headers["Content-Security-Policy"] = POLICY
    return Document(rendered(template, **values, actor=ctx.actor).encode(), "text/html; charset=utf-8", status)


def rendered(template: str, **values: Any) -> str:
    """The template's text, for what is no answer."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kalends", "web/templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["static"] = static_url
    return environment


@cache
def static_file(name: str) -> tuple[bytes, str, str] | None:
    """Content, media type and hash of a static file, or None."""
    file = _static / name
    if "/" in name or name.startswith(".") or not file.is_file():
        return None
    content = file.read_bytes()
    return content, mimetypes.guess_type(name)[0] or "application/octet-stream", hashlib.sha256(content).hexdigest()[:16]


def static_url(name: str) -> str:
    """The file's address, which changes when its content does, so that it can be cached for ever."""
    found = static_file(name)
    assert found is not None, name
    return f"/static/{name}?v={found[2]}"
