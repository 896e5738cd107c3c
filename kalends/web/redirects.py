"""Redirects between the pages of this site, and the guard against redirects to other sites."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web import notices
from kalends.web.render import HTML


class Destination(Struct, kw_only=True):
    """The page to go to afterwards."""

    next: Annotated[str, Meta(max_length=2_000)] | None = None


def redirect(ctx: Context, path: str, done: str = "", count: int | None = None, *, can_undo: bool = False) -> Document:
    """Lead the browser to another page of this site, which shows the notice named by `done` once; can_undo: with a button to undo
    what this request changed."""
    if done:
        notices.put(ctx, done, count, can_undo=can_undo)
    ctx.headers["Location"] = path
    return Document(b"", HTML, 303)


def redirect_permanently(ctx: Context, path: str) -> Document:
    """Lead the browser to the page's new URL (308), with the same query string."""
    ctx.headers["Location"] = f"{path}?{ctx.caller.query}" if ctx.caller.query else path
    return Document(b"", HTML, 308)


def local_path(path: str | None) -> str:
    """The path if it is one of this site, else that of the calendar (no open redirects)."""
    is_local = path and path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
    return path if is_local and path else "/calendar"
