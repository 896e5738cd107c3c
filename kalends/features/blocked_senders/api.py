"""Blocked senders: addresses and domains of guests from which the site keeps nothing."""

from msgspec import UNSET

from kalends import policy
from kalends.core.records.administration import BlockedSender
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.blocked_senders import store
from kalends.features.blocked_senders.model import BlockedSenderIndex, BlockedSenderInput, BlockedSenderItem
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, paginate


@endpoint("GET", "/api/blocked_senders", for_admins=True)
def index(ctx: Context, params: Paging) -> BlockedSenderIndex:
    """The blocked addresses and domains, newest first; for admins."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, params))
    total = store.count(ctx) if params.count else UNSET
    return BlockedSenderIndex([_item(row) for row in rows], limit=params.size, offset=params.offset, next=next_page, total=total)


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
