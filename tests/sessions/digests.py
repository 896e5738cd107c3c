"""Digests as a client computes them from the documentation."""

import hmac
from typing import Any


def signature(key: dict[str, Any], timestamp: str) -> str:
    """The hexadecimal HMAC-SHA256 of the timestamp under the shared secret."""
    return hmac.new(key["shared_secret"].encode(), timestamp.encode(), "sha256").hexdigest()


def signed(key: dict[str, Any], timestamp: str) -> dict[str, str]:
    """The third set of a login's parameters."""
    return {"digest": f"{key['id']}.{signature(key, timestamp)}", "timestamp": timestamp}
