"""Offering a calendar to another user."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.calendars import ownership_steps as ownership
from kalends.features.calendars import ownership_store as store
from kalends.features.calendars import present
from kalends.features.calendars.api import count_share
from kalends.features.deliveries import store as deliveries
from kalends.features.ownership_offers.model import OfferInput, OfferItem
from kalends.features.sessions.steps import credentials
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint


@endpoint(
    "POST",
    "/api/calendars/{calendar_id}/ownership_offers",
    status=201,
    transaction=False,
    pool="hash",
)
def offer(ctx: Context, calendar_id: int, params: OfferInput) -> OfferItem:
    """Offer the calendar to another user, who gets mail and has 14 days to accept it. Until then it stays yours; then you are a manager.

    Its owner may; of a calendar whose owner is suspended, an admin. An offer to somebody else ends. A primary calendar cannot be handed
    over (409). This requires a session that was opened within the last hour, in any way but with a key, or `current_password`.
    """
    with ctx.read():
        policy.calendar_to_hand_over(ctx, calendar_id)
        user = users.get(ctx, policy.user(ctx).id)
    credentials.confirm_recent(ctx, user, params.current_password)
    count_share(ctx)
    with ctx.write():
        ctx.tx.advisory_lock(f"calendar {calendar_id}")
        calendar = policy.calendar_to_hand_over(ctx, calendar_id)
        recipient = policy.required_user(ctx, params.user_name)
        if recipient.id in (user.id, calendar.owner_id) or recipient.status != "active":
            raise errors.invalid("user_name", gettext("must be someone else with an active account"), "conflict")
        offer_id = store.insert_offer(ctx, calendar_id, recipient.id, user.id)
        if not policy.is_blocked(ctx, user.id, by=recipient.id):
            cause = ownership.cause(calendar_id, offer_id)
            address, user_name = recipient.email_address, recipient.user_name if "@" not in params.user_name else None
            deliveries.insert_notice(ctx, user, "ownership_offered", address=address, cause=cause, user_name=user_name)
        return present.offer_item(policy.ownership_offer(ctx, offer_id))
