"""The mail by which admins hear of reports."""

from kalends.features.deliveries import store as deliveries
from kalends.features.reports import store
from kalends.features.users import store as users
from kalends.http.context import Context


def notify_admins(ctx: Context) -> None:
    """Mail the admins that a report waits: when no other one does, and once a day while others come. Strangers cause this mail."""
    is_first = store.count(ctx, closed=False) == 1
    for admin in users.find_admins(ctx):
        if is_first or not deliveries.was_notified(ctx, admin, "report_waiting", ctx.now - deliveries.DAY):
            deliveries.insert_notice(ctx, admin, "report_waiting")
