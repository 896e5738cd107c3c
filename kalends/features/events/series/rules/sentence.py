"""Recurrence rules in words: `Every second Tuesday of the month until 1 September 2027`."""

from collections.abc import Sequence
from datetime import date

from kalends.core.i18n import DateText, Text, fill, gettext, ngettext
from kalends.features.events.series.rules.ordinals import NUMBERS, NUMBERS_OF_WEEKDAYS, ORDINALS, ORDINALS_OF_WEEKDAYS
from kalends.ical.canonical_rule import sort_key, sort_numbers
from kalends.ical.rrule import Recurrence

_WORKING_DAYS = frozenset((0, weekday) for weekday in range(5))
_ALL_DAYS = frozenset((0, weekday) for weekday in range(7))


def is_moved_to_last(rule: Recurrence) -> bool:
    """Whether it has the 29th or 30th, and the last day of shorter months instead: the last of the days from the 28th on."""
    return rule.frequency == "MONTHLY" and rule.positions == {-1} and rule.month_days in ({28, 29}, {28, 29, 30}) and not rule.days


def describe(rule: Recurrence) -> Text:
    """The rule as a sentence without its full stop."""
    days = describe_days(rule)
    if rule.count is not None:
        return _add_count(days, rule.count)
    return gettext("%(rule)s until %(date)s", rule=days, date=DateText(rule.until.local.date())) if rule.until else days


def _add_count(days: Text, count: int) -> Text:
    return ngettext("%(rule)s, once", "%(rule)s, %(num)s times", count, rule=days)


def describe_days(rule: Recurrence) -> Text:
    """The rule without its end."""
    if is_moved_to_last(rule):
        days = Recurrence(rule.frequency, rule.interval, months=rule.months, month_days=frozenset({max(rule.month_days)}))
        return gettext("%(rule)s, or on the last day of the month", rule=_describe_days(days))
    return _describe_days(rule)


def describe_briefly(rule: Recurrence) -> Text:
    """The rule for a card: `Every Friday`, with its end if it has one."""
    is_of_weekdays = rule.frequency == "WEEKLY" and rule.interval == 1 and rule.days and rule.days not in (_WORKING_DAYS, _ALL_DAYS)
    if is_of_weekdays and _parts(rule) == [_join_days(rule)]:
        every = gettext("Every %(weekday)s", weekday=_join_days(rule))
    else:
        every = describe_days(rule)
    if rule.count is not None:
        return _add_count(every, rule.count)
    if rule.until is None:
        return every
    return gettext("%(rule)s until %(date)s", rule=every, date=DateText(rule.until.local.date(), "short_month_day"))


def name_weekday(weekday: int) -> DateText:
    """`Monday` for 0."""
    # A week that begins on a Monday.
    return DateText(date(2024, 1, 1 + weekday), "weekday")


def _describe_days(rule: Recurrence) -> Text:
    every = _describe_interval(rule)
    parts = _parts(rule)
    if not parts:
        return every
    if rule.frequency == "WEEKLY" and rule.interval == 1 and rule.days == _WORKING_DAYS and parts == [_join_days(rule)]:
        return gettext("Every weekday (Monday to Friday)")
    if parts[0].startswith("in "):
        return _glue([every, *parts])
    if rule.frequency == "MONTHLY" and rule.interval == 1 and not rule.months:
        return gettext("Every %(days)s of the month", days=_glue(_parts(rule, has_article=False)))
    return gettext("%(every)s on %(days)s", every=every, days=_glue(parts))


def _describe_interval(rule: Recurrence) -> Text:
    if rule.frequency == "DAILY":
        return ngettext("Every day", "Every %(num)s days", rule.interval)
    if rule.frequency == "WEEKLY":
        return ngettext("Every week", "Every %(num)s weeks", rule.interval)
    if rule.frequency == "MONTHLY":
        return ngettext("Every month", "Every %(num)s months", rule.interval)
    return ngettext("Every year", "Every %(num)s years", rule.interval)


def _parts(rule: Recurrence, *, has_article: bool = True) -> list[Text]:
    """The days, and the months if the rule has some. has_article: as `the second Tuesday`."""
    if rule.positions and (days := _day_parts(rule)):
        nth = _join([_nth(number) for number in sort_numbers(rule.positions)])
        what = _describe_choice(rule, days)
        parts = [gettext("the %(nth)s %(what)s", nth=nth, what=what) if has_article else gettext("%(nth)s %(what)s", nth=nth, what=what)]
    else:
        parts = _day_parts(rule, has_article=has_article)
    if rule.months:
        parts.append(
            gettext("in %(months)s", months=_join([DateText(date(2024, month, 1), "month_name") for month in sorted(rule.months)]))
        )
    return parts


def _day_parts(rule: Recurrence, *, has_article: bool = True) -> list[Text]:
    parts = [_join_days(rule, has_article=has_article)] if rule.days else []
    if rule.month_days and parts:
        parts.append(gettext("if it is the %(days)s day", days=_join(_number(rule.month_days), is_either=True)))
    elif rule.month_days == {-1}:
        parts.append(gettext("the last day") if has_article else gettext("last day"))
    elif rule.month_days:
        days = _join(_number(rule.month_days))
        parts.append(gettext("the %(days)s day", days=days) if has_article else gettext("%(days)s day", days=days))
    if rule.year_days:
        days = _join(_number(rule.year_days))
        parts.append(gettext("the %(days)s day of the year", days=days))
    if rule.weeks:
        parts.append(gettext("in week %(weeks)s", weeks=_join([str(number) for number in sort_numbers(rule.weeks)])))
    return parts


def _describe_choice(rule: Recurrence, days: Sequence[Text]) -> Text:
    """What the positions choose from."""
    if rule.days and days == [_join_days(rule)]:
        if rule.days == _WORKING_DAYS:
            return gettext("weekday (Monday to Friday)")
        if rule.days == _ALL_DAYS:
            return gettext("day")
    return gettext("of %(days)s", days=_glue(days))


def _join_days(rule: Recurrence, *, has_article: bool = True) -> Text:
    days = sorted(rule.days, key=lambda day: (sort_key(day[0]), day[1]))
    return _join([name_day(*day, has_article=has_article or i > 0) for i, day in enumerate(days)])


def name_day(ordinal: int, weekday: int, *, has_article: bool) -> Text:
    """`Tuesday`, `the second Tuesday`."""
    name = name_weekday(weekday)
    if not ordinal:
        return gettext("%(weekday)s", weekday=name)
    nth = ORDINALS_OF_WEEKDAYS[weekday].get(ordinal)
    if nth is None and ordinal < 0:
        values = {"nth": _format_number_of(weekday, -ordinal), "weekday": name}
        return gettext("the %(nth)s to last %(weekday)s", **values) if has_article else gettext("%(nth)s to last %(weekday)s", **values)
    values = {"nth": nth or _format_number_of(weekday, ordinal), "weekday": name}
    return gettext("the %(nth)s %(weekday)s", **values) if has_article else gettext("%(nth)s %(weekday)s", **values)


def _format_number_of(weekday: int, number: int) -> Text:
    """`20th` of a weekday, which other languages do not write as the 20th day."""
    return fill(NUMBERS_OF_WEEKDAYS[weekday][_suffix(number)], number=number)


def _nth(number: int) -> Text:
    """`second`, `last`."""
    return ORDINALS.get(number) or _format_number(number)


def _number(numbers: frozenset[int]) -> list[Text]:
    return [_format_number(number) for number in sort_numbers(numbers)]


def _format_number(number: int) -> Text:
    """`15th`, `last`, `2nd to last`."""
    if number == -1:
        return ORDINALS[-1]
    if number < 0:
        return gettext("%(nth)s to last", nth=_format_number(-number))
    return fill(NUMBERS[_suffix(number)], number=number)


def _suffix(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _join(words: Sequence[Text | DateText | str], *, is_either: bool = False) -> Text:
    """`a, b and c`, or `a, b or c`."""
    *others, last = words
    if not others:
        return last if isinstance(last, Text) else gettext("%(word)s", word=last)
    some = others[0]
    for word in others[1:]:
        some = gettext("%(some)s, %(next)s", some=some, next=word)
    return gettext("%(some)s or %(last)s", some=some, last=last) if is_either else gettext("%(some)s and %(last)s", some=some, last=last)


def _glue(parts: Sequence[Text]) -> Text:
    glued, *others = parts
    for part in others:
        glued = gettext("%(sentence)s %(more)s", sentence=glued, more=part)
    return glued
