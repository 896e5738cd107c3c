"""The times of records as pages show them, from the text that the API replies with, and the time zone of the reader: a
member's own; for guests the one in their cookie, else the site's."""

from datetime import date, datetime, time, timedelta

from kalends.core.i18n import gettext
from kalends.core.i18n.locale import Locale
from kalends.core.values import datetimes
from kalends.core.values.datetimes import known_zones
from kalends.http.context import Context
from kalends.policy import site as sites

ALL_DAY = gettext("All day")
COOKIE = "kalends_zone"
YEAR = 365 * 86_400


class Times:
    """The times in the formats of a language."""

    def __init__(self, locale: Locale) -> None:
        formats = self._formats = locale.formats
        self._all_day = locale.translate(ALL_DAY)
        self.clock, self.day, self.short_day = formats.clock, formats.day, formats.short_day
        self.weekday, self.short_weekday = formats.weekday, formats.short_weekday
        self.days, self.clocks = formats.days, formats.clocks
        self.full_hours = [formats.clock(time(hour)) for hour in range(24)]

    def span(self, start_time: str, end_time: str | None, all_day: bool, zone: str | None = None) -> str:
        """`Monday, 11 May 2026, 17:00–19:00`, in the record's own zone or another."""
        if all_day:
            return self._formats.days(date.fromisoformat(start_time), date.fromisoformat(end_time or start_time))
        return self._formats.span(_moment(start_time, zone), _moment(end_time, zone) if end_time else None, folds_night=True)

    def hours(self, start_time: str, end_time: str | None, all_day: bool) -> str:
        """`17:00–19:00`, for a list by day: of an event that ends on a later day, that day too."""
        if all_day:
            first, last = date.fromisoformat(start_time), date.fromisoformat(end_time or start_time)
            return self._all_day if first == last else self._formats.between(self.short_day(first), self.short_day(last))
        start, end = _moment(start_time), _moment(end_time or start_time)
        if end - start < timedelta(hours=24):
            return self.clock(start) if end == start else self._formats.clocks(start, end)
        return self._formats.between(self._short_at(start), self._short_at(end))

    def weekday_and_day(self, start_time: str, zone: str | None = None) -> str:
        """`Mon 11 May`, the day on which an event starts, in its own zone or another."""
        return self.short_day(_moment(start_time, zone))

    def brief(self, start_time: str, end_time: str | None, all_day: bool) -> str:
        """`Mon 11 May 2026, 17:00–19:00`: the day on which an event starts, and its hours if it ends on it."""
        start, end = _moment(start_time), _moment(end_time or start_time)
        day = self._formats.short_weekday_month_day(start)
        if all_day:
            return self._formats.short_days(start, end)
        is_short = end - start < timedelta(hours=24) and end != start
        return self._formats.at(day, self._formats.clocks(start, end) if is_short else self.clock(start))

    def tile(self, start_time: str) -> tuple[str, int]:
        """The month and the day on which an event starts: `("Nov", 17)`."""
        start = _moment(start_time)
        return self._formats.short_month(start), start.day

    def short_date(self, start_time: str) -> str:
        """`Mon 11 May`."""
        return self.short_day(_moment(start_time))

    def clock_in(self, start_time: str, zone: str) -> str:
        """`17:00`, on the clocks of the zone."""
        return self.clock(_moment(start_time, zone))

    def weekday_and_clock(self, start_time: str) -> str:
        """`Thu 20:00`, on the clocks where the event is."""
        start = _moment(start_time)
        return f"{self.short_weekday(start)} {self.clock(start)}"

    @staticmethod
    def city(zone: str) -> str:
        """`New York`, for America/New_York."""
        return zone.rpartition("/")[2].replace("_", " ")

    @staticmethod
    def is_foreign(start_time: str, all_day: bool, zone: str) -> bool:
        """Whether clocks in the zone show another time than those where the event is."""
        return not all_day and _moment(start_time).utcoffset() != _moment(start_time, zone).utcoffset()

    def written(self, value: str | None) -> str | None:
        """A stored time in words, on the clocks that it was written with: `11 May 2026, 17:00`. Any other text stays as it is."""
        try:
            moment = datetime.fromisoformat(value or "")
        except ValueError:
            return value
        day = self._formats.month_day(moment)
        return self._formats.at(day, self.clock(moment)) if "T" in (value or "") else day

    def last_day(self, start_time: str, end_time: str | None) -> str:
        """The day on which an event ended: `1 November 2026`."""
        return self._formats.month_day(date.fromisoformat((end_time or start_time)[:10]))

    def in_zone(self, instant: str, zone: str) -> str:
        """An instant for its reader: `11 May 2026, 17:00`."""
        local = _moment(instant, zone)
        return self._formats.at(self._formats.month_day(local), self.clock(local))

    def with_zone(self, instant: str, zone: str) -> str:
        """An instant for readers who may be elsewhere: `11 May 2026, 17:00 (Europe/Paris)`."""
        return f"{self.in_zone(instant, zone)} ({zone})"

    def _short_at(self, moment: datetime) -> str:
        return self._formats.at(self.short_day(moment), self.clock(moment))


def _moment(text: str, zone: str | None = None) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(datetimes.zone_info(zone)) if zone else moment


def reader_zone(ctx: Context) -> str:
    """The time zone of the reader."""
    if ctx.actor:
        return ctx.actor.time_zone
    zone = ctx.caller.cookie(COOKIE)
    return zone if zone in known_zones() else sites.get_or_default(ctx).time_zone


def remember_zone(ctx: Context, zone: str) -> None:
    """Store the choice of a guest in a cookie. Members set theirs in their settings."""
    if ctx.actor is None and zone != ctx.caller.cookie(COOKIE):
        ctx.set_cookie(COOKIE, zone, YEAR)
