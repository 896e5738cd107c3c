"""Secrets and signatures of webhooks, as Standard Webhooks defines them."""

import hmac
from base64 import b64encode, urlsafe_b64decode

from kalends.core.records.change import Webhook
from kalends.core.settings import Settings
from kalends.core.tokens import derive

# After a rotation, deliveries are signed with the previous secret, too.
OVERLAP = 24 * 3600


def secret(settings: Settings, secret_id: str) -> str:
    """The secret as its receiver gets it, derived from the server's secret and therefore not stored."""
    return "whsec_" + b64encode(_key(settings, secret_id)).decode()


def headers(settings: Settings, webhook: Webhook, message_id: str, now: int, body: bytes) -> dict[str, str]:
    """The header fields that prove where a delivery comes from."""
    secret_ids = [webhook.secret_id]
    if webhook.previous_secret_id and webhook.rotated_at and now < webhook.rotated_at + OVERLAP:
        secret_ids.append(webhook.previous_secret_id)
    content = f"{message_id}.{now}.".encode() + body
    digests = [hmac.digest(_key(settings, each), content, "sha256") for each in secret_ids]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(now),
        "webhook-signature": " ".join(f"v1,{b64encode(digest).decode()}" for digest in digests),
    }


def _key(settings: Settings, secret_id: str) -> bytes:
    return urlsafe_b64decode(derive(settings, "webhook", secret_id) + "=")
