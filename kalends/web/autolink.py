"""Web addresses in plain text become links."""

import re

from markupsafe import Markup, escape

# Tells search engines and other sites nothing.
REL = "nofollow ugc noopener noreferrer"
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
# Characters that end a sentence rather than an address.
_PUNCTUATION = ".,;:!?…"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def autolink(text: str) -> Markup:
    """Escaped text in which http and https addresses are links."""
    pieces, end = [], 0
    for match in _ADDRESS.finditer(text):
        address = _trim(match.group())
        pieces.append(escape(text[end : match.start()]))
        pieces.append(Markup('<a href="{0}" rel="{1}">{0}</a>').format(address, REL))
        end = match.start() + len(address)
    return Markup("").join([*pieces, escape(text[end:])])


def _trim(address: str) -> str:
    """The address without the end of its sentence: a full stop, or a closing bracket that was opened before it."""
    end = len(address)
    unopened = {closing: address.count(closing) - address.count(opening) for closing, opening in _BRACKETS.items()}
    while end and (address[end - 1] in _PUNCTUATION or unopened.get(address[end - 1], 0) > 0):
        end -= 1
        if address[end] in unopened:
            unopened[address[end]] -= 1
    return address[:end]
