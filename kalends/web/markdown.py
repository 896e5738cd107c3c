"""Texts as HTML: escaped, with links, and descriptions in a subset of Markdown that needs no trust in who wrote it. Pictures, HTML,
entities and code blocks stay text."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The parser needs up to 23 ms for 1,000 characters that are written to keep it busy, so a longer text stays plain, and pages are cached.
MAX_LENGTH = 10_000
CACHED = 200
_DISABLED = ["image", "html_block", "html_inline", "reference", "code", "fence", "lheading", "entity"]
_MARK = re.compile(r"[*_`\[#>\\]|^\s*(?:[-+]|\d+[.)])\s", re.MULTILINE)
_ALLOWED_URL = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
# A description stands below the title of its page and the names of its sections.
_LARGEST_HEADING = 3


def markdown(text: str) -> Markup:
    """The text as HTML. Without any mark of Markdown it stays as it was written, line by line."""
    if len(text) > MAX_LENGTH or not _MARK.search(text):
        return autolink(text)
    return _render(text)


def paragraphs(text: str) -> Markup:
    """The text as HTML with its paragraphs and lines, for mail programs: many of them drop the style that keeps lines."""
    return autolink(text) if len(text) > MAX_LENGTH else _render(text)


@lru_cache(maxsize=CACHED)
def _render(text: str) -> Markup:
    tokens = _parser().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + _LARGEST_HEADING - 1, 6)}"
    html = _parser().renderer.render(tokens, _parser().options, {"links": 0})
    return Markup('<div class="marked">{}</div>').format(Markup(html))  # noqa: S704 - HTML is off, and texts are escaped


@cache
def _parser() -> "MarkdownIt":
    # Imported here because it takes time that the start of the service does not need.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).disable(_DISABLED)
    parser.validateLink = lambda url: _ALLOWED_URL.match(url) is not None  # type: ignore[method-assign]
    for name, rule in {"text": _text, "link_open": _link_open, "link_close": _link_close}.items():
        parser.add_render_rule(name, rule)
    return parser


def _text(_: Any, tokens: Sequence["Token"], index: int, __: Any, env: dict[str, int]) -> str:
    """Text in which bare URLs are links, unless it stands in one."""
    text = tokens[index].content
    return str(Markup.escape(text) if env["links"] else autolink(text))


def _link_open(_: Any, tokens: Sequence["Token"], index: int, __: Any, env: dict[str, int]) -> str:
    env["links"] += 1
    return str(Markup('<a href="{}" rel="{}">').format(tokens[index].attrGet("href"), REL))


def _link_close(*args: Any) -> str:
    args[-1]["links"] -= 1
    return "</a>"


# Tells search engines and other sites nothing.
REL = "nofollow ugc noopener noreferrer"
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
# Characters that end a sentence rather than a URL.
_PUNCTUATION = ".,;:!?…"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def autolink(text: str) -> Markup:
    """Escaped text in which http and https URLs are links."""
    pieces, end = [], 0
    for match in _ADDRESS.finditer(text):
        url = _trim(match.group())
        pieces.append(escape(text[end : match.start()]))
        pieces.append(Markup('<a href="{0}" rel="{1}">{0}</a>').format(url, REL))
        end = match.start() + len(url)
    return Markup("").join([*pieces, escape(text[end:])])


def _trim(url: str) -> str:
    """The URL without the end of its sentence: a full stop, or a closing bracket that was opened before it."""
    end = len(url)
    unopened = {closing: url.count(closing) - url.count(opening) for closing, opening in _BRACKETS.items()}
    while end and (url[end - 1] in _PUNCTUATION or unopened.get(url[end - 1], 0) > 0):
        end -= 1
        if url[end] in unopened:
            unopened[url[end]] -= 1
    return url[:end]


_is_special = re.compile("[&<>'\"]").search


def escape_text(text: str) -> str:
    """The text escaped. MarkupSafe's own function takes five times as long for a text that stays as it is."""
    return escape(text) if _is_special(text) else text
