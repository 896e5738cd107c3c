"""Queueing e-mail to guests on a waiting list. An organiser who opens and closes places again and again must not flood anybody."""

from kalends.core.records.delivery import PlaceNotice
from kalends.features.deliveries import place_notice_store as store
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries.steps import limits
from kalends.features.deliveries.store import find_flooded
from kalends.http.context import Context, Message


def insert(ctx: Context, event_id: int, response_ids: list[int], notice: PlaceNotice) -> None:
    """Queue the notice for each of the responses, except for addresses that got too many in this hour, or today without an answer, and
    for strangers beyond the organiser's limit of invitations."""
    if not response_ids:
        return
    owner_id, public = store.find_event(ctx, event_id)
    recipients = store.find_recipients(ctx, response_ids)
    addresses = {address for _, address in recipients}
    skipped = find_flooded(ctx, addresses, ("notice",)) | reactions.find_limited(ctx, owner_id, event_id, "notice", addresses)
    skipped |= limits.count_strangers(ctx, owner_id, [address for _, address in recipients if address not in skipped])
    reached = [(response_id, address) for response_id, address in recipients if address not in skipped]
    store.insert(ctx, event_id, owner_id, reached, notice, public=public)
    for _, address in reached:
        ctx.add_message(Message("notice", "email", address))
