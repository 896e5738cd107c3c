"""The URL of a calendar's feed, with the key that gives the rights of a viewer."""

from kalends.records.calendar import Calendar
from kalends.settings import Settings
from kalends.tokens import derive


def feed_url(settings: Settings, calendar: Calendar) -> str | None:
    """The URL of the feed: without a key for a public calendar; with a key, for owner and editors only, for a private one."""
    url = f"{settings.url}/api/calendars/{calendar.id}.ics"
    if calendar.public:
        return url
    return f"{url}?key={feed_key(settings, calendar)}" if calendar.role in ("owner", "editor") else None


def feed_key(settings: Settings, calendar: Calendar) -> str:
    """The key, derived from the server's secret and therefore not stored; a new feed version changes it."""
    return derive(settings, "feed", f"{calendar.id}.{calendar.feed_version}")[:32]
