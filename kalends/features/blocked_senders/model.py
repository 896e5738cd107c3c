"""Blocked senders: the input and the replies of the API."""

import re
from typing import Annotated

from msgspec import Meta, Struct

from kalends.core.i18n import gettext
from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import CreatedAt, Name, RecordId
from kalends.http.paging import Page

_SENDER = r"@?([A-Za-z0-9._+-]+@)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"


def _check_sender(value: str) -> str:
    if not re.fullmatch(_SENDER, value):
        raise FieldInvalid(gettext("must be an email address, or a domain such as example.org"))
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

    id: RecordId
    sender: Annotated[str, Meta(description="The e-mail address, or the domain with all its subdomains.")]
    note: Annotated[str | None, Meta(description="Why it is blocked.")]
    created_at: CreatedAt


class BlockedSenderIndex(Page):
    blocked_senders: Annotated[list[BlockedSenderItem], Meta(description="The blocked addresses and domains.")]
