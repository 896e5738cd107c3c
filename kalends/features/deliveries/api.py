"""Deliveries: the messages about your events, their recipients and states."""

from kalends import policy
from kalends.core import errors
from kalends.core.records.delivery import Delivery
from kalends.core.values import timestamps
from kalends.features.deliveries import present, store
from kalends.features.deliveries import suppression_store as suppressed
from kalends.features.deliveries.model import DeliveryIndex, DeliveryItem, DeliveryQuery, SuppressionIndex
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, build_page
from kalends.policy import Right


@endpoint("GET", "/api/deliveries")
def index(ctx: Context, params: DeliveryQuery) -> DeliveryIndex:
    """The deliveries of your events, newest first; with `event_id`, of an event that you may edit."""
    policy.user(ctx)
    if params.event_id is not None:
        with errors.naming("event_id"):
            policy.event(ctx, params.event_id, to=Right.EDIT)
    rows, page = build_page(ctx, params, store.index(ctx, params), lambda: store.count(ctx, params))
    return DeliveryIndex([_item(delivery) for delivery in rows], **page)


@endpoint("GET", "/api/deliveries/suppressions")
def suppressions(ctx: Context, params: Paging) -> SuppressionIndex:
    """The addresses that get no more of your messages, newest first: they want none, or a mail server refused them permanently."""
    owner = policy.user(ctx)
    rows, page = build_page(
        ctx, params, suppressed.index(ctx, owner.id, params.fetch, params.offset), lambda: suppressed.count(ctx, owner.id)
    )
    return SuppressionIndex([present.suppression(each) for each in rows], **page)


@endpoint("DELETE", "/api/deliveries/suppressions/{suppression_id}")
def lift(ctx: Context, suppression_id: int) -> Deletion:
    """Send to the address again. 409 if the recipient asked for no more messages: only they can take that back."""
    suppressed.lift(ctx, policy.suppression(ctx, suppression_id).id)
    return Deletion([suppression_id])


def _item(delivery: Delivery) -> DeliveryItem:
    return DeliveryItem(
        id=delivery.id,
        event_id=delivery.event_id,
        kind=delivery.kind,
        notice=delivery.notice,
        channel=delivery.channel,
        address=delivery.address,
        state=delivery.state,
        attempts=delivery.attempts,
        error=delivery.error,
        created_at=timestamps.format_utc(delivery.created_at),
        updated_at=timestamps.format_utc(delivery.updated_at),
    )
