"""Sessions: the sets of credentials that open one, and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.features.passkeys.model import PasskeyResponse
from kalends.features.users.totp.model import Code
from kalends.http.input.options import FieldOptions, Secret, StructOptions
from kalends.http.input.types import CreatedAt, Instant, NameOrAddress


class Credentials(Struct, kw_only=True):
    """Exactly one set: user_name and password, or ticket and code, or passkey, or wkey, or digest and timestamp."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            **dict.fromkeys(("user_name", "ticket", "code", "wkey", "digest", "timestamp"), "counts as missing if it is white space alone"),
            "password": "is required with a user_name, or if there is no other set",
        },
        alternatives=(("user_name", "password"), ("ticket", "code"), ("passkey",), ("wkey",), ("digest", "timestamp")),
    )

    user_name: NameOrAddress | None = None
    password: Annotated[str, Meta(max_length=256, description="The user's password."), FieldOptions(keep_whitespace=True)] | None = None
    ticket: Annotated[str, Meta(max_length=200, description="The ticket of the reply `second-factor-required`.")] | None = None
    code: Code | None = None
    passkey: PasskeyResponse | None = None
    wkey: Annotated[str, Meta(max_length=200, description="API write key.")] | None = None
    digest: Annotated[str, Meta(max_length=200, description="`<key id>.<hex HMAC-SHA256(shared_secret, timestamp)>`")] | None = None
    timestamp: Annotated[str, Meta(max_length=64, description="Unix seconds or an RFC 3339 instant, as signed.")] | None = None
    cookie: Annotated[bool, Meta(description="Set the session cookie for a program too; browsers always get it.")] = False


class SessionCreated(Struct):
    """A new session; the token is sent this once."""

    id: Annotated[str, Meta(description="Id of the record.")]
    user_id: Annotated[int, Meta(description="Id of the user.")]
    user_name: Annotated[str, Meta(description="User name.")]
    token: Annotated[Secret, Meta(description="The session token. It is shown once.")]
    expires_at: Annotated[Instant, Meta(description="When the session ends, in UTC.")]


class SessionDetail(Struct, kw_only=True):
    """A live session, or the key that is used without one; `key_id` is the key that opened the session."""

    id: Annotated[str | None, Meta(description="Id of the record.")]
    user_id: Annotated[int, Meta(description="Id of the user.")]
    user_name: Annotated[str, Meta(description="User name.")]
    key_id: Annotated[str | None, Meta(description="Id of the key that was used; null for a session.")]
    created_at: CreatedAt
    expires_at: Annotated[Instant | None, Meta(description="When the session ends, in UTC.")] = None
