"""The address under which other programs read a calendar."""

from kalends.calendars.model import Calendar
from kalends.settings import Settings
from kalends.tokens import derive


def feed_url(settings: Settings, calendar: Calendar) -> str | None:
    """The calendar's feed: for everyone if it is public, else with a secret, for those who may edit it."""
    url = f"{settings.url}/api/calendars/{calendar.id}.ics"
    if calendar.public:
        return url
    return f"{url}?key={feed_key(settings, calendar)}" if calendar.role in ("owner", "editor") else None


def feed_key(settings: Settings, calendar: Calendar) -> str:
    """It follows from the server's secret, so it is stored nowhere; a new version makes it another."""
    return derive(settings, "feed", f"{calendar.id}.{calendar.feed_version}")[:32]
