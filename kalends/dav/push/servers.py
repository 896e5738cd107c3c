"""The push services to which messages may be sent (`KALENDS_PUSH_SERVERS`)."""

from urllib.parse import urlsplit

from kalends.core.net.post import AddressRefused, split
from kalends.core.settings import ALL_PUSH_SERVERS, Settings, listed

MAX_URL = 2_000


def is_on(settings: Settings) -> bool:
    return bool(listed(settings.push_servers))


def is_allowed(settings: Settings, url: str) -> bool:
    """Whether messages may be sent to this URL; the address that its name leads to is checked when something is sent."""
    try:
        split(url)
    except AddressRefused:
        return False
    is_any = ALL_PUSH_SERVERS in listed(settings.push_servers) and url.startswith("https://")
    return len(url) <= MAX_URL and (is_any or is_named(settings, url))


def is_named(settings: Settings, url: str) -> bool:
    """Whether the operator named the host of this URL. Only such a host may be in a network of their own."""
    service = urlsplit(url)
    host = (service.hostname or "") + (f":{service.port}" if service.port not in (None, 443) else "")
    return host in listed(settings.push_servers)
