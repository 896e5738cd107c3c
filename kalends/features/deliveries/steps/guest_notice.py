"""Queueing messages to guests: about an event, each address once for one cause; about their places, so that an organiser who opens and
closes places again and again floods nobody; and about their responses, which count without their mail, too."""

from typing import Literal

from kalends.core.records.delivery import EditorNotice, PlaceNotice
from kalends.core.records.event import Event
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries import response_mail_store as response_mails
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.model import Notified, Recipient
from kalends.features.deliveries.steps import limits
from kalends.features.deliveries.store import MAX_SENDS_PER_HOUR, NOTICES, find_flooded, mailbox
from kalends.http.context import Context, Message

Kind = Literal["change", "cancel", "message", "reminder", "invitation"]

MAX_LINKS_PER_HOUR = 3


def insert(ctx: Context, event: Event, kind: Kind, cause: str, recipients: list[Recipient], *, due_at: int | None = None) -> Notified:
    """Queue the message of this kind for each of the recipients who has none for the same cause; who is suppressed is skipped.

    cause: names the reason for the message, such as `reminder:3:17:1700000000`. Who has a message for it already counts as notified.
    """
    notified, suppressed = insert_each(ctx, event, kind, cause, recipients, due_at=due_at)
    channels = [channel for channel, _ in notified]
    return Notified(channels.count("email"), channels.count("sms"), len(suppressed))


def insert_each(
    ctx: Context,
    event: Event,
    kind: Kind,
    cause: str,
    recipients: list[Recipient],
    *,
    due_at: int | None = None,
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Queue the messages; return the channels and addresses that get one, and those that are suppressed or are strangers beyond the
    organiser's limit of invitations.

    A message that waits already is about the event, too, and is sent at the later time."""
    everyone = {(each.channel, each.address): each for each in recipients}
    suppressed = suppressions.find_suppressed(ctx, event.owner_id, event.id, suppressions.PURPOSES[kind], set(everyone))
    reached = [address for channel, address in everyone if channel == "email" and (channel, address) not in suppressed]
    if kind == "invitation":
        # These are counted by the action that invites.
        reactions.record_counted(ctx, event.owner_id, reached)
    else:
        suppressed |= {("email", address) for address in limits.count_strangers(ctx, event.owner_id, reached)}
    due_at = ctx.now if due_at is None else due_at
    notified = [each for key, each in everyone.items() if key not in suppressed]
    batches.insert(ctx, event.owner_id, cause, [_row(ctx, event, kind, cause, each, due_at) for each in notified])
    for each in notified:
        ctx.add_message(Message(kind, each.channel, each.address, each.group), cause)
    return set(everyone) - suppressed, suppressed


def find_reachable(ctx: Context, event: Event, kind: Kind, recipients: list[Recipient]) -> list[Recipient]:
    """The recipients who want such messages, whose address works, and who did not get too many in this hour, or today without an answer."""
    everyone = {(each.channel, each.address) for each in recipients}
    suppressed = suppressions.find_suppressed(ctx, event.owner_id, event.id, suppressions.PURPOSES[kind], everyone)
    addresses = {each.address for each in recipients}
    flooded = find_flooded(ctx, addresses, ("invitation",) if kind == "invitation" else NOTICES)
    if kind != "invitation":
        flooded |= reactions.find_limited(ctx, event.owner_id, event.id, kind, addresses)
    return [each for each in recipients if (each.channel, each.address) not in suppressed and each.address not in flooded]


def find_recipients(ctx: Context, cause: str) -> set[tuple[str, str]]:
    """The channels and addresses that have a message for the cause."""
    return {(channel, address) for _, channel, address in batches.find_recipients(ctx, cause)}


def _row(ctx: Context, event: Event, kind: Kind, cause: str, recipient: Recipient, due_at: int) -> dict[str, object]:
    return {
        "address": recipient.address,
        "response_id": recipient.response_id,
        "channel": recipient.channel,
        "owner_id": event.owner_id,
        "event_id": event.id,
        "kind": kind,
        "address_key": mailbox(recipient.address),
        "public": event.is_open,
        "cause": cause,
        "event_ids": ",".join(map(str, recipient.event_ids)) or None,
        "due_at": due_at,
        "now": ctx.now,
    }


def insert_place(ctx: Context, event_id: int, response_ids: list[int], notice: PlaceNotice) -> None:
    """Queue the notice for each of the responses, except for addresses that got too many in this hour, or today without an answer, and
    for strangers beyond the organiser's limit of invitations."""
    if not response_ids:
        return
    owner_id, public = response_mails.find_event(ctx, event_id)
    recipients = response_mails.find_recipients(ctx, response_ids)
    addresses = {address for _, address in recipients}
    skipped = find_flooded(ctx, addresses, ("notice",)) | reactions.find_limited(ctx, owner_id, event_id, "notice", addresses)
    skipped |= limits.count_strangers(ctx, owner_id, [address for _, address in recipients if address not in skipped])
    reached = [(response_id, address) for response_id, address in recipients if address not in skipped]
    response_mails.insert_notices(ctx, event_id, owner_id, reached, notice, public=public)
    for _, address in reached:
        ctx.add_message(Message("notice", "email", address))


def insert_response(
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
