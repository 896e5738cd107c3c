"""Read one value of a parameter: the reader of each type converts what a client sent, or raises FieldInvalid."""

import re
from collections.abc import Callable
from typing import Any, cast

from msgspec import Meta

from kalends.core.errors import Code
from kalends.core.i18n import Text, gettext
from kalends.core.values import text
from kalends.http.input.multipart import Upload
from kalends.http.input.options import FieldOptions

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
MAX_ITEMS = 500

_INTEGER = re.compile(r"[+-]?0{0,100}[0-9]{1,19}")
# A phone number whose `+` was not encoded: in a query string or a form, it arrives as a space.
_LOST_PLUS = re.compile(r" [1-9][0-9]{7,14}")
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}


class FieldInvalid(Exception):
    """A value that breaks a rule, with a message for people and a code for programs."""

    def __init__(self, message: str, code: Code = "invalid_format"):
        super().__init__(message)
        # A str of the exception would be English alone.
        self.message = message
        self.code = code


class Repeated(list[Any]):
    """The values of a parameter that was sent more than once, in their order."""


def read_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value in (0, 1):
        value = int(value)
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise FieldInvalid(gettext("must be true or false"), "wrong_type")


def int_reader(meta: Meta) -> Callable[[Any], int]:
    low = INT_MIN if meta.ge is None else int(meta.ge)
    high = INT_MAX if meta.le is None else int(meta.le)

    def read_int(value: Any) -> int:
        if _is_whole(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise FieldInvalid(gettext("must be a whole number"), "wrong_type")
        if value > high == INT_MAX:
            raise FieldInvalid(gettext("is too large"), "too_large")
        if not low <= value <= high:
            raise FieldInvalid(_bounds(low, high), "too_small" if value < low else "too_large")
        return value

    return read_int


def _is_whole(value: Any) -> bool:
    if isinstance(value, str):
        return _INTEGER.fullmatch(value.strip(text.WHITE_SPACE)) is not None
    return isinstance(value, float) and value.is_integer()


def _bounds(low: int, high: int) -> Text:
    if low == INT_MIN and high != INT_MAX:
        return gettext("must be at most %(max)s", max=str(high))
    if high == INT_MAX and low != INT_MIN:
        return gettext("must be at least %(min)s", min=str(low))
    return gettext("must be between %(min)s and %(max)s", min=str(low), max=str(high))


def text_reader(meta: Meta, options: FieldOptions) -> Callable[[Any], str]:
    multiline, strip, check, is_phone = options.multiline, not options.keep_whitespace, options.check, options.is_phone
    pattern = re.compile(options.pattern) if options.pattern else None

    def read_text(value: Any) -> str:
        if not isinstance(value, str):
            raise FieldInvalid(gettext("must be text"), "wrong_type")
        if is_phone and _LOST_PLUS.fullmatch(value):
            value = f"+{value[1:]}"
        try:
            cleaned = text.clean(value, lines=multiline, strip=strip)
        except ValueError as error:
            raise FieldInvalid(error.args[0]) from None
        if not cleaned:
            raise FieldInvalid(gettext("must not be empty"), "required")
        if meta.max_length is not None and len(cleaned) > meta.max_length:
            raise FieldInvalid(gettext("must have at most %(max)s characters", max=meta.max_length), "too_long")
        if meta.min_length is not None and len(cleaned) < meta.min_length:
            raise FieldInvalid(gettext("must have at least %(min)s characters", min=str(meta.min_length)), "too_short")
        if pattern and not pattern.search(cleaned):
            raise FieldInvalid(options.pattern_message)
        return check(cleaned) if check else cleaned

    return read_text


def choice_reader(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def read_choice(value: Any) -> str:
        word = value.strip() if isinstance(value, str) else value
        if word not in choices:
            raise FieldInvalid(gettext("must be one of %(choices)s", choices=", ".join(choices)), "not_a_choice")
        return cast(str, word)

    return read_choice


def list_reader(read_item: Callable[[Any], Any], meta: Meta) -> Callable[[Any], list[Any]]:
    max_items = meta.max_length or MAX_ITEMS

    def read_list(value: Any) -> list[Any]:
        parts = value.split(",") if isinstance(value, str) else value
        if isinstance(parts, Repeated):
            parts = [piece for part in parts for piece in (part.split(",") if isinstance(part, str) else [part])]
        if isinstance(parts, int | float) and not isinstance(parts, bool):
            parts = [parts]
        if not isinstance(parts, list):
            raise FieldInvalid(gettext("must be a comma-separated list"), "wrong_type")
        items = [read_item(part) for part in parts if not (part is None or (isinstance(part, str) and text.is_blank(part)))]
        if len(items) > max_items:
            raise FieldInvalid(gettext("must have at most %(max)s items", max=str(max_items)), "too_many")
        return items

    return read_list


def read_upload(value: Any) -> Upload:
    if not isinstance(value, Upload):
        raise FieldInvalid(gettext("must be a file, sent as multipart/form-data"), "wrong_type")
    return value
