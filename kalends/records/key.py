"""The row of an API write key."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

KeyKind = Annotated[
    Literal["api", "dav"],
    Meta(description="What the key opens: the API, or CalDAV with it as the password of a device (an app password)."),
]


class Key(Struct, frozen=True):
    """A row of the table `keys`."""

    id: str
    user_id: int
    name: str
    created_at: int
    kind: KeyKind = "api"
    # To the hour; None if it was never used.
    last_used_at: int | None = None
