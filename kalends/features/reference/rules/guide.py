"""The guide: the Markdown pages of docs/, rendered to HTML with links between them; and the errors that they list."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec import Struct

from kalends.core.errors import Problem

if TYPE_CHECKING:
    from markdown_it.token import Token

URL = "/docs/guide"
# The page of the bare URL.
INDEX = "README"

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


class Page(Struct, frozen=True):
    title: str
    html: Markup


@cache
def page_names() -> dict[str, Path]:
    """The files of the pages by their names; a wheel has them in kalends/guide, a checkout in docs/."""
    package = Path(__file__).parents[3]
    folder = package / "guide" if (package / "guide").is_dir() else package.parent / "docs"
    return {path.stem: path for path in sorted(folder.rglob("*.md"))}


@cache
def load_page(name: str) -> Page:
    """Render the page of this name, once per process; `name` must be one of `page_names`, so that the cache stays small."""
    return render_markdown(page_names()[name].read_text())


def render_markdown(text: str) -> Page:
    # Imported here because it takes time that the start of the service does not need.
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in (fence, table_open, table_close):
        markdown.add_render_rule(rule.__name__, rule)
    tokens = markdown.parse(text)
    title = ""
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            title = title or _plain_text(following)
            token.attrSet("id", slug(_plain_text(following)))
    for token in tokens:
        _rewrite_links(token.children or [])
    return Page(title, Markup(markdown.renderer.render(tokens, markdown.options, {})))  # noqa: S704 - the pages are ours, and html is off


def slug(heading: str) -> str:
    """The id of a heading, as code hosts derive it."""
    return _NOT_IN_SLUG.sub("", heading.lower()).strip().replace(" ", "-")


def fence(_: Any, tokens: Sequence["Token"], index: int, *args: Any) -> str:
    return str(Markup('<pre class="scroll" tabindex="0"><code>{}</code></pre>\n').format(tokens[index].content))


def table_open(*args: Any) -> str:
    return '<div class="scroll" tabindex="0"><table>\n'


def table_close(*args: Any) -> str:
    return "</table></div>\n"


def _plain_text(inline: "Token") -> str:
    return "".join(child.content for child in inline.children or [])


def _rewrite_links(children: "list[Token]") -> None:
    """Point links at the served pages; links to other files of the repository and pictures become text."""
    for token, is_served in _links(children):
        if not is_served:
            token.tag = "span"
            token.attrs = {}
    for token in children:
        if token.type == "image":
            token.type = "text"


def _links(children: "list[Token]") -> "Iterator[tuple[Token, bool]]":
    """The opening and closing tokens of links, with whether their target is served; targets are rewritten on the way."""
    is_served = True
    for token in children:
        if token.type == "link_open":
            href = served_url(str(token.attrGet("href")))
            is_served = href is not None
            token.attrSet("href", href or "")
        if token.type in ("link_open", "link_close"):
            yield token, is_served


def served_url(href: str) -> str | None:
    """The URL of a link of a document as the service serves it; None if it is a file that is not served."""
    path, _, fragment = href.partition("#")
    if not path or ":" in path:
        return href
    name, extension = posixpath.splitext(posixpath.basename(path))
    if extension != ".md" or name not in page_names() or (path.startswith("../") and name == INDEX):
        return None
    return (URL if name == INDEX else f"{URL}/{name}") + (f"#{fragment}" if fragment else "")


def problems() -> list[type[Problem]]:
    """Every problem that has a type of its own, by status."""
    return sorted(_with_kind(Problem), key=lambda problem: (problem.status, problem.kind))


def meaning(problem: type[Problem]) -> str:
    return " ".join((problem.__doc__ or "").split())


def _with_kind(problem: type[Problem]) -> Iterator[type[Problem]]:
    if "kind" in vars(problem):
        yield problem
    for each in problem.__subclasses__():
        yield from _with_kind(each)
