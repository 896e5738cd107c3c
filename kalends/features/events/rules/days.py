"""Days to choose from on the start page, and the events of a page by day."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from msgspec import Struct

from kalends.core.i18n import gettext
from kalends.core.i18n.formats import Formats
from kalends.core.values import datetimes
from kalends.features.events.model import Card
from kalends.http.input.readers import FieldInvalid

SATURDAY = 5
NAMES = {
    "today": gettext("Today"),
    "tomorrow": gettext("Tomorrow"),
    "weekend": gettext("This weekend"),
    "next-week": gettext("Next week"),
}


class Day(Struct, frozen=True):
    """A day with events: `Today` or the weekday, and the date."""

    name: str
    date: str
    cards: list[Card]


def check(value: str) -> str:
    """A name of NAMES, or a date."""
    try:
        return value if value in NAMES else date.fromisoformat(value).isoformat()
    except ValueError:
        raise FieldInvalid("must be today, tomorrow, weekend, next-week or a date such as 2027-05-11") from None


def choose(when: str, today: date) -> tuple[date, date]:
    """The first and the last day that `when` means. A weekend that has begun is this one."""
    monday = today - timedelta(days=today.weekday())
    match when:
        case "today":
            return today, today
        case "tomorrow":
            return today + timedelta(days=1), today + timedelta(days=1)
        case "weekend":
            return max(today, monday + timedelta(days=SATURDAY)), monday + timedelta(days=6)
        case "next-week":
            return monday + timedelta(days=7), monday + timedelta(days=13)
        case _:
            day = date.fromisoformat(when)
            return day, day


def group(cards: Iterable[Card], since: int, now: int, zone: str, formats: Formats) -> list[Day]:
    """The cards by the day on which they start in the zone; what runs since before is on the day of `since`."""
    first, today = (datetimes.to_local(instant, zone).date() for instant in (since, now))
    by_day: dict[date, list[Card]] = {}
    for card in cards:
        by_day.setdefault(max(first, _start_day(card, zone)), []).append(card)
    return [Day(_name(day, today, formats), _date(day, today, formats), by_day[day]) for day in sorted(by_day)]


def _start_day(card: Card, zone: str) -> date:
    event = card.event
    start = datetime.fromisoformat(event.start_time)
    return start.date() if event.all_day else start.astimezone(datetimes.zone_info(zone)).date()


def _name(day: date, today: date, formats: Formats) -> str:
    return {0: NAMES["today"], 1: NAMES["tomorrow"]}.get((day - today).days, formats.weekday(day))


def _date(day: date, today: date, formats: Formats) -> str:
    return formats.day_of_year(day) if day.year == today.year else formats.month_day(day)
