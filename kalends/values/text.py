"""Text as people write it: cleaned on the way in, folded for comparing."""

import re
import unicodedata

MOST_MARKS = 50

# Letters by their class, and yet made of marks alone.
_MARKS_OF_MARKS = "\u0f73\u0f75\u0f81"
# What Unicode calls white space. Python's strip() would take the separators U+001C to U+001F too, which are control characters.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROL_IN_LINES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def clean(value: str, *, lines: bool = False, strip: bool = True) -> str:
    """NFC, without surrounding white space; raises ValueError for characters that text must not hold."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("must not contain lone surrogates") from None
        if _piles_up(value):
            raise ValueError(f"must not have more than {MOST_MARKS} accents on one letter")
        value = unicodedata.normalize("NFC", value)
    if lines:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if strip:
        value = value.strip(WHITE_SPACE)
    if (_CONTROL_IN_LINES if lines else _CONTROL).search(value):
        raise ValueError("must not contain control characters")
    return value


def _piles_up(value: str) -> bool:
    """Whether a letter carries so many marks that putting them in order, as NFC does, would take minutes."""
    run = 0
    for character in value:
        run = run + 1 if unicodedata.combining(character) or character in _MARKS_OF_MARKS else 0
        if run > MOST_MARKS:
            return True
    return False


def is_blank(value: str) -> bool:
    """Whether there is nothing but white space."""
    return not value.strip(WHITE_SPACE)


def key(value: str) -> str:
    """The form in which names and addresses are compared: without regard to case, after NFC."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())
