"""Idempotency keys: a request under an Idempotency-Key is done once, and its reply is stored and replayed.

The reply is encrypted with a secret made from that key, which is not stored: whoever reads the table, or a backup, learns nothing of it,
and erasing a person need not look for the replies that name them."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from kalends.core import errors, tokens
from kalends.core.errors import FieldError
from kalends.http.context import Context
from kalends.http.input.multipart import Upload
from kalends.http.reply import Reply

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"

# With or without the quotes that the header's specification requires.
KEY_PATTERN = r'^(?:"[!#-~]{1,255}"|[!#-~]{1,255})$'
OTHER_REQUEST = "was used for another request; use a new one for each, and the same one only to try again"
NOT_STORED = (
    "This request was done before under the same Idempotency-Key. Its reply held a secret and was not stored. "
    "Read what it changed with a GET, or send the request again with a new Idempotency-Key."
)

ACCESS_CHANGED = (
    "This request was done before under the same Idempotency-Key. What you may see has changed since, so its reply is not shown again. "
    "Read what it changed with a GET."
)

_KEY = re.compile(KEY_PATTERN)
_NONCE_SIZE = 16


class IdempotencyKeyInUse(errors.Conflict):
    """A request under the same key was done before."""


class StoredResponse(Struct, frozen=True):
    """A row of the table: the hash of the request; its encrypted reply, which is empty if it held a secret; and the hash of what its reader
    saw."""

    request_hash: bytes
    reply: bytes
    access_hash: bytes | None = None


class ResponseStore(Protocol):
    """Where replies are stored."""

    def find(self, ctx: Context, key_hash: bytes) -> StoredResponse | None: ...

    def insert(self, ctx: Context, key_hash: bytes, response: StoredResponse) -> None:
        """Raise IdempotencyKeyInUse if there is one."""

    def access_hash(self, ctx: Context, names: Mapping[str, Any]) -> bytes:
        """The hash of what the actor sees of the records that the request names."""


class Key(Struct, frozen=True):
    """A user's key for one request. All three are keyed with the server's secret, since a request may hold a password."""

    key_hash: bytes
    request_hash: bytes
    reply_secret: bytes

    def stored_response(self, reply: Reply | None, access_hash: bytes) -> StoredResponse:
        """The row for a reply, or for a request whose reply must not be stored."""
        return StoredResponse(self.request_hash, self._encrypt(msgspec.msgpack.encode(reply)) if reply else b"", access_hash)

    def replay(self, response: StoredResponse, access_hash: bytes) -> Reply:
        """The stored reply. Raise Invalid if it is another request's, and IdempotencyKeyInUse if it was not stored or the actor's access
        has changed."""
        if response.request_hash != self.request_hash:
            raise errors.Invalid([FieldError(HEADER, OTHER_REQUEST, "conflict")])
        if not response.reply:
            raise IdempotencyKeyInUse(NOT_STORED)
        if response.access_hash != access_hash:
            raise IdempotencyKeyInUse(ACCESS_CHANGED)
        reply = msgspec.msgpack.decode(self._decrypt(response.reply), type=Reply)
        reply.headers[REPLAYED] = "true"
        return reply

    def _encrypt(self, content: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE_SIZE)
        return nonce + self._mask(nonce, content)

    def _decrypt(self, content: bytes) -> bytes:
        return self._mask(content[:_NONCE_SIZE], content[_NONCE_SIZE:])

    def _mask(self, nonce: bytes, content: bytes) -> bytes:
        """The content XOR the output of SHAKE-256, which is another one for each stored reply."""
        mask = hashlib.shake_256(self.reply_secret + nonce).digest(len(content))
        return (int.from_bytes(content) ^ int.from_bytes(mask)).to_bytes(len(content))


def read_key(header: str) -> str:
    """The key, without its quotes."""
    key = header.strip()
    if not _KEY.fullmatch(key):
        raise errors.BadRequest(f"{HEADER} must have 1 to 255 visible ASCII characters, such as a UUID.")
    return key.strip('"')


def key_of(ctx: Context, key: str, method: str, path: str, values: dict[str, Any]) -> Key:
    """The user's key for this request: its method, path and parameters, and whether another site sent it, which gets no cookie."""
    owner = str(ctx.actor.id) if ctx.actor else "guest"
    request = json.dumps([method, path, values, ctx.caller.is_cross_site], sort_keys=True, default=_upload)
    secret = tokens.derive(ctx.settings, "idempotency", f"{owner} {key}").encode()
    return Key(_hash(b"name", secret), _hash(b"request", secret + request.encode()), _hash(b"reply", secret))


def _hash(purpose: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=32, person=purpose).digest()


def _upload(value: Any) -> list[str]:
    assert isinstance(value, Upload)
    return [value.filename, hashlib.sha256(value.content).hexdigest()]
