"""The ways to sign in that the page offers, and where passkeys can be used."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from kalends.core import oidc_providers
from kalends.core.oidc_providers import Provider
from kalends.core.settings import Settings


class Ways(Struct, frozen=True):
    has_password: bool
    has_passkeys: bool
    providers: list[Provider]

    @property
    def autocomplete(self) -> str:
        """What browsers offer below the field of the user name."""
        return "username webauthn" if self.has_passkeys else "username"


def find(settings: Settings, *, with_password: bool = False) -> Ways:
    """with_password: also where passwords are switched off, for the admin whose password still works."""
    return Ways(
        has_password=with_password or settings.passwords == "on",
        has_passkeys=are_available(settings),
        providers=list(oidc_providers.read(settings.oidc).values()),
    )


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
