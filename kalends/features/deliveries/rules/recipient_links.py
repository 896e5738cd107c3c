"""Signed links by which a recipient confirms an opt-in or unsubscribes, without an account."""

import hmac

from kalends.core.settings import Settings
from kalends.core.tokens import derive

INCOMPLETE = "This link is not complete. Copy it whole from the message."


def unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """The link to unsubscribe, signed with the server's secret and therefore not stored."""
    return f"{settings.url}/unsubscribe/{_token(settings, 'unsubscribe', subscriber_id)}"


def short_unsubscribe_url(settings: Settings, subscriber_id: int) -> str:
    """A short form of the link, for SMS."""
    return f"{settings.url}/u/{_token(settings, 'unsubscribe', subscriber_id)}"


def confirm_url(settings: Settings, delivery_id: int) -> str:
    """The link by which the recipient of this message confirms the opt-in."""
    return f"{settings.url}/confirm/{_token(settings, 'confirm', delivery_id)}"


def short_confirm_url(settings: Settings, delivery_id: int) -> str:
    """A short form of the link, for SMS."""
    return f"{settings.url}/c/{_token(settings, 'confirm', delivery_id)}"


def notices_url(settings: Settings, user_id: int) -> str:
    """The link by which an organiser stops the mail about responses and comments."""
    return f"{settings.url}/account/notices/{_token(settings, 'notices', user_id)}"


def stop_url(settings: Settings, delivery_id: int) -> str:
    """The link by which the recipient of this message gets no more of its purpose."""
    return f"{settings.url}/deliveries/stop/{_token(settings, 'stop', delivery_id)}"


def parse_stop_token(settings: Settings, token: str) -> int | None:
    """The id of the message with this link, or None if the token is not valid."""
    return _verified_id(settings, "stop", token)


def parse_notices_token(settings: Settings, token: str) -> int | None:
    """The user's id, or None if the token is not valid."""
    return _verified_id(settings, "notices", token)


def parse_unsubscribe_token(settings: Settings, token: str) -> int | None:
    """The subscriber's id, or None if the token is not valid."""
    return _verified_id(settings, "unsubscribe", token)


def parse_confirm_token(settings: Settings, token: str) -> int | None:
    """The id of the message with this link, or None if the token is not valid."""
    return _verified_id(settings, "confirm", token)


def _verified_id(settings: Settings, purpose: str, token: str) -> int | None:
    number, _, mac = token.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= 18):
        return None
    return int(number) if hmac.compare_digest(mac.encode(), _mac(settings, purpose, int(number)).encode()) else None


def _token(settings: Settings, purpose: str, number: int) -> str:
    return f"{number}-{_mac(settings, purpose, number)}"


def _mac(settings: Settings, purpose: str, number: int) -> str:
    return derive(settings, purpose, str(number))[:22]
