"""What a style sheet of an admin may have: nothing that makes browsers load something from elsewhere.

The policy of pages (Content-Security-Policy) forbids that, too; here the admin learns it when saving."""

import re

from kalends.core.i18n import gettext
from kalends.http.input.readers import FieldInvalid

MAX_OCTETS = 64 * 1024
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(?:\r\n|[\n\r\f])|(.))", re.DOTALL)
# A URL with its content in it loads nothing.
_DATA = re.compile(r"data:(?:image|font)/[a-z0-9.+-]+[;,][^\"')\s]*", re.IGNORECASE)
_BLANK = re.compile(r"[\t\r\n\f]")
_ELSEWHERE = re.compile(r"[/\\]{2}|\b(?:https?|ftp|wss?|file|blob):|@import", re.IGNORECASE)


def check(text: str) -> str:
    """The style sheet, if it is small enough and names no other address. FieldInvalid otherwise."""
    if len(text.encode()) > MAX_OCTETS:
        raise FieldInvalid(gettext("must have at most 64 KiB"))
    # Browsers ignore line breaks in addresses, and read escapes.
    plain = _BLANK.sub("", _ESCAPE.sub(_decode, _DATA.sub("", _COMMENT.sub(" ", text))))
    if _ELSEWHERE.search(plain):
        raise FieldInvalid(gettext("must not load anything from other addresses: no @import, no https://"))
    return text


def _decode(match: re.Match[str]) -> str:
    """The character that an escape stands for. An escaped line break stands for nothing."""
    digits, character = match.groups()
    if not digits:
        return character or ""
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
