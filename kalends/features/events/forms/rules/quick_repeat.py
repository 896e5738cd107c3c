"""How an event repeats, in the English form of the quick line: `every other Monday until 20 December`."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct, structs

from kalends.features.events.forms.rules.quick_days import MONTH, WEEKDAY, Day, find_date_at, find_dates, month_number, weekday_number
from kalends.features.events.forms.rules.quick_place import GAP
from kalends.features.events.forms.rules.quick_times import BEFORE_TIME, CLOCK
from kalends.features.events.forms.rules.quick_words import WEEKDAYS
from kalends.features.events.series.model import Repeat, build_repeat
from kalends.features.events.series.rules.rule import MAX_STEPS, add_months, to_until
from kalends.ical import rrule
from kalends.ical.canonical_rule import canonicalise, format_rule
from kalends.ical.rrule import Budget, Recurrence

_ONE_DAY = timedelta(days=1)
_WORKING_DAYS = frozenset((0, weekday) for weekday in range(5))
_NUMBERS = {name: number for number, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}
_NUMBER = rf"(?:[1-9]\d{{0,2}}|{'|'.join(_NUMBERS)})"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}
_UNITS = {
    "day": Recurrence("DAILY"),
    "weekday": Recurrence("WEEKLY", days=_WORKING_DAYS),
    "week": Recurrence("WEEKLY"),
    "fortnight": Recurrence("WEEKLY", 2),
    "month": Recurrence("MONTHLY"),
    "year": Recurrence("YEARLY"),
}
_ADVERBS = {"daily": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month", "yearly": "year", "annually": "year"}


def _list_of(word: str) -> str:
    return rf"(?:{word})(?:(?:\s*[,&/]|\s+and\b)+\s*(?:{word}))*"


# Not `Every Friday’s Child`.
_END_OF_WORD = r"\b(?!['’-]\w)"
_NTH, _DAYS = _list_of("|".join(_ORDINALS)), _list_of(f"(?:{WEEKDAY})s?")
_PLURALS = _list_of("|".join(f"{name}s" for name in WEEKDAYS))
_ON = r"(?:\bon\s+)?"
_OF_MONTH = rf"(?:(?:of|in)\s+the|(?:of\s+|in\s+)?(?:every|each))\s+month{_END_OF_WORD}"
_NTH_OF_MONTH = re.compile(rf"{_ON}(?:\bthe\s+|\bevery\s+)?\b({_NTH})\s+({_DAYS})\s+{_OF_MONTH}")
_MONTHLY_NTH = re.compile(rf"{_ON}\b(?:monthly|every\s+month),?\s+{_ON}(?:the\s+)?({_NTH})\s+({_DAYS}){_END_OF_WORD}")
_EVERY = re.compile(rf"{_ON}\bevery\s+(?:(other|second|2nd)\s+|({_NUMBER})\s+)?(?:({'|'.join(_UNITS)})s?|({_DAYS})){_END_OF_WORD}")
_EVERY_NTH = re.compile(rf"{_ON}\bevery\s+({_NTH})\s+({_DAYS}){_END_OF_WORD}")
_ON_PLURALS = re.compile(rf"(?<!\bthe\s)(\bon\s+)?\b(?:({_PLURALS})|weekdays){_END_OF_WORD}")
# It ends the line, or what says when or where follows.
_FOLLOWED = (
    rf"(?=\s*,?\s*(?:$|{GAP}|@|(?:at|on|from|until|till)\b|(?:to|for)\s+(?:a\b|{_NUMBER})|{_NUMBER}\s+times\b|{BEFORE_TIME}{CLOCK}))"
)
_ADVERB = re.compile(rf"\b({'|'.join(_ADVERBS)}){_FOLLOWED}")
# `Every Day Is Like Sunday`
_TITLE = re.compile(rf"every\s+(?:{'|'.join(_UNITS)})\b(?!{_FOLLOWED})")

_FROM = re.compile(r"\b(?:from|starting|beginning)\s+")
_EXCEPT = re.compile(r"\bexcept\s+")
_UNTIL = re.compile(r"\b(?:until|till|to|through)\s+")
_END_OF_MONTH = re.compile(rf"(?:the\s+)?(?:end\s+of\s+)?({MONTH})\b\.?(?:\s+(\d{{4}})\b)?")
_TIMES = re.compile(rf"(?:\bfor\s+)?\b({_NUMBER})\s+times\b")
_SPAN = re.compile(rf"(?:\bfor\s+)?\b(an?|{_NUMBER})\s+(day|week|month|year)s?\b")


class Rule(Struct, frozen=True):
    """A rule in the line, without its end."""

    span: tuple[int, int]
    recurrence: Recurrence
    # `Tuesdays` and `weekly` are words of titles, too.
    is_certain: bool = True


class End(Struct, frozen=True):
    """The last day of a rule, or the number of its dates."""

    span: tuple[int, int]
    until: date | None = None
    count: int | None = None


def find_rules(text: str) -> Iterator[Rule]:
    """The rules that the line may mean, the most certain first."""
    for pattern in (_NTH_OF_MONTH, _MONTHLY_NTH):
        for match in pattern.finditer(text):
            yield Rule(match.span(), _read_nth(match))
    for match in _EVERY.finditer(text):
        if match.start() == 0 and _TITLE.match(text):
            continue
        rule = _UNITS[match[3]] if match[3] else Recurrence("WEEKLY", days=_read_days(match[4]))
        times = 2 if match[1] else _read_number(match[2]) if match[2] else 1
        yield Rule(match.span(), structs.replace(rule, interval=rule.interval * times))
    for match in _EVERY_NTH.finditer(text):
        yield Rule(match.span(), _read_nth(match))
    for match in _ON_PLURALS.finditer(text):
        rule = Recurrence("WEEKLY", days=_read_days(match[2])) if match[2] else _UNITS["weekday"]
        yield Rule(match.span(), rule, is_certain=match[1] is not None)
    for match in _ADVERB.finditer(text):
        yield Rule(match.span(), _UNITS[_ADVERBS[match[1]]], is_certain=False)


def find_first_day(text: str, today: date) -> Day | None:
    """The day from which a rule is said to be: `from 12 January`."""
    for match in _FROM.finditer(text):
        if day := find_date_at(text, match.end(), today):
            return structs.replace(day, span=(match.start(), day.span[1]))
    return None


def find_exceptions(text: str, today: date) -> list[tuple[int, int]]:
    """What is said of dates that the rule leaves out: the line cannot have them."""
    dates = ((match.start(), find_date_at(text, match.end(), today)) for match in _EXCEPT.finditer(text))
    return [(start, day.span[1]) for start, day in dates if day]


def find_end(text: str, first: date) -> End | None:
    """The end of a rule that begins on this day. It is inclusive: until March is until its last day."""
    ranges = [day.span for day in find_dates(text, first) if day.last > day.first]
    for match in _UNTIL.finditer(text):
        if any(start < match.start() < end for start, end in ranges):
            continue
        if day := find_date_at(text, match.end(), first):
            return End((match.start(), day.span[1]), day.last)
        if month := _END_OF_MONTH.match(text, match.end()):
            number = month_number(month[1])
            year = int(month[2]) if month[2] else first.year + (number < first.month)
            if 1 <= year < date.max.year:
                return End((match.start(), month.end()), add_months(date(year, number, 1), 1) - _ONE_DAY)
    if times := _TIMES.search(text):
        return End(times.span(), count=_read_number(times[1]))
    if span := _SPAN.search(text):
        return End(span.span(), _add(first, 1 if span[1] in ("a", "an") else _read_number(span[1]), span[2]) - _ONE_DAY)
    return None


def find_first_date(rule: Rule, start: date, earliest: date) -> date:
    """The first date of a rule from the start that is not before `earliest`."""
    every = structs.replace(rule.recurrence, interval=1)
    return next((day for day in rrule.dates(every, start, date.max, Budget(MAX_STEPS)) if day >= earliest), earliest)


def build(rule: Rule, end: End | None, first: date) -> Repeat:
    """The rule of a series that begins on this day."""
    until = to_until(end.until) if end and end.until else None
    recurrence = structs.replace(rule.recurrence, until=until, count=end.count if end else None)
    return build_repeat(format_rule(canonicalise(recurrence, first)), first.isoformat())


def _read_nth(match: re.Match[str]) -> Recurrence:
    ordinals = [_ORDINALS[name] for name in re.findall("|".join(_ORDINALS), match[1])]
    return Recurrence("MONTHLY", days=frozenset((nth, weekday) for nth in ordinals for _, weekday in _read_days(match[2])))


def _read_days(names: str) -> frozenset[tuple[int, int]]:
    return frozenset((0, weekday_number(name)) for name in re.findall(WEEKDAY, names))


def _read_number(text: str) -> int:
    return _NUMBERS.get(text) or int(text)


def _add(day: date, number: int, unit: str) -> date:
    if unit in ("month", "year"):
        return add_months(day, number * (12 if unit == "year" else 1))
    days = timedelta(days=number * (7 if unit == "week" else 1))
    return day + days if days < date.max - day else date.max
