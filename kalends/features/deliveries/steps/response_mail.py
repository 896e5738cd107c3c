"""Queueing mail to guests about their responses. The limits of send_to_me hold, but a response counts without its mail, too."""

from kalends.core.records.delivery import EditorNotice
from kalends.core.records.event import Event
from kalends.features.deliveries import response_mail_store as response_mails
from kalends.features.deliveries.steps import limits
from kalends.features.deliveries.store import MAX_SENDS_PER_HOUR
from kalends.http.context import Context

MAX_LINKS_PER_HOUR = 3


def insert(
    ctx: Context,
    event: Event,
    address: str,
    *,
    response_id: int | None = None,
    proposal_id: int | None = None,
    notice: EditorNotice | None = None,
) -> bool:
    """Queue mail about a response, or about a proposal if there is one. What is queued already is sent once; return False if the
    address has got as many as it may in an hour.

    notice: that an editor changed the response.
    """
    if not limits.may_mail_guest(ctx, event.owner_id):
        return False
    if proposal_id:
        return response_mails.insert(ctx, event, address, "proposal", None, proposal_id, MAX_SENDS_PER_HOUR)
    return response_mails.insert(ctx, event, address, "response", response_id, None, MAX_SENDS_PER_HOUR, notice)


def insert_removal(ctx: Context, event: Event, address: str) -> None:
    """Queue mail about a response that an editor has removed."""
    if limits.may_mail_guest(ctx, event.owner_id):
        response_mails.insert(ctx, event, address, "response", None, None, MAX_SENDS_PER_HOUR, "response_removed")


def insert_link(ctx: Context, event: Event, address: str) -> None:
    """Queue mail with the personal link, whether or not the address has responded: who sends it finds out."""
    if limits.may_mail_guest(ctx, event.owner_id):
        response_mails.insert(ctx, event, address, "link", None, None, MAX_LINKS_PER_HOUR)
