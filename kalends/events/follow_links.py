"""Links by which people follow a list of events: in a calendar program, on the web, or in a feed reader."""

from urllib.parse import urlencode

from msgspec import Struct

from kalends.settings import Settings

GOOGLE = "https://calendar.google.com/calendar/render"
OUTLOOK = "https://outlook.live.com/calendar/0/addfromweb"


class FollowLinks(Struct, frozen=True):
    """The URLs of the list as a calendar, and as RSS and Atom."""

    webcal: str
    google: str
    outlook: str
    rss: str
    atom: str


def build(settings: Settings, name: str, calendar_url: str, feed_query: str) -> FollowLinks:
    """calendar_url: the list as a calendar file; feed_query: the parameters that it has as a feed."""
    webcal = f"webcal:{calendar_url.partition(':')[2]}"
    query = f"?{feed_query}" if feed_query else ""
    return FollowLinks(
        webcal,
        f"{GOOGLE}?{urlencode({'cid': webcal})}",
        f"{OUTLOOK}?{urlencode({'url': calendar_url, 'name': name})}",
        f"{settings.url}/feed.xml{query}",
        f"{settings.url}/atom.xml{query}",
    )
