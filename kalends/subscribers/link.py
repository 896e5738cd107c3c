"""The address under which somebody leaves the list without an account."""

import hmac

from kalends.settings import Settings
from kalends.tokens import derived


def unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """It follows from the server's secret, so it is stored nowhere and nobody can guess it."""
    return f"{settings.url}/unsubscribe/{_token(settings, subscriber_id)}"


def short_unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """The same, for an SMS."""
    return f"{settings.url}/u/{_token(settings, subscriber_id)}"


def subscriber_of(settings: Settings, token: str) -> int | None:
    """The subscriber whose link this is."""
    number, _, mac = token.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= 18):
        return None
    return int(number) if hmac.compare_digest(mac.encode(), _mac(settings, int(number)).encode()) else None


def _token(settings: Settings, subscriber_id: int) -> str:
    return f"{subscriber_id}-{_mac(settings, subscriber_id)}"


def _mac(settings: Settings, subscriber_id: int) -> str:
    return derived(settings, "unsubscribe", str(subscriber_id))[:22]
