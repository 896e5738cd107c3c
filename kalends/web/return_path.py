"""The page to return to from what a reply shows: many forms are sent to paths that have no page."""

import re
from collections.abc import Iterable

from kalends.http.context import Context
from kalends.http.endpoint import Endpoint

_pages = re.compile("/")


def collect_pages(endpoints: Iterable[Endpoint]) -> None:
    """Know the paths of all pages. Called once by the application."""
    global _pages
    _pages = re.compile("|".join(_pattern(each) for each in endpoints if each.format == "html" and each.method == "GET"))


def find(ctx: Context) -> str:
    """The URL of the page that the reader sees. A form that is shown again is on its own page, else on the nearest one above its path."""
    path, query = ctx.caller.path, ctx.caller.query
    if ctx.page_path:
        return ctx.page_path
    if _pages.fullmatch(path):
        return f"{path}?{query}" if query else path
    while path and not _pages.fullmatch(path):
        path = path.rpartition("/")[0]
    return path or "/"


def _pattern(endpoint: Endpoint) -> str:
    path = re.escape(endpoint.path).replace(r"\{", "{").replace(r"\}", "}")
    for name, kind in endpoint.variables.items():
        path = path.replace(f"{{{name}}}", "[0-9]+" if kind is int else r"[\w.-]+")
    return path
