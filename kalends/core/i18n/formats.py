"""Dates, times and numbers in words, for pages, mail and SMS: here as in English, in cldr_formats as in the other languages."""

from datetime import date, datetime, time, timedelta

NOON = 12


class Formats:
    """How English writes dates, times and numbers; the other languages replace the parts of which the rest is made."""

    def __init__(self, hour_cycle: str = "") -> None:
        """hour_cycle: h12 or h23; empty: as is usual."""
        self._hour_cycle = hour_cycle

    def number(self, number: int) -> str:
        """`1,400`."""
        return f"{number:,}"

    def clock(self, moment: datetime | time) -> str:
        """`17:00`, or `5:00 pm`."""
        if self._hour_cycle == "h12":
            return f"{moment.hour % NOON or NOON}:{moment.minute:02} {'am' if moment.hour < NOON else 'pm'}"
        return f"{moment.hour:02}:{moment.minute:02}"

    def day(self, moment: date) -> str:
        """`Monday, 11 May 2026`."""
        return f"{moment:%A}, {self.month_day(moment)}"

    def month_day(self, moment: date) -> str:
        """`1 November 2026`."""
        return f"{moment.day} {moment:%B} {moment.year}"

    def day_of_year(self, moment: date) -> str:
        """`1 November`."""
        return f"{moment.day} {moment:%B}"

    def month(self, moment: date) -> str:
        """`November 2026`."""
        return f"{moment:%B} {moment.year}"

    def month_name(self, moment: date) -> str:
        """`November`."""
        return f"{moment:%B}"

    def short_month(self, moment: date) -> str:
        """`Nov`."""
        return f"{moment:%b}"

    def weekday(self, moment: date) -> str:
        """`Monday`."""
        return f"{moment:%A}"

    def short_weekday(self, moment: date) -> str:
        """`Mon`."""
        return f"{moment:%a}"

    def mini_weekday(self, moment: date) -> str:
        """`Mon`, or the first letter where that is too long for a small month."""
        return self.short_weekday(moment)

    def short_day(self, moment: date) -> str:
        """`Mon 11 May`."""
        return f"{moment:%a} {moment.day} {moment:%b}"

    def short_month_day(self, moment: date) -> str:
        """`1 Nov 2026`."""
        return f"{moment.day} {moment:%b} {moment.year}"

    def short_weekday_month_day(self, moment: date) -> str:
        """`Mon 11 May 2026`."""
        return f"{moment:%a} {self.short_month_day(moment)}"

    def day_range(self, first: date, last: date) -> str:
        """`11 – 17 May 2026`: of the first day only the parts that differ."""
        start = f"{first.day}"
        if (first.year, first.month) != (last.year, last.month):
            start += f" {first:%B}"
        if first.year != last.year:
            start += f" {first.year}"
        return f"{start} – {self.month_day(last)}"

    def at(self, day: str, clock: str) -> str:
        """A day and a time of it: `1 November 2026, 17:00`."""
        return f"{day}, {clock}"

    def between(self, start: str, end: str) -> str:
        """From a day to another: `1 November 2026 – 3 November 2026`."""
        return f"{start} – {end}"

    def clocks(self, start: datetime | time, end: datetime | time) -> str:
        """`17:00–19:00`."""
        return f"{self.clock(start)}–{self.clock(end)}"

    def days(self, first: date, last: date) -> str:
        """`Monday, 11 May 2026 – Wednesday, 13 May 2026`, or one day."""
        return self.day(first) if first == last else self.between(self.day(first), self.day(last))

    def span(self, start: datetime, end: datetime | None, *, folds_night: bool = False) -> str:
        """`Monday, 11 May 2026, 17:00–19:00`. With folds_night, the end has no day if it is on the next morning."""
        if end is None or end == start:
            return self.at(self.day(start), self.clock(start))
        is_night = folds_night and end - start < timedelta(hours=24) and (end.hour, end.minute) < (start.hour, start.minute)
        if end.date() == start.date() or is_night:
            return self.at(self.day(start), self.clocks(start, end))
        return self.between(self.at(self.day(start), self.clock(start)), self.at(self.day(end), self.clock(end)))

    def short_days(self, first: date, last: date) -> str:
        """`Mon 11 May 2026`, or `11 May 2026 - 13 May 2026`: in English, every character is in the alphabet of SMS."""
        if first == last:
            return self.short_weekday_month_day(first)
        return f"{self.short_month_day(first)} - {self.short_month_day(last)}"

    def short_span(self, start: datetime, end: datetime | None) -> str:
        """`Mon 11 May 2026 17:00-19:00`, or `11 May 2026 17:00 - 12 May 2026 02:00`: in English, in the alphabet of SMS."""
        if end is None or end == start:
            return f"{self.short_weekday_month_day(start)} {self.clock(start)}"
        if end.date() == start.date():
            return f"{self.short_weekday_month_day(start)} {self.clock(start)}-{self.clock(end)}"
        return f"{self.short_month_day(start)} {self.clock(start)} - {self.short_month_day(end)} {self.clock(end)}"
