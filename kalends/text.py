"""Text as people write it: cleaned on the way in, folded for comparing."""

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROL_IN_LINES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def clean(value: str, *, lines: bool = False, strip: bool = True) -> str:
    """NFC, without surrounding white space; raises ValueError for characters that text must not hold."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("must not contain lone surrogates") from None
        value = unicodedata.normalize("NFC", value)
    if lines:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if strip:
        value = value.strip()
    if (_CONTROL_IN_LINES if lines else _CONTROL).search(value):
        raise ValueError("must not contain control characters")
    return value


def key(value: str) -> str:
    """The form in which names and addresses are compared: without regard to case, after NFC."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())
