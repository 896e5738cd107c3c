"""The addresses that people paste."""

import re
from urllib.parse import urlsplit, urlunsplit

from kalends.core.i18n import gettext

HIDDEN = "•••"
EXAMPLE = gettext("must be an address such as https://example.org/events.ics")
_MEETUP = re.compile(r"/(?:[a-z]{2}(?:-[A-Z]{2})?/)?([A-Za-z0-9_-]+)/?(?:events/?)?")
_MEETUP_HOSTS = ("www.meetup.com", "meetup.com")


def normalise(address: str) -> str:
    """The address to fetch: webcal: means https:, and a group of Meetup has its calendar at a known place. ValueError if it is none."""
    address = address.strip()
    for scheme in ("webcal://", "webcals://"):
        if address.lower().startswith(scheme):
            address = f"https://{address[len(scheme) :]}"
    try:
        parts = urlsplit(address)
    except ValueError:
        # The library's message may quote a password.
        raise ValueError(EXAMPLE) from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError(EXAMPLE)
    if parts.hostname in _MEETUP_HOSTS and (group := _MEETUP.fullmatch(parts.path)):
        return f"https://www.meetup.com/{group[1]}/events/ical/"
    host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme.lower(), f"{host[0]}{host[1]}{host[2].lower()}", parts.path or "/", parts.query, ""))


def public_form(url: str) -> str:
    """The address as it is shown: without the name and the password that it may have."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=f"{HIDDEN}@{parts.netloc.rpartition('@')[2]}", path="/…", query=""))


def site_form(url: str) -> str:
    """The address as people other than its follower see it: its path may be the secret that opens it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "/…", "", ""))


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""
