"""Dates, times and numbers as the Common Locale Data Repository says. Imported when a language is first needed: Babel takes time."""

from datetime import date, datetime, time
from functools import cache

from babel import Locale
from babel.dates import format_date, format_interval, format_skeleton, format_time
from babel.numbers import format_decimal

from kalends.core.i18n.formats import Formats

# How many letters have room above a day of a small month.
MINI_WEEKDAY = 4


class CldrFormats(Formats):
    """The formats of a language other than English."""

    def __init__(self, language: str, hour_cycle: str = "") -> None:
        super().__init__(hour_cycle)
        self._locale = Locale.parse(language)
        self._at = str(self._locale.datetime_formats["medium"])
        self._between = str(self._locale.interval_formats[None])
        # There are 1,440, and a month shows hundreds of them. Babel takes 20 microseconds for each.
        self._clock = cache(self._format_clock)

    def number(self, number: int) -> str:
        return format_decimal(number, locale=self._locale)

    def clock(self, moment: datetime | time) -> str:
        return self._clock(moment.hour, moment.minute)

    def _format_clock(self, hour: int, minute: int) -> str:
        if self._hour_cycle:
            skeleton = self._locale.datetime_skeletons["hm" if self._hour_cycle == "h12" else "Hm"]
            return format_time(time(hour, minute), skeleton, locale=self._locale)
        return format_time(time(hour, minute), "short", locale=self._locale)

    def day(self, moment: date) -> str:
        return format_date(moment, "full", locale=self._locale)

    def month_day(self, moment: date) -> str:
        return format_date(moment, "long", locale=self._locale)

    def day_of_year(self, moment: date) -> str:
        return self._skeleton("MMMMd", moment)

    def month(self, moment: date) -> str:
        return self._skeleton("yMMMM", moment)

    def month_name(self, moment: date) -> str:
        # Not LLLL: Babel would show the names of another language, if that was asked for first.
        return format_date(moment, "MMMM", locale=self._locale)

    def short_month(self, moment: date) -> str:
        return format_date(moment, "MMM", locale=self._locale)

    def weekday(self, moment: date) -> str:
        return format_date(moment, "cccc", locale=self._locale)

    def short_weekday(self, moment: date) -> str:
        return format_date(moment, "ccc", locale=self._locale)

    def mini_weekday(self, moment: date) -> str:
        short = self.short_weekday(moment)
        return short if len(short) <= MINI_WEEKDAY else format_date(moment, "ccccc", locale=self._locale)

    def short_day(self, moment: date) -> str:
        return self._skeleton("MMMEd", moment)

    def short_month_day(self, moment: date) -> str:
        return self._skeleton("yMMMd", moment)

    def short_weekday_month_day(self, moment: date) -> str:
        return self._skeleton("yMMMEd", moment)

    def day_range(self, first: date, last: date) -> str:
        return format_interval(first, last, "yMMMd", locale=self._locale)

    def at(self, day: str, clock: str) -> str:
        return self._at.format(clock, day)

    def between(self, start: str, end: str) -> str:
        return self._between.format(start, end)

    def clocks(self, start: datetime | time, end: datetime | time) -> str:
        return "".join(self._between.split()).format(self.clock(start), self.clock(end))

    def _skeleton(self, skeleton: str, moment: date) -> str:
        return format_skeleton(skeleton, datetime(moment.year, moment.month, moment.day), locale=self._locale)
