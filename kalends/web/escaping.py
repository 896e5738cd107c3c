"""Escaping of texts in HTML, of which few need it."""

import re

from markupsafe import escape

_is_special = re.compile("[&<>'\"]").search


def escape_text(text: str) -> str:
    """The text escaped. MarkupSafe's own function takes five times as long for a text that stays as it is."""
    return escape(text) if _is_special(text) else text
