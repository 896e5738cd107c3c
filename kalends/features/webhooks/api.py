"""Webhooks: changes are sent to a URL of yours as they happen."""

from typing import cast

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.net.post import AddressRefused, PostFailed, check_url
from kalends.core.records.change import Kind, Webhook, WebhookDelivery
from kalends.core.values import timestamps
from kalends.features.changes import journal_store as journal
from kalends.features.deliveries import store as deliveries
from kalends.features.users import store as users
from kalends.features.webhooks import store
from kalends.features.webhooks.model import (
    MAX_WEBHOOKS,
    Redelivery,
    WebhookDeliveryIndex,
    WebhookDeliveryItem,
    WebhookIndex,
    WebhookInput,
    WebhookItem,
    WebhookQueued,
    WebhookSecret,
)
from kalends.features.webhooks.rules import signature
from kalends.features.webhooks.store import NewDelivery
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, build_page
from kalends.policy import Right

# How long the name in a URL may take to resolve.
RESOLVE_SECONDS = 2


@endpoint("GET", "/api/webhooks")
def index(ctx: Context, params: Paging) -> WebhookIndex:
    """Your webhooks, without their secrets."""
    user = policy.user(ctx)
    webhooks, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return WebhookIndex(webhooks=[_item(webhook) for webhook in webhooks], **page)


@endpoint("POST", "/api/webhooks", status=201, location="/api/webhooks/{id}", transaction=False, pool="upload")
def create(ctx: Context, params: WebhookInput) -> WebhookSecret:
    """Create a webhook: what changes from now on, as `GET /api/changes` would list it to you, is sent to its `url`. The `secret` is in
    this reply only: store it, and verify each delivery with it. You are notified by mail. An account has at most 10 webhooks."""
    with ctx.read():
        user = users.get(ctx, policy.user(ctx).id)
        policy.require_webhooks(ctx)
    _check_url(ctx, params.url)
    with ctx.write():
        _require_calendar(ctx, params)
        users.lock(ctx, user)
        if store.count(ctx, user.id) >= MAX_WEBHOOKS:
            raise errors.QuotaReached(gettext("You have %(max)s webhooks, which is the limit. Delete one first.", max=MAX_WEBHOOKS))
        webhook_id = store.insert(ctx, user.id, params, journal.find_journal(ctx), policy.current_key_id(ctx))
        deliveries.insert_account_mail(ctx, user, "notice", "webhook_created")
        return _with_secret(ctx, webhook_id)


@endpoint("GET", "/api/webhooks/{webhook_id}")
def show(ctx: Context, webhook_id: int) -> WebhookItem:
    """A webhook, without its secret."""
    return _item(policy.webhook(ctx, webhook_id))


@endpoint("PUT", "/api/webhooks/{webhook_id}", transaction=False, pool="upload")
def update(ctx: Context, webhook_id: int, params: Changes[WebhookInput]) -> WebhookItem:
    """Change the webhook, or enable it again: it goes on where it stopped, and misses nothing as long as the history lasts."""
    with ctx.read():
        policy.webhook(ctx, webhook_id)
        policy.require_webhooks(ctx)
    if "url" in params:
        _check_url(ctx, params.get("url"))
    with ctx.write():
        webhook = policy.webhook(ctx, webhook_id)
        changed = params.over(_editable(webhook))
        if changed.calendar_id != webhook.calendar_id:
            _require_calendar(ctx, changed)
        store.update(ctx, webhook, changed, policy.current_key_id(ctx))
        return _item(policy.webhook(ctx, webhook_id))


@endpoint("POST", "/api/webhooks/{webhook_id}/rotate_secret")
def rotate_secret(ctx: Context, webhook_id: int) -> WebhookSecret:
    """Make a new secret, which is in this reply only. For 24 hours, deliveries are signed with both secrets."""
    store.rotate_secret(ctx, policy.webhook(ctx, webhook_id).id, policy.current_key_id(ctx))
    return _with_secret(ctx, webhook_id)


@endpoint("DELETE", "/api/webhooks/{webhook_id}")
def destroy(ctx: Context, webhook_id: int) -> Deletion:
    """Delete the webhook. Nothing more is sent."""
    store.delete(ctx, policy.webhook(ctx, webhook_id).id)
    return Deletion([webhook_id])


@endpoint("POST", "/api/webhooks/{webhook_id}/ping", status=202)
def ping(ctx: Context, webhook_id: int) -> WebhookQueued:
    """Send a delivery of the type `ping` at once, before all others, and once. Its outcome is in the list of deliveries."""
    webhook = _load_enabled(ctx, webhook_id)
    store.insert_deliveries(ctx, webhook.id, [NewDelivery("ping", None, (webhook.tx, webhook.entry_id))])
    store.try_now(ctx, webhook.id)
    return WebhookQueued(1)


@endpoint("GET", "/api/webhooks/{webhook_id}/deliveries")
def deliveries_(ctx: Context, webhook_id: int, params: Paging) -> WebhookDeliveryIndex:
    """The deliveries of the last 30 days, newest first: the status and the time of the last attempt, never the content."""
    webhook = policy.webhook(ctx, webhook_id)
    rows, page = build_page(ctx, params, store.index_deliveries(ctx, webhook.id, params), lambda: store.count_deliveries(ctx, webhook.id))
    return WebhookDeliveryIndex([_delivery_item(row) for row in rows], **page)


@endpoint("POST", "/api/webhooks/{webhook_id}/redeliver", status=202)
def redeliver(ctx: Context, webhook_id: int, params: Redelivery) -> WebhookQueued:
    """Send one delivery again, or all of the last 30 days `since` a time. Each keeps its `webhook-id`, and has the record as it is now."""
    webhook = _load_enabled(ctx, webhook_id)
    if params.delivery_id is not None:
        queued = store.redeliver(ctx, webhook.id, params.delivery_id)
        if not queued:
            raise errors.invalid("delivery_id", gettext("isn’t a delivery of this webhook. GET …/deliveries lists them"), "not_found")
    else:
        since = timestamps.parse_instant(params.since or "")
        if since is None:
            raise errors.invalid("since", gettext("must be a time such as 2026-05-11T15:00:00Z"))
        queued = store.redeliver_since(ctx, webhook.id, since)
    store.try_now(ctx, webhook.id)
    return WebhookQueued(queued)


def _load_enabled(ctx: Context, webhook_id: int) -> Webhook:
    webhook = policy.webhook(ctx, webhook_id)
    policy.require_webhooks(ctx)
    if not webhook.enabled:
        raise errors.Conflict(gettext("The webhook is turned off. Turn it on first with enabled=true."))
    return webhook


def _with_secret(ctx: Context, webhook_id: int) -> WebhookSecret:
    webhook = policy.webhook(ctx, webhook_id)
    return WebhookSecret(**structs.asdict(_item(webhook)), secret=signature.secret(ctx.settings, webhook.secret_id))


def _require_calendar(ctx: Context, params: WebhookInput) -> None:
    if params.calendar_id is not None:
        with errors.naming("calendar_id"):
            policy.calendar(ctx, params.calendar_id, to=Right.SEE)


def _check_url(ctx: Context, url: str) -> None:
    try:
        check_url(url, seconds=RESOLVE_SECONDS, any_network=ctx.settings.webhooks == "any")
    except AddressRefused as refusal:
        raise errors.invalid("url", refusal.args[0]) from None
    except PostFailed:
        raise errors.invalid("url", gettext("has a host name that can’t be found. Check the spelling")) from None


def _item(webhook: Webhook) -> WebhookItem:
    return WebhookItem(
        id=webhook.id,
        url=webhook.url,
        calendar_id=webhook.calendar_id,
        kinds=_kinds(webhook),
        enabled=webhook.enabled,
        disabled_reason=webhook.disabled_reason,
        failing_since=_instant(webhook.failing_since),
        next_attempt_at=_instant(webhook.next_at) if webhook.enabled and webhook.failures else None,
        created_at=timestamps.format_utc(webhook.created_at),
        updated_at=timestamps.format_utc(webhook.updated_at),
    )


def _editable(webhook: Webhook) -> WebhookInput:
    return WebhookInput(url=webhook.url, calendar_id=webhook.calendar_id, kinds=_kinds(webhook), enabled=webhook.enabled)


def _kinds(webhook: Webhook) -> list[Kind] | None:
    return cast(list[Kind], webhook.kinds.split()) or None


def _delivery_item(delivery: WebhookDelivery) -> WebhookDeliveryItem:
    return WebhookDeliveryItem(
        id=delivery.id,
        message_id=delivery.message_id,
        kind=delivery.kind,
        record_id=delivery.record_id,
        state=delivery.state,
        attempts=delivery.attempts,
        status=delivery.status,
        duration_ms=delivery.duration_ms,
        error=delivery.error,
        created_at=timestamps.format_utc(delivery.created_at),
        updated_at=timestamps.format_utc(delivery.updated_at),
    )


def _instant(moment: int | None) -> str | None:
    return None if moment is None else timestamps.format_utc(moment)
