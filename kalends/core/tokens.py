"""Secrets: random tokens, their hashes, and keys derived from the server's secret."""

import hashlib
import hmac
import os
import secrets
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kalends.core import private_file
from kalends.core.settings import Settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_ALPHABET = "0123456789abcdefghijkmnpqrstuvwxyz"


def new_token() -> str:
    """256 random bits, as text."""
    return secrets.token_urlsafe(32)


def new_app_password() -> str:
    """122 random bits in groups of four characters, which people type into a phone."""
    characters = "".join(secrets.choice(_ALPHABET) for _ in range(24))
    return "-".join(characters[i : i + 4] for i in range(0, 24, 4))


def public_id(prefix: str) -> str:
    """A short random id for a record without a number: `k7f3…`."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(15))


def token_hash(token: str) -> bytes:
    """The hash of a token, which is stored instead of it. A token has 256 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode()).digest()


def derive(settings: Settings, purpose: str, subject: str) -> str:
    """A secret for a subject, derived from the server's secret by HMAC instead of being stored."""
    digest = hmac.digest(_server_secret(settings), f"{purpose}:{subject}".encode(), "sha256")
    return urlsafe_b64encode(digest).decode().rstrip("=")


def encrypt(settings: Settings, purpose: str, subject: str, text: str) -> str:
    """The text, so that only servers with the server's secret can read it."""
    return _cipher(settings, purpose, subject).encrypt(text.encode()).decode()


def decrypt(settings: Settings, purpose: str, subject: str, text: str) -> str | None:
    """The text that `encrypt` had; None if this is none of its results, or one for another subject or with another secret."""
    from cryptography.fernet import InvalidToken

    try:
        return _cipher(settings, purpose, subject).decrypt(text.encode(errors="replace")).decode()
    except InvalidToken:
        return None


def _cipher(settings: Settings, purpose: str, subject: str) -> "Fernet":
    # Imported by the first request that needs it: it takes as long as a tenth of a start.
    from cryptography.fernet import Fernet

    return Fernet(derive(settings, purpose, subject) + "=")


def secret_fingerprint(settings: Settings) -> str:
    """Identifies the server's secret without revealing it; empty when there is no secret."""
    has_secret = settings.secret or (settings.folder / "secret").exists()
    return derive(settings, "backup", "") if has_secret else ""


def ensure_secret(settings: Settings) -> None:
    """Create the server's secret if there is none yet."""
    _server_secret(settings)


def _server_secret(settings: Settings) -> bytes:
    return settings.secret.encode() if settings.secret else _stored_secret(settings.data)


@cache
def _stored_secret(data: str) -> bytes:
    """The secret in the folder, by its name: to make a path of it for each link and counter would take longer than their HMAC."""
    path = Path(data) / "secret"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Written to a temporary file and linked, so that processes that start together agree and none reads half of it.
    draft = path.with_name(f"secret.{secrets.token_hex(8)}")
    with private_file.create(draft) as file:
        file.write(secrets.token_hex(32).encode())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_bytes()
