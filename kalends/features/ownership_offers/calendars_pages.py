"""Pages on which a calendar is offered to somebody else, and such an offer accepted."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.calendars import ownership_api
from kalends.features.ownership_offers import api
from kalends.features.ownership_offers.model import OfferAnswer, OfferInput
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import MAX_PAGE, Paging
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/calendars/offers")
def index(ctx: Context, form: FormState | None = None, answered_id: int | None = None) -> Document:
    """The calendars that are offered to one, and those that one offers. form: what is wrong with an answer."""
    user = policy.user(ctx)
    listed = api.index(ctx, Paging(limit=MAX_PAGE))
    to_me = [each for each in listed.ownership_offers if each.user.id == user.id]
    states = {each.id: form if form and each.id == answered_id else FormState() for each in to_me}
    return render(
        "ownership_offers/index.html",
        ctx,
        title=gettext("Offered calendars"),
        to_me=[(each, structs.replace(states[each.id], prefix=f"offer{each.id}-")) for each in to_me],
        problem=form if form and answered_id not in states else FormState(),
        by_me=[each for each in listed.ownership_offers if each.offered_by.id == user.id],
        ownerless=listed.ownerless_calendars or [],
        needs_password=not policy.is_recent(ctx),
    )


def index_again(ctx: Context, offer_id: int, form: FormState) -> Document:
    """The page, with what is wrong."""
    return index(ctx, form, offer_id)


@page("POST", "/calendars/offers/{offer_id}", again=index_again, pool="hash")
def answer(ctx: Context, offer_id: int, params: Form) -> Document:
    """Accept or decline a calendar."""
    answered = api.update(ctx, offer_id, params.read(OfferAnswer))
    if answered.accepted:
        return redirect(ctx, f"/calendars/{answered.calendar_id}", done="offer-accepted")
    return redirect(ctx, "/calendars/offers", done="offer-declined")


@page("POST", "/calendars/offers/{offer_id}/withdraw", again=index_again)
def withdraw(ctx: Context, offer_id: int, params: Form) -> Document:
    """Withdraw an offer."""
    api.destroy(ctx, offer_id)
    return redirect(ctx, "/calendars/offers", done="offer-withdrawn")


@page("GET", "/calendars/{calendar_id}/ownership")
def ask(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """Ask to whom a calendar is offered."""
    calendar = policy.calendar_to_hand_over(ctx, calendar_id)
    return render(
        "ownership_offers/new.html",
        ctx,
        title=gettext("Hand over calendar"),
        calendar=calendar,
        form=form or FormState({}),
        needs_password=not policy.is_recent(ctx),
    )


@page("POST", "/calendars/{calendar_id}/ownership", again=ask, pool="hash")
def offer(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Offer a calendar to somebody else."""
    ownership_api.offer(ctx, calendar_id, params.read(OfferInput))
    return redirect(ctx, "/calendars/offers", done="offered")
