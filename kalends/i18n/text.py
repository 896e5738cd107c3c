"""Messages that are translated when they are shown: English text that knows its msgid and its values."""

from typing import Any, Self


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


def gettext(msgid: str, /, **values: Any) -> Text:
    """The message with its values: numbers, texts and other messages."""
    return Text(msgid, values)


def ngettext(singular: str, plural: str, num: int, /, **values: Any) -> Text:
    """The singular for one, else the plural; `%(num)s` is the number."""
    return Text(singular, {"num": num, **values}, plural)


def _in_english(values: dict[str, Any]) -> dict[str, Any]:
    return {name: f"{value:,}" if type(value) is int else value for name, value in values.items()}
