"""Blocked senders: the input and the replies of the API."""

import re
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import Instant, Name
from kalends.i18n import gettext

_SENDER = r"@?([A-Za-z0-9._+-]+@)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"


def _check_sender(value: str) -> str:
    if not re.fullmatch(_SENDER, value):
        raise FieldInvalid(gettext("must be an e-mail address, or a domain such as example.org"))
    return value.removeprefix("@")


Sender = Annotated[
    str,
    Meta(max_length=254, description="An e-mail address, or a domain with all its subdomains.", examples=["spam@example.org"]),
    FieldOptions(check=_check_sender, schema={"pattern": f"^{_SENDER}$"}),
]


class BlockedSenderInput(Struct, kw_only=True):
    """An address or a domain to block."""

    sender: Sender
    note: Annotated[Name, Meta(description="Why it is blocked, for admins.")] | None = None


class BlockedSenderItem(Struct, kw_only=True):
    """A blocked address or domain."""

    id: int
    sender: str
    note: str | None
    created_at: Instant


class BlockedSenderIndex(Struct):
    blocked_senders: list[BlockedSenderItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
