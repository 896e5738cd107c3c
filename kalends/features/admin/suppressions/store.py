"""The SQL of the suppressed addresses of the site."""

from kalends.core.records.delivery import Suppression
from kalends.db import columns
from kalends.features.admin.suppressions.model import SiteSuppressionQuery
from kalends.features.deliveries.store import mailbox
from kalends.http.context import Context


class SiteSuppression(Suppression, frozen=True):
    """A suppressed address, with the user name of the organiser whose messages it does not get."""

    user_name: str | None = None


_SUPPRESSION = columns(SiteSuppression, "s", user_name="(SELECT u.user_name FROM users u WHERE u.id = s.owner_id) AS user_name")


def index(ctx: Context, query: SiteSuppressionQuery) -> list[SiteSuppression]:
    """The suppressed addresses, newest first."""
    sql = f"SELECT {_SUPPRESSION} FROM suppressed_addresses s WHERE {_condition(query)} ORDER BY s.id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(SiteSuppression, sql, limit=query.fetch, offset=query.offset, **_params(query))


def count(ctx: Context, query: SiteSuppressionQuery) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM suppressed_addresses s WHERE {_condition(query)}", **_params(query)))


def _condition(query: SiteSuppressionQuery) -> str:
    return "s.address_key = :address_key" if query.address else "s.id > 0"


def _params(query: SiteSuppressionQuery) -> dict[str, str]:
    return {"address_key": mailbox(query.address)} if query.address else {}
