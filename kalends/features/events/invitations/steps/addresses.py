"""The addresses at which replies and bounces arrive: `reply+7-<MAC>@…` of an invitation, `reply+b12-<MAC>@…` of a delivery."""

import hmac
import re

from msgspec import Struct

from kalends import policy
from kalends.core.records.response import Invitation
from kalends.core.settings import Settings
from kalends.core.tokens import derive, token_hash
from kalends.core.transports import inbound_domain
from kalends.policy import REPLY_MAC_DIGITS

_ADDRESS = re.compile(rf"reply\+(b?)([1-9][0-9]{{0,17}})-([0-9a-f]{{{REPLY_MAC_DIGITS}}})@", re.IGNORECASE)


class Recipient(Struct, frozen=True):
    """What an address names: an invitation, or for bounces a delivery. Its MAC is not verified yet."""

    is_bounce: bool
    id: int
    mac: str


def takes_replies(settings: Settings) -> bool:
    """Whether replies by mail arrive."""
    return bool(settings.inbound)


def reply_address(settings: Settings, invitation: Invitation) -> str:
    return f"reply+{invitation.id}-{policy.reply_mac(settings, invitation)}@{_domain(settings)}"


def bounce_address(settings: Settings, delivery_id: int) -> str:
    """Where mail servers report that the delivery could not be delivered."""
    return f"reply+b{delivery_id}-{_bounce_mac(settings, delivery_id)}@{_domain(settings)}"


def find(text: str) -> Recipient | None:
    """What the first of these addresses in the text names."""
    match = _ADDRESS.search(text)
    return Recipient(bool(match[1]), int(match[2]), match[3].lower()) if match else None


def is_bounce_of(settings: Settings, recipient: Recipient) -> bool:
    return recipient.is_bounce and hmac.compare_digest(recipient.mac, _bounce_mac(settings, recipient.id))


def _bounce_mac(settings: Settings, delivery_id: int) -> str:
    return token_hash(derive(settings, "bounce", str(delivery_id))).hex()[:REPLY_MAC_DIGITS]


def _domain(settings: Settings) -> str:
    return inbound_domain(settings.inbound_domain, settings.email_from, settings.url)
