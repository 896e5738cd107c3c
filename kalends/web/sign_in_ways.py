"""The ways to sign in that the page offers."""

from msgspec import Struct

from kalends.core import oidc_providers, passkey_site
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
        has_passkeys=passkey_site.are_available(settings),
        providers=list(oidc_providers.read(settings.oidc).values()),
    )
