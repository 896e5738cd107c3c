"""Whether the service is alive and ready, and its figures."""

import hmac

from msgspec import Struct

from kalends import errors
from kalends.context import Context
from kalends.db.migrate import is_current
from kalends.http import metrics as figures
from kalends.http.endpoint import Document, endpoint


class Status(Struct):
    """One word."""

    status: str


@endpoint("GET", "/healthz", guests=True, transaction=False, credentials=False)
def healthz(ctx: Context) -> Status:
    """The process is alive."""
    return Status("alive")


@endpoint("GET", "/readyz", guests=True, transaction=False, credentials=False)
def readyz(ctx: Context) -> Status:
    """The database is reachable and migrated."""
    with ctx.read() as tx:
        if not is_current(tx):
            raise errors.Unavailable("The database is not migrated. Run 'kalends migrate'.")
    return Status("ready")


@endpoint("GET", "/metrics", guests=True, transaction=False, credentials=False, format="txt")
def metrics(ctx: Context) -> Document:
    """Figures for Prometheus, for those who know the setting METRICS_TOKEN."""
    token = ctx.settings.metrics_token
    if not token:
        raise errors.NotFound("There is no such path.")
    if not hmac.compare_digest(ctx.caller.authorization.encode(), f"Bearer {token}".encode()):
        raise errors.Unauthorized("Send METRICS_TOKEN as 'Authorization: Bearer …'.")
    body, content_type = figures.exposition()
    return Document(body, content_type)
