"""The line of a new event in other languages: its English form has the same length, and the rules of the line are those of English.

The line and its English form are padded, so that a place in one is the same place in the other."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from kalends.core.i18n.locale import Locale
from kalends.features.events.forms.rules.quick_repeat_words import REPEATING
from kalends.features.events.forms.rules.quick_words import MONTHS, WEEKDAYS, WORDS

# What fills up a word that is shorter than its English form, and an English form, which then has a blank of this kind.
FILL, PAD = "\x01", "\xa0"
MONDAY = date(2024, 1, 1)
# Shorter names of weekdays and months are words of their own in some language.
LEAST_LETTERS = 3
NOON = 12
# Any letter that is not English.
_OTHER = re.compile(r"(?![A-Z])[^\W\d_]")
Replacement = Callable[[re.Match[str]], str | None]


def align(text: str, searched: str, locale: Locale) -> tuple[str, str]:
    """The line and its English form in lower case, of the same length. What is not translated means nothing in English, either."""
    searched = searched.lower()
    if locale.language not in WORDS:
        return text, searched
    for pattern, replace in _rules(locale.language):
        text, searched = _replace(text, searched, pattern, replace)
    return text, _OTHER.sub("x", searched).lower()


def _replace(text: str, searched: str, pattern: re.Pattern[str], replace: Replacement) -> tuple[str, str]:
    """Both with the matches in English, which is in capitals, so that no further rule takes it for a word of the language."""
    texts, words, end = [], [], 0
    for match in pattern.finditer(searched):
        english = replace(match)
        if english is None:
            continue
        width = max(len(english), len(match[0]))
        texts += [text[end : match.start()], text[match.start() : match.end()].ljust(width, FILL)]
        words += [searched[end : match.start()], english.upper().replace(" ", PAD).ljust(width, PAD)]
        end = match.end()
    return "".join([*texts, text[end:]]), "".join([*words, searched[end:]])


@cache
def _rules(language: str) -> list[tuple[re.Pattern[str], Replacement]]:
    """What is looked for in a line, in this order, and its English form."""
    words, names = WORDS[language], _names(language)
    any_name = "(?:" + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) + ")"
    first, last, blank = ("", "", " ") if words.is_joined else (r"(?<!\w)", r"(?!\w)", "")
    half = rf"(?:\s*({words.evening}){last}|\s*({words.morning}){last})?"
    clock = rf"(\d{{1,2}})(?:\s?[:.h時]\s?(\d{{2}})分?)?(\s*(?:{words.o_clock}){last})?{half}"
    no_month = "" if words.is_joined else rf"(?![\w:])(?!\.?\s*(?:de\s+)?{any_name})(?!\.\d)"
    rules: list[tuple[re.Pattern[str], Replacement]] = []
    if words.is_joined:
        rules.append((re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})日)?(?:\([月火水木金土日]\))?(まで|から)?"), _read_joined_date))
    rules += [
        (
            re.compile(rf"(?<![\w:.])(?:({words.since})\s*)?{clock}\s*(-|–|{words.to})\s*{clock}{no_month}"),
            _read_range,
        ),
        (re.compile(rf"(?<![\d:.])(?:{first}({words.at})\s*)?(?<![\d:.]){clock}{no_month}"), _read_time),
    ]
    phrases = [(phrase.replace("NAMES", any_name), english) for english, phrase in _phrases(language)]
    phrases += [(re.escape(name), english) for name, english in sorted(names.items(), key=lambda each: -len(each[0]))]
    for phrase, english in phrases:
        rules.append((re.compile(f"{first}(?:{phrase}){last}"), lambda _, word=f"{blank}{english}{blank}": word))  # type: ignore[misc]
    return rules


def _phrases(language: str) -> list[tuple[str, str]]:
    """English words and what stands for them: those of a rule come first, because they have others in them."""
    return [*REPEATING[language].items(), *WORDS[language].phrases.items()]


def _names(language: str) -> dict[str, str]:
    """Weekdays and months, as the language names them, with their English names."""
    formats = Locale(language).formats
    names: dict[str, str] = {}
    for number, weekday in enumerate(WEEKDAYS):
        day = MONDAY + timedelta(days=number)
        names |= dict.fromkeys((formats.weekday(day), formats.short_weekday(day)), weekday)
    for number, month in enumerate(MONTHS, 1):
        first = date(2024, number, 1)
        names |= dict.fromkeys((formats.month_name(first), formats.short_month(first)), month)
    names = {name.lower().rstrip("."): english for name, english in names.items()}
    return {name: english for name, english in names.items() if len(name) >= LEAST_LETTERS and not name[0].isdigit()}


def _read_range(match: re.Match[str]) -> str | None:
    """`20:00-22:00`. What may be two days is none: `12 à 20h`."""
    since, to, start, end = match[1], match[7], match.groups()[1:6], match.groups()[7:12]
    has_hours = any(end[1:])
    if not ((since or any(start[1:]) or (to in "-–" and has_hours)) and (since or has_hours or any(start[1:]))):
        return None
    # The half of the day of the end is that of the start, too.
    hours = _clock(start if any(start[3:]) or not any(end[3:]) else (*start[:3], *end[3:])), _clock(end)
    return f" {hours[0]}-{hours[1]} " if all(hours) else None


def _read_time(match: re.Match[str]) -> str | None:
    """`20:00`, if the number is that of an hour."""
    hour = _clock(match.groups()[1:6])
    return f" {hour} " if hour and (match[1] or any(match.groups()[2:6])) else None


def _clock(groups: tuple[str | None, ...]) -> str | None:
    hour, minute, _, evening, morning = groups
    number = int(hour or 0)
    if evening and number < NOON:
        number += NOON
    if morning and number == NOON:
        number = 0
    return f"{number:02}:{int(minute or 0):02}" if number < 2 * NOON else None


def _read_joined_date(match: re.Match[str]) -> str | None:
    """`until 12 December 2026`, of 2026年12月12日まで. A month alone is the end of a rule."""
    month, bound = int(match[2]), {"まで": "until", "から": "from"}.get(match[4], "")
    if not 1 <= month <= len(MONTHS) or (match[3] is None and bound != "until"):
        return None
    return f" {bound} {match[3] or ''} {MONTHS[month - 1]} {match[1] or ''} "
