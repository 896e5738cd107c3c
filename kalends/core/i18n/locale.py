"""The reader's locale: their language, and how they write dates, times and numbers."""

import re
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct

from kalends.core.i18n.catalogs import OFFERED, RIGHT_TO_LEFT, Catalog, load_catalog
from kalends.core.i18n.formats import Formats
from kalends.core.i18n.text import DateText, Text

COOKIE = "kalends_language"
COOKIE_SECONDS = 365 * 86_400
# Longer header fields are not from a browser.
MAX_HEADER = 500
# By the setting of a user, or else by the language: where most of its speakers live, if that is not Monday (CLDR).
FIRST_WEEKDAYS = {"monday": 0, "saturday": 5, "sunday": 6, "ar": 5, "ja": 6}
# Where people who read English have clocks of twelve hours (CLDR).
TWELVE_HOURS = frozenset({"US", "CA", "AU", "NZ", "IN", "PH"})
_ENGLISH_REGION = re.compile(r"\s*en-([A-Za-z]{2})\s*(?:[;,]|$)", re.IGNORECASE)
_RANGE = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?")


class Locale(Struct, frozen=True):
    """A language, and the formats that go with it."""

    language: str = "en"
    # Empty: as people of the language write.
    hour_cycle: str = ""
    week_start: str = ""

    @property
    def direction(self) -> str:
        """The direction of writing, as in HTML."""
        return "rtl" if self.language in RIGHT_TO_LEFT else "ltr"

    @property
    def catalog(self) -> Catalog:
        return load_catalog(self.language)

    @property
    def formats(self) -> Formats:
        """How people of this language write dates, times and numbers."""
        return _formats(self.language, self.hour_cycle)

    @property
    def first_weekday(self) -> int:
        """The first day of the week; Monday is 0."""
        return FIRST_WEEKDAYS.get(self.week_start or self.language, 0)

    def translate(self, text: str) -> str:
        """A Text in this language; any other text stays as it is."""
        if not isinstance(text, Text):
            return text
        number = text.values["num"] if text.plural is not None else 1
        template = self.catalog.find(text.msgid, text.plural, number)
        return template % {name: self.show(value) for name, value in text.values.items()} if text.values else template

    def show(self, value: Any) -> Any:
        """A value of a message, as people of this language write it."""
        if isinstance(value, Text):
            return self.translate(value)
        if type(value) is DateText:
            return value.show(self.formats)
        return self.formats.number(value) if type(value) is int else value


ENGLISH = Locale()


def choose_locale(user: str, cookie: str, accepted: str, site: str, hour_cycle: str = "", week_start: str = "") -> Locale:
    """The language that the user has set, or the guest has chosen, or the browser asks for, or that of the site.

    hour_cycle, week_start: what the user has set beside it. English has the clock of the browser's region, if that comes first."""
    candidates = (user, cookie, _accepted_language(accepted, tuple(OFFERED)), site)
    language = next((language for language in candidates if language in OFFERED), "en")
    region = _ENGLISH_REGION.match(accepted) if language == "en" and not hour_cycle else None
    return _locale(language, "h12" if region and region[1].upper() in TWELVE_HOURS else hour_cycle, week_start)


def find_accepted(header: str) -> Locale:
    """The language that an Accept-Language header field asks for; English if none of it is offered."""
    return choose_locale("", "", header, ENGLISH.language)


@cache
def _formats(language: str, hour_cycle: str) -> Formats:
    if language == "en":
        return Formats(hour_cycle)
    # Imported here because it takes time that the start of the service does not need.
    from kalends.core.i18n.cldr_formats import CldrFormats

    return CldrFormats(language, hour_cycle)


@lru_cache(maxsize=200)
def _locale(language: str, hour_cycle: str, week_start: str) -> Locale:
    return Locale(language, hour_cycle, week_start)


@lru_cache(maxsize=500)
def _accepted_language(header: str, offered: tuple[str, ...]) -> str:
    """The best of the offered languages in an Accept-Language header (RFC 9110, section 12.5.4); empty if there is none."""
    if len(header) > MAX_HEADER:
        return ""
    ranges = [match for each in header.split(",") if (match := _RANGE.fullmatch(each))]
    ours = [(float(match[2] or 1), match[1].lower()) for match in ranges if match[1].lower() in offered]
    quality, language = max(ours, key=lambda each: each[0], default=(0.0, ""))
    return language if quality > 0 else ""
