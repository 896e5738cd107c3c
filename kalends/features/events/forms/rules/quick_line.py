"""One line that says what, when and where: `Jazz trio Friday 8pm at Le Sextant`. Other languages are read by way of English.

The same line on the same day always gives the same event: what is not understood stays in the title.
"""

import re
from datetime import date, datetime, time, timedelta
from itertools import islice

from msgspec import Struct, structs

from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.values.datetimes import known_zones
from kalends.features.events.forms.rules import quick_repeat
from kalends.features.events.forms.rules.quick_days import MONTH, WEEKDAY, Day, find_day
from kalends.features.events.forms.rules.quick_languages import FILL, PAD, align
from kalends.features.events.forms.rules.quick_place import GAP, QUOTED, split_place, without
from kalends.features.events.forms.rules.quick_repeat import End, Rule
from kalends.features.events.forms.rules.quick_times import Times, find_times
from kalends.features.events.forms.rules.quick_words import WORDS
from kalends.features.events.series.model import Repeat

DEFAULT_LENGTH = timedelta(hours=2)
EVENING = time(20)
# How many are tried of what may be rules in a line.
MAX_RULES = 5

_ZONE = re.compile(r"\b([A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+)+|UTC)\b")
_TONIGHT = re.compile(r"\btonight\b")
_NUMBERED = r"\d{1,2}(?:st|nd|rd|th)?"
# What says when, and is in no title but by chance.
_UNREAD = re.compile(
    rf"\b\d{{1,2}}:\d{{2}}\b|\b\d{{1,2}}\s*[ap]m\b|\b{_NUMBERED}\.?\s+(?:of\s+)?(?:{MONTH})\b|\b(?:{MONTH})\.?\s+{_NUMBERED}\b"
    rf"|\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}\.\d{{1,2}}\.\d{{4}}\b|\bevery\s+(?:\d+|other|day|week|month|year|{WEEKDAY})\b(?!['’]\w)"
    rf"|\bevery\s+(?:weekend|morning|afternoon|evening|night|quarter|hour)(?=\s*,?\s*(?:{GAP}|$))|\b(?:{WEEKDAY})\s+(?:and|or)(?=\s*{GAP})"
    rf"|\b(?:{WEEKDAY})(?:\s*,\s*(?:{WEEKDAY}))*(?=\s*,\s*{GAP})"
)
_UNREAD_OF_RULE = re.compile(rf"\bexcept\s+[^{GAP}]+|\b(?:until|till)\s+[^\s{GAP}]+|\bfor\s+\d+\s+\w+|\bon\s+the\s+{_NUMBERED}\b")

# `bis Weihnachten`: other languages have one word for “to” and “until”.
_UNREAD_END = re.compile(rf"\bto\s+[^{GAP}]+")


class QuickEvent(Struct, frozen=True):
    """What the line says; without a day, it does not say when. An event without a start takes the whole day, or days."""

    title: str
    day: date | None = None
    start: time | None = None
    last_day: date | None = None
    end: time | None = None
    location: str = ""
    time_zone: str | None = None
    repeat: Repeat | None = None
    # Words that seem to say when, and are not understood.
    unread: str = ""


class _When(Struct, frozen=True):
    """What the line says of days and times."""

    rule: Rule | None
    end: End | None
    day: Day | None
    times: Times | None
    # In which the end of the rule is found.
    text: str

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [each.span for each in (self.rule, self.end, self.day) if each] + (self.times.spans if self.times else [])

    @property
    def is_meant(self) -> bool:
        """Whether the line has the rule, or only words that would be one."""
        if self.rule is None or self.rule.is_certain:
            return True
        if self.rule.recurrence.days:
            return self.times is not None and (self.day is None or self.text.startswith("from", self.day.span[0]))
        return self.times is not None or self.day is not None


def parse(line: str, now: datetime, locale: Locale = ENGLISH) -> QuickEvent:
    """The event of the line; `now` is the time on the clocks of the place."""
    text = " ".join(line.replace(GAP, " ").replace(FILL, " ").split())
    # What is between quotation marks is taken as it is.
    searched = QUOTED.sub(lambda match: GAP * len(match[0]), text)
    zone = next((match for match in _ZONE.finditer(searched) if match[1] in known_zones()), None)
    gaps = [zone.span()] if zone else []
    text, searched = align(without(text, gaps), without(searched, gaps), locale)
    readings = (_read(searched, now, rule, locale) for rule in (*islice(quick_repeat.find_rules(searched), MAX_RULES), None))
    when = next(reading for reading in readings if reading.is_meant)
    spans = [_widen(span, searched) for span in when.spans]
    title, location = split_place(without(text, spans), without(searched, spans))
    unread = _find_unread(text, without(searched, spans), when, locale)
    event = QuickEvent(title, location=location, time_zone=zone[1] if zone else None, unread=unread)
    return _complete(event, when, now)


def _read(searched: str, now: datetime, rule: Rule | None, locale: Locale) -> _When:
    """The days and times beside the rule."""
    text, end, day = searched, None, None
    if rule:
        text = without(text, [rule.span])
        text = without(text, quick_repeat.find_exceptions(text, now.date()))
        end = quick_repeat.find_end(text, now.date())
        day = quick_repeat.find_first_day(text, now.date())
    rest = without(text, [end.span] if end else [])
    day = day or find_day(rest, now, is_weekday_known=rule is not None and rule.is_certain and bool(rule.recurrence.days))
    rest = without(rest, [day.span] if day else [])
    is_tonight = _TONIGHT.search(searched) is not None
    times = find_times(rest, has_24_hours=locale.language in WORDS, is_tonight=is_tonight)
    return _When(rule, end, day, times, text)


def _complete(event: QuickEvent, when: _When, now: datetime) -> QuickEvent:
    """The event with its days and times; the end is two hours after the start, if the line does not say it."""
    rule, day, times = when.rule, when.day, when.times
    if times is None and day is not None and when.text[slice(*day.span)].strip() == "tonight":
        times = Times([], EVENING, None, None)
    if day is None and times is None and rule is None:
        return event
    today = now.date()
    first, length = (day.first, day.last - day.first) if day else (today, timedelta())
    if times is not None and (day is None or day.moves) and first == today and times.start < now.time():
        first += timedelta(days=7 if day else 1)
    if rule:
        first = quick_repeat.find_first_date(rule, first if day else today, first)
        end = quick_repeat.find_end(when.text, first)
        # A range of days is that of the event if it is every year, or else that of the rule.
        if day and length and rule.recurrence.frequency != "YEARLY":
            end, length = end or End(day.span, day.last), timedelta()
        event = structs.replace(event, repeat=quick_repeat.build(rule, end, first))
    if times is None:
        return structs.replace(event, day=first, last_day=first + length if length else None)
    if times.end is not None:
        last = first if times.end > times.start else first + timedelta(days=1)
        return structs.replace(event, day=first, start=times.start, last_day=last, end=times.end)
    end_at = datetime.combine(first, times.start) + (times.length or DEFAULT_LENGTH)
    return structs.replace(event, day=first, start=times.start, last_day=end_at.date(), end=end_at.time())


def _find_unread(text: str, rest: str, when: _When, locale: Locale) -> str:
    """The first words of the rest of the line that seem to say when, as they were written."""
    match = (when.rule and _UNREAD_OF_RULE.search(rest)) or _UNREAD.search(rest)
    if match is None and when.rule and locale.language in WORDS:
        match = _UNREAD_END.search(rest)
    return text[slice(*match.span())].replace(FILL, "").strip() if match else ""


def _widen(span: tuple[int, int], searched: str) -> tuple[int, int]:
    """The span with what fills up the words in it."""
    first, last = span
    while first and searched[first - 1] == PAD:
        first -= 1
    while searched[last : last + 1] == PAD:
        last += 1
    return first, last
