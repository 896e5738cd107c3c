"""Confirmation links for tests."""

from kalends.core.settings import Settings
from kalends.features.deliveries.rules.recipient_links import confirm_url
from tests.cast import Person


def confirmations(owner: Person, address: str) -> list[int]:
    """The ids of the messages with confirmation links to the address, newest first."""
    listed = owner.get("/api/deliveries?limit=500").json["deliveries"]
    return [each["id"] for each in listed if (each["kind"], each["address"]) == ("confirm", address)]


def link_to_confirm(owner: Person, settings: Settings, address: str) -> str:
    return confirm_url(settings, confirmations(owner, address)[0]).removeprefix(settings.url)


def confirmed(owner: Person, settings: Settings, *addresses: str) -> None:
    """Follow the link that each address was sent."""
    for address in addresses:
        response = owner.signed_in("").post(link_to_confirm(owner, settings, address))
        assert response.status == 200, response
