"""Pages from templates, and the static files that they use."""

import hashlib
import mimetypes
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from kalends.context import Context
from kalends.http.endpoint import Document, Endpoint
from kalends.http.input.fields import described, fields_of
from kalends.web import words
from kalends.web.autolink import autolink
from kalends.web.forms import FormState
from kalends.web.reader_zone import reader_zone

HTML = "text/html; charset=utf-8"
# Holds the notice between a redirect and the page that it leads to.
FLASH = "kalends_notice"
FLASH_SECONDS = 60
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# What may be shown inside pages of other sites.
EMBEDDED = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")

# Where pages themselves come by http, pictures may, too.
_PICTURES, _ANY_PICTURES = "img-src 'self' https:", "img-src 'self' https: http:"

_static = files("kalends.web") / "static"

# What the page after a redirect says, by the word in the flash cookie. A pair is for one and for many; {count} is how many.
NOTICES: dict[str, str | tuple[str, str]] = {
    "created": "Created.",
    "saved": "Saved.",
    "made-already": "This event was made already, so there is no second one.",
    "deleted": "Deleted.",
    "sent": "It is on its way.",
    "said-yes": "Thank you. You said yes.",
    "said-maybe": "Thank you. You said maybe.",
    "said-no": "Thank you. You said no.",
    "announced": ("It is on its way to 1 person.", "It is on its way to {count} people."),
    "response-removed": "The response is removed.",
    "commented": "Thank you for your comment.",
    "waiting": "Thank you. Your comment will appear when the organiser has approved it.",
    "copied": "This is your own copy.",
    "shared": "Shared.",
    "unshared": "No longer shared.",
    "reset": "The feed has a new address, and the old one has stopped.",
    "signed-out": "You are signed out.",
    "mailed": "If we know this address, a message with a link is on its way to it.",
    "password": "You have a new password. Sign in with it.",
    "password-changed": "You have a new password, and your other sessions have ended.",
    "verified": "Your e-mail address is verified.",
    "verification-sent": "The link is on its way to your address.",
    "ended": "The session has ended.",
    "others-ended": "All your other sessions have ended.",
    "account-deleted": "Your account, its calendars, events and contacts are deleted.",
    "left": "You have left the calendar.",
    "left-and-blocked": "You have left the calendar and blocked its owner. Your settings list whom you block.",
    "unblocked": "Unblocked. What was shared with you meanwhile has to be shared again.",
    "kept": "Kept.",
    "approved": "Approved. Everyone sees it now.",
    "hidden": "Hidden. Only you and its author see it now.",
    "removed": "Removed from the list.",
    "unreadable": "A part of that address made no sense, so it is left out.",
}


def render(
    template: str, ctx: Context, *, status: int = 200, form: FormState | None = None, policy: str = POLICY, **values: Any
) -> Document:
    """The page as HTML, with its form as it stands."""
    ctx.headers["Content-Security-Policy"] = policy if ctx.settings.https else policy.replace(_PICTURES, _ANY_PICTURES)
    if ctx.actor:
        # What they see is not to be found in the browser's store by whoever uses it after them.
        ctx.headers["Cache-Control"] = "no-store"
    notice = _take_notice(ctx) if policy == POLICY else ""
    page = _environment().get_template(template)
    values |= {"ctx": ctx, "actor": ctx.actor, "form": form or FormState(), "notice": notice}
    body = page.render(values, path=ctx.caller.path, reader_zone=reader_zone(ctx))
    # JSON can carry half a character into a form that comes back.
    return Document(body.encode(errors="replace"), HTML, status)


def rendered(template: str, **values: Any) -> str:
    """The template as text, for what is no page."""
    return _environment().get_template(template).render(values)


def redirect(ctx: Context, path: str, done: str = "", count: int | None = None) -> Document:
    """Lead the browser to another page of ours. That page says what was done, once: the notice and its count wait in a flash cookie."""
    if done:
        ctx.set_cookie(FLASH, done if count is None else f"{done}.{count}", FLASH_SECONDS)
    ctx.headers["Location"] = path
    return Document(b"", HTML, 303)


def _take_notice(ctx: Context) -> str:
    """The notice in the flash cookie, which is deleted. Neither Back nor a cache shows the page with it again."""
    flash = ctx.caller.cookie(FLASH)
    if not flash:
        return ""
    ctx.set_cookie(FLASH, "", 0)
    ctx.headers["Cache-Control"] = "no-store"
    return notice_text(*flash.partition(".")[::2])


def notice_text(done: str, count: str = "") -> str:
    """What the page says; nothing for a cookie that this service did not set."""
    text = NOTICES.get(done, "")
    number = int(count) if count.isascii() and count.isdigit() and len(count) < 10 else 0
    if isinstance(text, tuple):
        text = text[0] if number == 1 else text[1]
    return text.replace("{count}", f"{number:,}")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kalends", "web/templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["static"] = static_url
    environment.globals["words"] = words
    environment.filters["autolink"] = autolink
    return environment


def limit_inputs(endpoints: Iterable[Endpoint]) -> None:
    """Let inputs take as many characters as the endpoints do: of fields with the same name, the longest. The application calls this."""
    limits: dict[str, int] = {}
    for struct in [endpoint.params for endpoint in endpoints if endpoint.writes and endpoint.params is not None]:
        for field in fields_of(struct):
            limits[field.name] = max(limits.get(field.name, 0), described(field.type)[1].max_length or 0)
    _environment().globals["max_length"] = limits.get


@cache
def static_file(name: str) -> tuple[bytes, str, str] | None:
    """Content, media type and hash of a static file, or None."""
    file = _static / name
    if "/" in name or name.startswith(".") or not file.is_file():
        return None
    content = file.read_bytes()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return content, f"{kind}; charset=utf-8" if kind.startswith("text/") else kind, hashlib.sha256(content).hexdigest()[:16]


def static_url(name: str) -> str:
    """The file's address, which changes when its content does, so that it can be cached for ever."""
    found = static_file(name)
    assert found is not None, name
    return f"/static/{name}?v={found[2]}"
