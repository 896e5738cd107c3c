"""The catalogues of the languages, read when a language is first needed."""

from collections.abc import Callable
from functools import cache
from gettext import c2py
from importlib.resources import files
from typing import Literal

from msgspec import Struct

from kalends.core.i18n.text import CONTEXT_END, without_context

Language = Literal["en", "de", "fr", "es", "it", "pt", "nl", "ja", "ar"]
# The languages and their own names. English is the source.
LANGUAGES: dict[str, str] = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "it": "Italiano",
    "pt": "Português",
    "nl": "Nederlands",
    "ja": "日本語",
    "ar": "العربية",
}
# What readers can choose: a language joins it when its catalogue is complete, so that no page is half in another language.
OFFERED: list[str] = list(LANGUAGES)
RIGHT_TO_LEFT = frozenset({"ar"})


class Catalog(Struct, frozen=True):
    """The messages of a language: one form for a msgid, or those of its plural."""

    messages: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    form: Callable[[int], int] = lambda number: int(number != 1)

    def find(self, msgid: str, plural: str | None = None, number: int = 1) -> str:
        """The translation; the English text if there is none."""
        if plural is None:
            return self.messages.get(msgid) or without_context(msgid)
        forms = self.plurals.get(msgid)
        return forms[self.form(number)] if forms else msgid if number == 1 else plural


@cache
def load_catalog(language: str) -> Catalog:
    """The catalogue of a language; that of English is empty."""
    if language == "en":
        return Catalog()
    # Imported here because it takes time that the start of the service does not need.
    from babel.messages.pofile import read_po

    with (files("kalends.core.i18n") / language / "LC_MESSAGES" / "kalends.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    messages: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for message in catalog:
        if message.fuzzy or not message.string or not all(message.string):
            continue
        if isinstance(message.id, str) and isinstance(message.string, str):
            messages[f"{message.context}{CONTEXT_END}{message.id}" if message.context else message.id] = message.string
        else:
            plurals[message.id[0]] = tuple(message.string)
    messages.pop("", None)
    return Catalog(messages, plurals, c2py(catalog.plural_expr))
