"""The SQL of the pages about mail and about the state of the service."""

from kalends.core.records.delivery import Delivery
from kalends.db import columns
from kalends.features.deliveries.store import DAY
from kalends.http.context import Context

MAX_LISTED = 20

_DELIVERY = columns(Delivery)


def waiting_mail(ctx: Context) -> list[Delivery]:
    """The e-mails that are sent next, up to a limit."""
    sql = f"""SELECT {_DELIVERY} FROM deliveries WHERE channel = 'email' AND state IN ('queued', 'sending')
              ORDER BY due_at, id LIMIT {MAX_LISTED}"""
    return ctx.tx.all(Delivery, sql)


def failed_mail(ctx: Context) -> list[Delivery]:
    """The e-mails that could not be sent in the last day, the last one first, up to a limit."""
    # The index has those that are sent or have failed.
    sql = f"""SELECT {_DELIVERY} FROM deliveries
              WHERE state IN ('sent', 'failed') AND updated_at > :since AND state = 'failed' AND channel = 'email'
              ORDER BY updated_at DESC LIMIT {MAX_LISTED}"""
    return ctx.tx.all(Delivery, sql, since=ctx.now - DAY)


def last_migration(ctx: Context) -> int:
    """The number of the migration that the database has."""
    return int(ctx.tx.value("SELECT max(number) FROM migrations"))
