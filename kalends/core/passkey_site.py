"""Where passkeys can be used."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from kalends.core.settings import Settings


def host_of(settings: Settings) -> str:
    """The host of the public URL, which passkeys are bound to."""
    return urlsplit(settings.url).hostname or ""


def are_available(settings: Settings) -> bool:
    """Whether browsers offer passkeys here: on https, or on localhost, and never for an IP address."""
    host = host_of(settings)
    try:
        ip_address(host)
    except ValueError:
        return settings.https or host == "localhost" or host.endswith(".localhost")
    return False
