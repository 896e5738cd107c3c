"""The state of the service, for admins: its mail, and whether it is well."""

import shutil

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.core.transports import mail_server, sender
from kalends.core.values import timestamps
from kalends.core.version import __version__
from kalends.db import last_runs
from kalends.features.admin import store
from kalends.features.admin.model import CheckItem, HealthDetail, MailDetail, MailItem
from kalends.features.admin.steps import checks
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.model import DeliveryQueued
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint

# The worker writes the time each minute.
WORKER_TIMEOUT = 180


@endpoint("GET", "/api/admin/mail", for_admins=True)
def mail(ctx: Context) -> MailDetail:
    """How e-mail is sent, what waits, and what could not be sent lately; for admins."""
    policy.admin(ctx)
    return MailDetail(
        server=_mail_server(ctx),
        sender=str(sender(ctx.settings.email_from, ctx.settings.url)),
        waiting=[_item(delivery) for delivery in store.waiting_mail(ctx)],
        waiting_count=sum(count for channel, _, count, _ in deliveries.count_queued(ctx) if channel == "email"),
        failed=[_item(delivery) for delivery in store.failed_mail(ctx)],
    )


@endpoint("POST", "/api/admin/test_mail", status=202)
def test_mail(ctx: Context) -> DeliveryQueued:
    """Mail a test message to your own address, through the queue, the worker and the mail server; for admins."""
    user = users.get(ctx, policy.admin(ctx).id)
    delivery_id = deliveries.insert_account_mail(ctx, user, "notice", "test_message")
    if delivery_id is None:
        raise errors.TooMany(gettext("You’ve been sent several test emails within the hour. Try again later."), deliveries.HOUR)
    return DeliveryQueued(delivery_id, "email", user.email_address, "queued")


@endpoint("GET", "/api/admin/health", for_admins=True)
def health(ctx: Context) -> HealthDetail:
    """Whether the service is well: version, database, worker, queue, backup and disk; for admins."""
    detail = find_health(ctx)
    # JSON has the English of a message.
    return structs.replace(
        detail, checks=[CheckItem(str(each.name), each.state, str(each.advice) if each.advice else None) for each in detail.checks]
    )


def find_health(ctx: Context) -> HealthDetail:
    """The same for the page, which translates its messages."""
    policy.admin(ctx)
    waiting, done = deliveries.count_queued(ctx), deliveries.count_finished(ctx)
    ended = {state: sum(count for _, each, count in done if each == state) for state in ("sent", "written", "failed")}
    seen_at, disk = last_runs.find(ctx.tx, "worker"), shutil.disk_usage(ctx.settings.folder)
    return HealthDetail(
        version=__version__,
        url=ctx.settings.url,
        mail_server=_mail_server(ctx),
        database=ctx.db.product,
        migration=store.last_migration(ctx),
        worker_alive=seen_at is not None and ctx.now - seen_at < WORKER_TIMEOUT,
        worker_seen_at=_format(seen_at),
        waiting_count=sum(count for _, _, count, _ in waiting),
        waiting_since=_format(min((oldest for _, _, _, oldest in waiting), default=None)),
        sent_count=ended["sent"],
        written_count=ended["written"],
        failed_count=ended["failed"],
        last_backup_at=_format(last_runs.find(ctx.tx, "backup")),
        disk_free=disk.free,
        disk_total=disk.total,
        checks=[
            *checks.check_request(ctx.settings, ctx.caller),
            *checks.check_settings(ctx.settings),
            *checks.check_records(ctx),
        ],
    )


def _mail_server(ctx: Context) -> str | None:
    server = mail_server(ctx.settings.email)
    return f"{server.host}:{server.port}" if server else None


def _item(delivery: Delivery) -> MailItem:
    return MailItem(
        id=delivery.id,
        kind=delivery.kind,
        notice=delivery.notice,
        address=delivery.address,
        attempts=delivery.attempts,
        error=delivery.error,
        created_at=timestamps.format_utc(delivery.created_at),
        updated_at=timestamps.format_utc(delivery.updated_at),
    )


def _format(moment: int | None) -> str | None:
    return None if moment is None else timestamps.format_utc(moment)
