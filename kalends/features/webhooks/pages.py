"""Pages of webhooks: the list, one with its deliveries, and the secret, which is shown once."""

from typing import Annotated

from msgspec import Meta, Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.webhooks import api
from kalends.features.webhooks.model import MAX_WEBHOOKS, Redelivery, WebhookInput, WebhookSecret
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.input.types import Id
from kalends.http.paging import MAX_PAGE, Paging
from kalends.policy import Right
from kalends.web import labels
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

FIRST_PAGE = Paging()


class RedeliveryForm(Struct, kw_only=True):
    """Which deliveries to send again: one, or those of the last hours."""

    delivery_id: Id | None = None
    hours: Annotated[int, Meta(ge=1, le=720)] | None = None


@page("GET", "/webhooks")
def index(ctx: Context, form: FormState | None = None) -> Document:
    """One's webhooks, and the form to create one."""
    webhooks = api.index(ctx, Paging(limit=MAX_PAGE)).webhooks
    return render(
        "webhooks/index.html",
        ctx,
        title=gettext("Webhooks"),
        form=form,
        webhooks=webhooks,
        names=_calendar_names(ctx, [webhook.calendar_id for webhook in webhooks]),
        max_webhooks=MAX_WEBHOOKS,
    )


@page("POST", "/webhooks", again=index, pool="upload")
def create(ctx: Context, params: Form) -> Document:
    """Create a webhook, and show its secret once."""
    return _show_secret(ctx, api.create(ctx, params.read(WebhookInput)), "Your new webhook")


@page("GET", "/webhooks/{webhook_id}")
def show(
    ctx: Context, webhook_id: int, params: Paging = FIRST_PAGE, form: FormState | None = None, redelivery: FormState | None = None
) -> Document:
    """A webhook: its state, the form to change it, and its deliveries."""
    webhook = api.show(ctx, webhook_id)
    return render(
        "webhooks/show.html",
        ctx,
        title=gettext("Webhook"),
        form=filled(webhook, form),
        webhook=webhook,
        names=_calendar_names(ctx, [webhook.calendar_id]),
        redelivery=structs.replace(redelivery or FormState(), prefix="redelivery-"),
        index=api.deliveries_(ctx, webhook_id, params),
    )


@page("POST", "/webhooks/{webhook_id}/edit", again=show, pool="upload")
def update(ctx: Context, webhook_id: int, params: Form) -> Document:
    """Change a webhook, or switch it on or off."""
    # A browser sends nothing for a group of boxes if none is ticked.
    api.update(ctx, webhook_id, Form({"kinds": ""} | params.values).changes(WebhookInput))
    return redirect(ctx, f"/webhooks/{webhook_id}", done="saved")


@page("POST", "/webhooks/{webhook_id}/ping", again=show, form="redelivery")
def ping(ctx: Context, webhook_id: int, params: Form) -> Document:
    """Send a test delivery."""
    api.ping(ctx, webhook_id)
    return redirect(ctx, f"/webhooks/{webhook_id}#deliveries", done="pinged")


@page("POST", "/webhooks/{webhook_id}/redeliver", again=show, form="redelivery")
def redeliver(ctx: Context, webhook_id: int, params: Form) -> Document:
    """Send one delivery again, or all of the last hours."""
    request = params.read(RedeliveryForm)
    since = None if request.hours is None else str(ctx.now - request.hours * 3600)
    queued = api.redeliver(ctx, webhook_id, Redelivery(delivery_id=request.delivery_id, since=since)).queued
    return redirect(ctx, f"/webhooks/{webhook_id}#deliveries", done="redelivered", count=queued)


@page("POST", "/webhooks/{webhook_id}/rotate_secret")
def rotate_secret(ctx: Context, webhook_id: int, params: Form) -> Document:
    """Make a new secret, and show it once."""
    return _show_secret(ctx, api.rotate_secret(ctx, webhook_id), "The new secret")


@page("GET", "/webhooks/{webhook_id}/delete")
def ask(ctx: Context, webhook_id: int) -> Document:
    """Ask before a webhook is deleted."""
    return render("webhooks/delete.html", ctx, title=gettext("Delete webhook"), webhook=api.show(ctx, webhook_id))


@page("POST", "/webhooks/{webhook_id}/delete")
def destroy(ctx: Context, webhook_id: int, params: Form) -> Document:
    """Delete a webhook."""
    api.destroy(ctx, webhook_id)
    return redirect(ctx, "/webhooks", done="deleted")


def _show_secret(ctx: Context, secret: WebhookSecret, title: str) -> Document:
    ctx.headers["Cache-Control"] = "no-store"
    return render("webhooks/secret.html", ctx, title=title, webhook=secret, secret=secret.secret)


def _calendar_names(ctx: Context, calendar_ids: list[int | None]) -> dict[int, str]:
    """The calendars to choose from: one's own, and those that webhooks are for already."""
    names = {calendar.id: labels.calendar_name(ctx, calendar.name) for calendar in policy.member_calendars(ctx)}
    for calendar_id in {each for each in calendar_ids if each is not None and each not in names}:
        try:
            names[calendar_id] = policy.calendar(ctx, calendar_id, to=Right.SEE).name
        except errors.NotFound:
            names[calendar_id] = "A calendar that you cannot see any more"
    return names
