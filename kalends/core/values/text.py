"""Text from people and files: decoded, cleaned, as a name before an e-mail address, and case-folded for comparison."""

import codecs
import re
import unicodedata

from kalends.core.i18n import gettext

MAX_MARKS = 50
# A name that stands before an e-mail address must not look like another address or a link, also with the signs of other widths.
DISPLAY_NAME = r"^(?!.*://)[^@<>\uff20\ufe6b\uff1c\uff1e]*$"
DISPLAY_NAME_REFUSAL = gettext("must not contain @, <, > or ://")
_NOT_IN_DISPLAY_NAME = re.compile(r"[@<>\uff20\ufe6b\uff1c\uff1e]|://")

# Letters by their Unicode class, but they decompose into combining marks alone.
_COMPOSED_MARKS = "\u0f73\u0f75\u0f81"
# Unicode white space. Python's strip() also removes the separators U+001C to U+001F, which are control characters.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
# Control characters, and the line and paragraph separators.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Control characters except tab and newline, which multiline text may contain.
_CONTROL_IN_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def decode(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 or else Windows-1252."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if content[1:2] == b"\0":
        return content.decode("utf-16-le", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def clean(value: str, *, lines: bool = False, strip: bool = True) -> str:
    """Normalize to NFC and strip white space; raises ValueError for characters that text must not contain."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(gettext("must not contain lone surrogates (half of a character). Check how the text was encoded")) from None
        if _has_long_mark_run(value):
            raise ValueError(gettext("must not have more than %(max)s accents on one letter", max=MAX_MARKS))
        value = unicodedata.normalize("NFC", value)
    if lines:
        value = _normalize_newlines(value)
    if strip:
        value = value.strip(WHITE_SPACE)
    if not value.isprintable() and (_CONTROL_IN_LINES if lines else _CONTROL).search(value):
        raise ValueError(gettext("must not contain control characters"))
    return value


def replace_control_characters(value: str, *, lines: bool = False) -> str:
    """The text on one line, with a space for each run of control characters; with `lines`, newlines and tabs stay."""
    if value.isprintable():
        return value
    return _CONTROL_IN_LINES.sub(" ", _normalize_newlines(value)) if lines else _CONTROL.sub(" ", value)


def _normalize_newlines(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _has_long_mark_run(value: str) -> bool:
    """Whether a letter has so many combining marks that NFC, which sorts them, would take minutes."""
    run = 0
    for character in value:
        run = run + 1 if unicodedata.combining(character) or character in _COMPOSED_MARKS else 0
        if run > MAX_MARKS:
            return True
    return False


def is_blank(value: str) -> bool:
    """Whether the text is empty or white space alone."""
    # Most texts begin with something else, which `isspace` sees at once.
    return not value or (value.isspace() and not value.strip(WHITE_SPACE))


def fold_case(value: str) -> str:
    """The form in which names and addresses are compared: case-folded NFC."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


def clean_display_name(name: str) -> str:
    """The name on one line, without what DISPLAY_NAME forbids: it may be older than this rule."""
    return " ".join(_NOT_IN_DISPLAY_NAME.sub(" ", replace_control_characters(name)).split())
