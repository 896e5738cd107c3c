"""Birthdays as a calendar file: each is an event that repeats every year."""

from collections.abc import Iterable, Sequence

from kalends.core.i18n import gettext
from kalends.core.i18n.locale import Locale
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.features.contacts.rules.birthday import Birthday
from kalends.features.events.feeds.steps import ical
from kalends.features.events.rules.uid import own_uid
from kalends.ical.lines import escape, fold


def write(birthdays: Iterable[Birthday], settings: Settings, locale: Locale, properties: Sequence[str] = (), method: str = "") -> bytes:
    """A calendar file of these birthdays."""
    return ical.join_file([_write_event(each, settings, locale) for each in birthdays], {}, properties, method)


def _write_event(birthday: Birthday, settings: Settings, locale: Locale) -> str:
    """A VEVENT that takes the whole day, each year, and makes nobody busy."""
    born, updated = birthday.born, timestamps.format_utc(birthday.updated_at).replace("-", "").replace(":", "")
    title = locale.translate(gettext("%(name)s’s birthday (%(year)s)", name=birthday.name, year=str(born.year)))
    leap = ";BYMONTH=2;BYMONTHDAY=-1" if (born.month, born.day) == (2, 29) else ""
    lines = [
        "BEGIN:VEVENT",
        f"UID:{own_uid(settings, birthday.id, 'birthday')}",
        ical.format_date("DTSTART", born),
        "DURATION:P1D",
        f"RRULE:FREQ=YEARLY{leap}",
        f"SUMMARY:{escape(title)}",
        "TRANSP:TRANSPARENT",
        f"URL:{settings.url}/contacts/{birthday.id}/edit",
        f"SEQUENCE:{birthday.version - 1}",
        f"LAST-MODIFIED:{updated}",
        f"DTSTAMP:{updated}",
        "END:VEVENT",
    ]
    return "".join(map(fold, lines))
