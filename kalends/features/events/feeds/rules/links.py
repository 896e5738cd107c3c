"""Links that add an event to calendars on the web, and links by which people follow a list of events there or in other programs."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlencode

from msgspec import Struct

from kalends.core.settings import Settings
from kalends.features.events.model import EventDetail

OUTLOOK_FOLLOW = "https://outlook.live.com/calendar/0/addfromweb"

GOOGLE = "https://calendar.google.com/calendar/render"
OUTLOOK_ADD = "https://outlook.live.com/calendar/0/deeplink/compose"
# An event without an end is that long there.
DEFAULT_LENGTH = timedelta(hours=1)


def build_add_links(event: EventDetail) -> list[tuple[str, str]]:
    """The name of each service, and the URL that opens its form with the event."""
    start, end = _times(event)
    google = {
        "action": "TEMPLATE",
        "text": event.title,
        "dates": f"{_compact(start)}/{_compact(end)}",
        "location": event.location or "",
        "details": event.url,
    }
    outlook = {
        "path": "/calendar/action/compose",
        "rru": "addevent",
        "subject": event.title,
        "startdt": start.isoformat(),
        "enddt": end.isoformat(),
        "allday": "true" if event.all_day else "false",
        "location": event.location or "",
        "body": event.url,
    }
    return [("Google Calendar", f"{GOOGLE}?{urlencode(google)}"), ("Outlook", f"{OUTLOOK_ADD}?{urlencode(outlook)}")]


def _times(event: EventDetail) -> tuple[date, date]:
    """Dates, the end not included, or times in UTC."""
    if event.all_day:
        return date.fromisoformat(event.start_time), date.fromisoformat(event.end_time or event.start_time) + timedelta(days=1)
    start = datetime.fromisoformat(event.start_time)
    end = datetime.fromisoformat(event.end_time) if event.end_time else start + DEFAULT_LENGTH
    return start.astimezone(UTC), end.astimezone(UTC)


def _compact(moment: date) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}" if isinstance(moment, datetime) else f"{moment:%Y%m%d}"


class FollowLinks(Struct, frozen=True):
    """The URLs of the list as a calendar, in programs and as a file, and as RSS and Atom."""

    webcal: str
    google: str
    outlook: str
    rss: str
    atom: str
    calendar: str


def build_follow_links(settings: Settings, name: str, calendar_url: str, feed_query: str) -> FollowLinks:
    """calendar_url: the list as a calendar file; feed_query: the parameters that it has as a feed."""
    webcal = f"webcal:{calendar_url.partition(':')[2]}"
    query = f"?{feed_query}" if feed_query else ""
    return FollowLinks(
        webcal,
        f"{GOOGLE}?{urlencode({'cid': webcal})}",
        f"{OUTLOOK_FOLLOW}?{urlencode({'url': calendar_url, 'name': name})}",
        f"{settings.url}/feed.xml{query}",
        f"{settings.url}/atom.xml{query}",
        calendar_url,
    )
