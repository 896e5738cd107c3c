"""A write under an Idempotency-Key is done once: its answer is kept with what it wrote, and given to whoever asks again."""

import hashlib
import json
import re
import secrets
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from kalends import errors, tokens
from kalends.context import Context
from kalends.errors import FieldError
from kalends.http.input.fields import Upload

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"

# With or without the quotes that the header's specification wants.
KEY_PATTERN = r'^(?:"[!#-~]{1,255}"|[!#-~]{1,255})$'

_KEY = re.compile(KEY_PATTERN)
_SALT = 16


class IdempotencyKeyInUse(errors.Conflict):
    """Somebody who asked the same under the same key was quicker."""


class Reply(Struct):
    """An answer, before it is sent."""

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str]
    cookies: list[str] = []


class StoredResponse(Struct, frozen=True):
    """What was asked under a key, and what was answered: neither can be read without the key and the server's secret."""

    request: bytes
    reply: bytes


class ResponseStore(Protocol):
    """Where answers are kept."""

    def find(self, ctx: Context, name: bytes) -> StoredResponse | None: ...

    def insert(self, ctx: Context, name: bytes, kept: StoredResponse) -> None:
        """Raise IdempotencyKeyInUse if there is one."""


class Key(Struct, frozen=True):
    """One person's key: what its answer is kept under, what was asked, and what hides the answer."""

    name: bytes
    request: bytes
    secret: bytes

    def kept(self, reply: Reply) -> StoredResponse:
        salt = secrets.token_bytes(_SALT)
        return StoredResponse(self.request, salt + self._masked(salt, msgspec.msgpack.encode(reply)))

    def reply(self, kept: StoredResponse) -> Reply:
        """The same answer again; another request under the same key has none."""
        if kept.request != self.request:
            words = "was used for another request; use a new one for each, and the same one only to try again"
            raise errors.Invalid([FieldError(HEADER, words, "conflict")])
        reply = msgspec.msgpack.decode(self._masked(kept.reply[:_SALT], kept.reply[_SALT:]), type=Reply)
        reply.headers[REPLAYED] = "true"
        return reply

    def _masked(self, salt: bytes, content: bytes) -> bytes:
        """The content under a mask that follows from the key; twice gives it back. An answer may hold a token or a key."""
        mask = hashlib.shake_256(self.secret + salt).digest(len(content))
        return (int.from_bytes(content) ^ int.from_bytes(mask)).to_bytes(len(content))


def read_key(header: str) -> str:
    """The key, without its quotes."""
    key = header.strip()
    if not _KEY.fullmatch(key):
        raise errors.BadRequest(f"{HEADER} must have 1 to 255 visible ASCII characters, such as a UUID.")
    return key.strip('"')


def key_of(ctx: Context, given_key: str, method: str, path: str, given: dict[str, Any]) -> Key:
    """The key of this person for this request: its method, path and parameters, whatever carried them, and whether another site sent
    it, which gets no cookie."""
    whose = str(ctx.actor.id) if ctx.actor else "guest"
    asked = json.dumps([method, path, given, ctx.caller.is_cross_site], sort_keys=True, default=_upload)
    secret = tokens.derive(ctx.settings, "idempotency", f"{whose} {given_key}").encode()
    return Key(_hash(b"name", secret), _hash(b"request", secret + asked.encode()), secret)


def _hash(purpose: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=32, person=purpose).digest()


def _upload(value: Any) -> list[str]:
    assert isinstance(value, Upload)
    return [value.filename, hashlib.sha256(value.content).hexdigest()]
