"""Getting no more messages about an event, or from an organiser, without signing in: from a link, or by one click (RFC 8058)."""

from typing import Literal

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery, Purpose
from kalends.features.deliveries import refusal_store as refusals
from kalends.features.deliveries import store
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.rules.recipient_links import INCOMPLETE, parse_stop_token
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.render import render


class StopInput(Struct, kw_only=True):
    """What to unsubscribe from: this event (one-click), or all mail of the organiser."""

    of: Literal["event", "organiser"] = "event"


@page("GET", "/deliveries/stop/{stop_token}", guests=True, credentials=False)
def ask(ctx: Context, stop_token: str) -> Document:
    """Ask before anything is stopped: programs that open links must not stop it."""
    delivery, _ = _load(ctx, stop_token)
    return render("deliveries/stop.html", ctx, title=gettext("Addresses that get no messages"), delivery=delivery, is_stopped=False)


@page("POST", "/deliveries/stop/{stop_token}", guests=True, credentials=False, by_link=True)
def stop(ctx: Context, stop_token: str, params: Form) -> Document:
    """Suppress the address; doing so twice changes nothing."""
    delivery, purpose = _load(ctx, stop_token)
    is_event = params.without("List-Unsubscribe").read(StopInput).of == "event" and not delivery.is_about_share
    for event_id in suppressions.find_events_of(ctx, delivery) if is_event else [None]:
        suppressions.insert(ctx, purpose, "unsubscribed", delivery.channel, delivery.address, owner_id=delivery.owner_id, event_id=event_id)
    refusals.record_for_delivery(ctx, delivery)
    return render("deliveries/stop.html", ctx, title=gettext("Stopped"), delivery=delivery, is_stopped=True)


def _load(ctx: Context, token: str) -> tuple[Delivery, Purpose]:
    delivery_id = parse_stop_token(ctx.settings, token)
    delivery = store.get(ctx, delivery_id) if delivery_id is not None else None
    purpose = suppressions.purpose_of(delivery) if delivery else None
    if delivery is None or purpose is None:
        raise errors.NotFound(INCOMPLETE)
    return delivery, purpose
