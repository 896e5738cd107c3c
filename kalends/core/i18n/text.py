"""Messages that are translated when they are shown: English text that knows its msgid and its values."""

from datetime import date
from typing import Any, Self

from msgspec import Struct, json

from kalends.core.i18n.formats import Formats

_ENGLISH = Formats()
# Between a context and its message, as in the files of gettext.
CONTEXT_END = "\x04"


class Text(str):
    """A message in English, for the API and logs; Locale.translate makes it one in another language."""

    __slots__ = ("msgid", "plural", "values")

    msgid: str
    plural: str | None
    values: dict[str, Any]

    def __new__(cls, msgid: str, values: dict[str, Any], plural: str | None = None) -> Self:
        template = msgid if plural is None or values["num"] == 1 else plural
        text = super().__new__(cls, template % _in_english(values) if values else template)
        text.msgid, text.values, text.plural = msgid, values, plural
        return text


class DateText(Struct, frozen=True):
    """A date in a message; `format` is the method of Formats that writes it."""

    moment: date
    format: str = "month_day"

    def show(self, formats: Formats) -> str:
        return str(getattr(formats, self.format)(self.moment))


def gettext(msgid: str, /, **values: Any) -> Text:
    """The message with its values: numbers, texts, dates (DateText) and other messages."""
    return Text(msgid, values)


def pgettext(context: str, msgid: str, /) -> Text:
    """The message where other languages have another form of it: `first` of a Sunday is not `first` of a Monday in Italian."""
    text = Text(msgid, {})
    text.msgid = f"{context}{CONTEXT_END}{msgid}"
    return text


def fill(message: Text, **values: Any) -> Text:
    """A message that was written without values, with them."""
    text = Text(without_context(message.msgid), values)
    text.msgid = message.msgid
    return text


def dump(message: str) -> str:
    """A message as a database keeps it, to be translated for each reader: its msgid and its values. Other text stays as it is."""
    return json.encode(message, enc_hook=_parts).decode() if isinstance(message, Text) else message


def load(stored: str) -> str:
    """What was dumped."""
    return _join(json.decode(stored)) if stored.startswith("[") else stored


def _parts(message: Text) -> list[Any]:
    return [message.msgid, message.values, message.plural]


def _join(parts: list[Any]) -> Text:
    msgid, values, plural = parts
    return Text(msgid, {name: _join(value) if isinstance(value, list) else value for name, value in values.items()}, plural)


def without_context(msgid: str) -> str:
    return msgid.rpartition(CONTEXT_END)[2]


def ngettext(singular: str, plural: str, num: int, /, **values: Any) -> Text:
    """The singular for one, else the plural; `%(num)s` is the number."""
    return Text(singular, {"num": num, **values}, plural)


def _in_english(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _show_in_english(value) for name, value in values.items()}


def _show_in_english(value: Any) -> Any:
    if type(value) is int:
        return _ENGLISH.number(value)
    return value.show(_ENGLISH) if type(value) is DateText else value
