"""Deliveries: the messages about your events, their recipients and states."""

from msgspec import UNSET

from kalends import policy
from kalends.context import Context
from kalends.deliveries import present, store
from kalends.deliveries.model import DeliveryIndex, DeliveryQuery
from kalends.http.endpoint import endpoint
from kalends.http.paging import page
from kalends.policy import Right


@endpoint("GET", "/api/deliveries")
def index(ctx: Context, params: DeliveryQuery) -> DeliveryIndex:
    """The deliveries of your events, newest first; with `event_id`, of an event that you may edit."""
    policy.user(ctx)
    if params.event_id is not None:
        policy.event(ctx, params.event_id, to=Right.EDIT)
    rows, next_page = page(ctx, params, store.index(ctx, params))
    total = store.count(ctx, params) if params.count else UNSET
    return DeliveryIndex([present.item(delivery) for delivery in rows], params.size, params.offset, next_page, total)
