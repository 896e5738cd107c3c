"""Offers to hand over a calendar to another user, who accepts or declines."""

from msgspec import UNSET, structs

from kalends import policy
from kalends.core.records.calendar import OwnershipOffer
from kalends.features.calendars import ownership_steps as ownership
from kalends.features.calendars import ownership_store as store
from kalends.features.calendars import present
from kalends.features.deliveries import store as deliveries
from kalends.features.ownership_offers.model import AnsweredOffer, OfferAnswer, OfferIndex, OfferItem
from kalends.features.sessions.steps import credentials
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import quotas


@endpoint("GET", "/api/ownership_offers")
def index(ctx: Context, params: Paging) -> OfferIndex:
    """The calendars that are offered to you, and those that you offer. For admins, also the calendars whose owner is suspended."""
    page, fields = slice_page(ctx, params, [present.offer_item(each) for each in policy.ownership_offers(ctx)])
    ownerless = [present.item(each) for each in policy.ownerless_calendars(ctx)] if policy.is_admin(ctx) else UNSET
    return OfferIndex(ownership_offers=page, ownerless_calendars=ownerless, **fields)


@endpoint("GET", "/api/ownership_offers/{offer_id}")
def show(ctx: Context, offer_id: int) -> OfferItem:
    """An offer to you, or one that you made."""
    return present.offer_item(policy.ownership_offer(ctx, offer_id))


@endpoint("PUT", "/api/ownership_offers/{offer_id}", transaction=False, pool="hash")
def update(ctx: Context, offer_id: int, params: OfferAnswer) -> AnsweredOffer:
    """Accept or decline a calendar that is offered to you.

    Accepted, the calendar and the events of its former owner on it are yours, and count in your quota. The former owner is a manager. Ids,
    feeds, links of guests, responses, webhooks and cursors stay valid. To accept requires a session that was opened within the last hour,
    in any way but with a key, or `current_password`.
    """
    with ctx.read():
        offer = policy.offer_to_me(ctx, offer_id)
        user = users.get(ctx, policy.user(ctx).id)
    answered = AnsweredOffer(**structs.asdict(present.offer_item(offer)), accepted=params.accepted)
    if not params.accepted:
        with ctx.write():
            _lock(ctx, offer)
            store.delete_offer(ctx, policy.offer_to_me(ctx, offer_id).id)
        return answered
    credentials.confirm_recent(ctx, user, params.current_password)
    with ctx.write(is_last=False):
        _accept(ctx, offer_id)
    ownership.hand_over_rest(ctx, offer.calendar_id, offer.owner_id, offer.user_id)
    with ctx.write():
        return answered


def _accept(ctx: Context, offer_id: int) -> None:
    """Make the calendar that of the actor, and its former owner a manager."""
    _lock(ctx, policy.offer_to_me(ctx, offer_id))
    offer = policy.offer_to_me(ctx, offer_id)
    quotas.check(ctx, offer.user_id, "calendars", 1, 0)
    quotas.check(ctx, offer.user_id, "events", *store.find_size(ctx, offer.calendar_id, offer.owner_id))
    ownership.hand_over_to(ctx, offer.calendar_id, offer.owner_id, offer.user_id)
    new, former = users.get(ctx, offer.user_id), users.get(ctx, offer.owner_id)
    cause = ownership.cause(offer.calendar_id, offer.id)
    deliveries.insert_notice(ctx, new, "ownership_accepted", address=former.email_address, cause=cause)


@endpoint("DELETE", "/api/ownership_offers/{offer_id}")
def destroy(ctx: Context, offer_id: int) -> Deletion:
    """Withdraw an offer that you made."""
    _lock(ctx, policy.offer_by_me(ctx, offer_id))
    store.delete_offer(ctx, policy.offer_by_me(ctx, offer_id).id)
    return Deletion([offer_id])


def _lock(ctx: Context, offer: OwnershipOffer) -> None:
    """Wait for whoever accepts or ends the offer now; it must be read again afterwards."""
    ctx.tx.advisory_lock(f"calendar {offer.calendar_id}")
