"""The page of the deliveries of one's events."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.deliveries import api
from kalends.features.deliveries.model import DeliveryQuery
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web.forms import filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/deliveries")
def index(ctx: Context, params: DeliveryQuery) -> Document:
    """The deliveries of one's events, newest first; those of one event, or in one state."""
    policy.user(ctx)
    deliveries = api.index(ctx, params)
    events = policy.visible_events(ctx, [params.event_id, *(each.event_id for each in deliveries.deliveries)])
    form = filled({"state": params.state, "event_id": params.event_id})
    return render("deliveries/index.html", ctx, title=gettext("Sent messages"), form=form, index=deliveries, events=events)


@page("GET", "/deliveries/suppressions")
def suppressions(ctx: Context, params: Paging) -> Document:
    """The addresses that get no more of one's messages."""
    policy.user(ctx)
    listed = api.suppressions(ctx, params)
    events = policy.visible_events(ctx, [each.event_id for each in listed.suppressions])
    return render("deliveries/suppressions.html", ctx, title=gettext("Addresses that get no messages"), index=listed, events=events)


@page("POST", "/deliveries/suppressions/{suppression_id}/lift")
def lift(ctx: Context, suppression_id: int, params: Form) -> Document:
    """Send to the address again."""
    api.lift(ctx, suppression_id)
    return redirect(ctx, "/deliveries/suppressions", done="saved")
