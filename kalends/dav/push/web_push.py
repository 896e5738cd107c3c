"""Web Push: messages that only the device can read (RFC 8291), from a server that proves who it is (VAPID, RFC 8292).

The key of the server is derived from its secret, so that all servers of a database have the same and none is stored. The libraries are
imported by the first message: that takes as long as a tenth of a start."""

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kalends.core.net.post import AddressRefused, split
from kalends.core.records.calendar import Calendar
from kalends.core.settings import ALL_PUSH_SERVERS, Settings, listed
from kalends.core.tokens import derive

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

MAX_URL = 2_000
# The longest topic that a push service takes (RFC 8030).
TOPIC_LENGTH = 32
# One record holds the whole message. Push services take 4,096 octets.
RECORD_SIZE = 4096
SALT_SIZE, AUTH_SIZE, POINT_SIZE = 16, 16, 65
# How long a token is valid (RFC 8292: a day at most).
TOKEN_SECONDS = 12 * 3600
# How long the push service keeps a message for a device that is off.
TTL = 86_400
# The number of points of the curve P-256.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Base64url with or without padding; ValueError if it is none."""
    text = text.strip().rstrip("=")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def are_valid_keys(public_key: str, auth_secret: str) -> bool:
    """Whether these are a point of P-256 and a secret, as a device registers them."""
    try:
        _read_point(decode(public_key))
        return len(decode(auth_secret)) == AUTH_SIZE
    except ValueError:
        return False


def encrypt(message: bytes, public_key: str, auth_secret: str) -> bytes:
    """The message for the device with these keys, in the encoding aes128gcm (RFC 8188)."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    point, salt, sender = decode(public_key), os.urandom(SALT_SIZE), ec.generate_private_key(ec.SECP256R1())
    sender_point = _write_point(sender.public_key())
    shared = sender.exchange(ec.ECDH(), _read_point(point))
    keying = _hkdf(decode(auth_secret), shared, b"WebPush: info\x00" + point + sender_point, 32)
    key = _hkdf(salt, keying, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _hkdf(salt, keying, b"Content-Encoding: nonce\x00", 12)
    header = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([POINT_SIZE]) + sender_point
    # The octet 2 ends the last record.
    return header + AESGCM(key).encrypt(nonce, message + b"\x02", None)


def headers(settings: Settings, url: str, topic: str, now: int) -> dict[str, str]:
    """The header fields of a message to the push service. One that was not delivered yet is replaced by the next of its topic."""
    return {
        "Authorization": f"vapid t={_token(settings, url, now)}, k={public_key(settings)}",
        "Content-Encoding": "aes128gcm",
        "Content-Type": 'application/xml; charset="UTF-8"',
        "TTL": str(TTL),
        "Topic": topic,
        "Urgency": "normal",
    }


def public_key(settings: Settings) -> str:
    """The public key of this server, as devices hand it to their push service."""
    return encode(_write_point(_server_key(derive(settings, "vapid", "")).public_key()))


def _token(settings: Settings, url: str, now: int) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from joserfc import jwt
    from joserfc.jwk import ECKey

    key = _server_key(derive(settings, "vapid", ""))
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    service = urlsplit(url)
    claims = {"aud": f"{service.scheme}://{service.netloc}", "exp": now + TOKEN_SECONDS, "sub": settings.url}
    return jwt.encode({"alg": "ES256", "typ": "JWT"}, claims, ECKey.import_key(pem))


@cache
def _server_key(seed: str) -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    number = int.from_bytes(decode(seed), "big") % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())


def _read_point(point: bytes) -> "EllipticCurvePublicKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(point) != POINT_SIZE:
        raise ValueError
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def _write_point(key: "EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _hkdf(salt: bytes, secret: bytes, info: bytes, size: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), size, salt, info).derive(secret)


def is_on(settings: Settings) -> bool:
    return bool(listed(settings.push_servers))


def is_allowed(settings: Settings, url: str) -> bool:
    """Whether messages may be sent to this URL; the address that its name leads to is checked when something is sent."""
    try:
        split(url)
    except AddressRefused:
        return False
    is_any = ALL_PUSH_SERVERS in listed(settings.push_servers) and url.startswith("https://")
    return len(url) <= MAX_URL and (is_any or is_named(settings, url))


def is_named(settings: Settings, url: str) -> bool:
    """Whether the operator named the host of this URL. Only such a host may be in a network of their own."""
    service = urlsplit(url)
    host = (service.hostname or "") + (f":{service.port}" if service.port not in (None, 443) else "")
    return host in listed(settings.push_servers)


def calendar_topic(settings: Settings, calendar: Calendar) -> str:
    return derive(settings, "push topic", f"calendar {calendar.id}")[:TOPIC_LENGTH]


def book_topic(settings: Settings, user_id: int, book_id: int) -> str:
    return derive(settings, "push topic", f"book {user_id} {book_id}")[:TOPIC_LENGTH]
