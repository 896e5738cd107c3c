"""API write keys: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import Secret, StructOptions
from kalends.http.input.types import Instant, Name
from kalends.records.key import KeyKind
from kalends.users.model import CurrentPassword


class KeyInput(Struct, kw_only=True):
    """The editable fields of a key."""

    name: Annotated[Name, Meta(description="What the key is for.", examples=["backup"])]
    kind: KeyKind = "api"


class KeyRequest(KeyInput, kw_only=True):
    """A new key, with the password where it is required."""

    # A wish for a scope or an expiry must not be ignored.
    OPTIONS: ClassVar = StructOptions(refuses_unknown=True)

    current_password: CurrentPassword | None = None


class KeyItem(Struct):
    """A key without its secrets."""

    id: str
    name: str
    created_at: Instant
    kind: KeyKind
    last_used_at: Instant | None


class KeyCreated(Struct):
    """A new key; `wkey` and `shared_secret` are sent this once. An app password has no `shared_secret`."""

    id: str
    name: str
    wkey: Secret
    shared_secret: Secret | None
    created_at: Instant
    kind: KeyKind


class KeyIndex(Struct):
    """A page of keys."""

    keys: list[KeyItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
