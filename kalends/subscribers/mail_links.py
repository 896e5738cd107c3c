"""The addresses under which somebody confirms that they want to be on a list, and leaves it, without an account."""

import hmac

from kalends.settings import Settings
from kalends.tokens import derive

INCOMPLETE = "This link is not complete. Copy it whole from the message."


def unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """It follows from the server's secret, so it is stored nowhere and nobody can guess it."""
    return f"{settings.url}/unsubscribe/{_token(settings, 'unsubscribe', subscriber_id)}"


def short_unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """The same, for an SMS."""
    return f"{settings.url}/u/{_token(settings, 'unsubscribe', subscriber_id)}"


def confirm_url(settings: Settings, delivery_id: int) -> str:
    """Where the address to which this message was sent confirms its opt-in."""
    return f"{settings.url}/confirm/{_token(settings, 'confirm', delivery_id)}"


def short_confirm_url(settings: Settings, delivery_id: int) -> str:
    """The same, for an SMS."""
    return f"{settings.url}/c/{_token(settings, 'confirm', delivery_id)}"


def subscriber_of(settings: Settings, token: str) -> int | None:
    """The subscriber whose link to unsubscribe this is."""
    return _number(settings, "unsubscribe", token)


def delivery_of(settings: Settings, token: str) -> int | None:
    """The message that carried this link to confirm."""
    return _number(settings, "confirm", token)


def _number(settings: Settings, purpose: str, token: str) -> int | None:
    number, _, mac = token.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= 18):
        return None
    return int(number) if hmac.compare_digest(mac.encode(), _mac(settings, purpose, int(number)).encode()) else None


def _token(settings: Settings, purpose: str, number: int) -> str:
    return f"{number}-{_mac(settings, purpose, number)}"


def _mac(settings: Settings, purpose: str, number: int) -> str:
    return derive(settings, purpose, str(number))[:22]
