"""URLs in plain text become links."""

import re

from markupsafe import Markup, escape

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
