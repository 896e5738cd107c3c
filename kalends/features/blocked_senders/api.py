"""Blocked senders: addresses and domains of guests from which the site keeps nothing."""

import re
from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.administration import BlockedSender
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.blocked_senders import store
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import CreatedAt, Deletion, Name, RecordId
from kalends.http.paging import Page, Paging, build_page

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


@endpoint("GET", "/api/blocked_senders", for_admins=True)
def index(ctx: Context, params: Paging) -> BlockedSenderIndex:
    """The blocked addresses and domains, newest first; for admins."""
    policy.admin(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, params), lambda: store.count(ctx))
    return BlockedSenderIndex([_item(row) for row in rows], **page)


@endpoint("POST", "/api/blocked_senders", status=201)
def create(ctx: Context, params: BlockedSenderInput) -> BlockedSenderItem:
    """Block an e-mail address, or a domain with all its subdomains; for admins.

    What a guest sends from it, a response, comment, subscription or report, gets the usual reply; nothing is stored and nothing is sent.
    Accounts are not affected: suspend them. A sender that is blocked already gets the new note.
    """
    policy.admin(ctx)
    sender = store.insert(ctx, params.sender, params.note)
    audit.record(ctx, "sender_blocked", "sender", sender.id)
    return _item(sender)


@endpoint("DELETE", "/api/blocked_senders/{sender_id}")
def destroy(ctx: Context, sender_id: int) -> Deletion:
    """Accept again what this address or domain sends; for admins."""
    policy.admin(ctx)
    store.delete(ctx, sender_id)
    audit.record(ctx, "sender_accepted", "sender", sender_id)
    return Deletion([sender_id])


def _item(row: BlockedSender) -> BlockedSenderItem:
    return BlockedSenderItem(id=row.id, sender=row.sender, note=row.note, created_at=timestamps.format_utc(row.created_at))
