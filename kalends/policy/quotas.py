"""Quotas: how many events, contacts and calendars an account may hold, and how much text.

Counting an account takes time in proportion to what it holds, so it is counted rarely: a count reserves an allowance, each write takes
from the allowance without a statement, and the account is counted again when the allowance is used up. A quota may be exceeded by at
most the allowances that the processes of the service hold: of each, a sixteenth of what was free, or a megabyte of text."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Literal
from weakref import WeakKeyDictionary

from msgspec import Struct

from kalends.core.errors import QuotaReached
from kalends.core.i18n import gettext
from kalends.core.settings import variable
from kalends.db import Database
from kalends.http.context import Context

Kind = Literal["events", "contacts", "calendars"]

MEGABYTE = 1_000_000
# An allowance is this fraction of what is free, within these bounds.
ALLOWANCE_FRACTION = 16
MIN_TEXT_ALLOWANCE = MEGABYTE
MAX_RECORD_ALLOWANCE = 1_000
MAX_CACHED_ACCOUNTS = 10_000
# Text takes long to count: after an account has exceeded its quota, it is not counted again for this long.
RECOUNT_SECONDS = 60

_OWNER = {"events": "owner_id", "contacts": "user_id", "calendars": "owner_id"}
_REFUSALS = {
    "events": gettext(
        "This account has reached its limit of %(max)s events. Delete some, or ask the server operator to raise %(variable)s."
    ),
    "contacts": gettext(
        "This account has reached its limit of %(max)s contacts. Delete some, or ask the server operator to raise %(variable)s."
    ),
    "calendars": gettext(
        "This account has reached its limit of %(max)s calendars. Delete some, or ask the server operator to raise %(variable)s."
    ),
}
_TEXT = """
SELECT coalesce(sum(size), 0) FROM (
    SELECT octet_length(search) + coalesce(octet_length(description), 0) AS size FROM events WHERE owner_id = :id
    UNION ALL SELECT octet_length(search) FROM contacts WHERE user_id = :id
    UNION ALL SELECT octet_length(r.original) FROM calendars c JOIN dav_resources r ON r.calendar_id = c.id WHERE c.owner_id = :id
    UNION ALL SELECT octet_length(original) FROM dav_cards WHERE user_id = :id
) AS texts
"""


class Allowance(Struct):
    """How much may be written before the account is counted again, and until when it is rejected without counting."""

    records: dict[str, int]
    text: int = 0
    rejected_until: int = 0


class Allowances:
    """The allowances of the accounts that wrote most recently."""

    def __init__(self) -> None:
        self._by_user: OrderedDict[int, Allowance] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, user_id: int) -> Allowance:
        allowance = self._by_user.get(user_id)
        if allowance is not None:
            self._by_user.move_to_end(user_id)
            return allowance
        allowance = self._by_user[user_id] = Allowance({})
        if len(self._by_user) > MAX_CACHED_ACCOUNTS:
            self._by_user.popitem(last=False)
        return allowance


_by_database: WeakKeyDictionary[Database, Allowances] = WeakKeyDictionary()
_by_database_lock = threading.Lock()


def reserve(ctx: Context, user_id: int, kind: Kind, records: int, text: int = 0) -> None:
    """Let the account have more records, with text of this size; or raise QuotaReached."""
    allowances = _by_database.get(ctx.db) or _add_database(ctx.db)
    quota = int(getattr(ctx.settings, f"quota_{kind}"))
    with allowances.lock:
        allowance = allowances.get(user_id)
        has_records = not quota or not records or _take_records(allowance, kind, records)
        has_text = not ctx.settings.quota_megabytes or not text or _take_text(allowance, text)
    if not has_records:
        free = _free_records(ctx, user_id, kind, quota) - records
        if free < 0:
            raise _too_many(kind, quota)
        with allowances.lock:
            allowance.records[kind] = min(MAX_RECORD_ALLOWANCE, free // ALLOWANCE_FRACTION)
    if not has_text:
        _count_text(ctx, allowances, allowance, user_id, text)


def check(ctx: Context, user_id: int, kind: Kind, records: int, text: int) -> None:
    """Raise QuotaReached if the account may not have this much more. Batches that are written afterwards reserve it themselves."""
    quota, text_quota = int(getattr(ctx.settings, f"quota_{kind}")), ctx.settings.quota_megabytes * MEGABYTE
    if quota and _free_records(ctx, user_id, kind, quota) < records:
        raise _too_many(kind, quota)
    if text_quota and text_quota - int(ctx.tx.value(_TEXT, id=user_id)) < text:
        raise _too_much(ctx.settings.quota_megabytes)


def _too_many(kind: Kind, quota: int) -> QuotaReached:
    return QuotaReached(gettext(_REFUSALS[kind], max=quota, variable=variable(f"quota_{kind}")))


def _too_much(megabytes: int) -> QuotaReached:
    return QuotaReached(
        gettext(
            "This account’s events and contacts have reached their limit of %(max)s MB of text. Delete some and "
            "try again in a minute, or ask the server operator to raise %(variable)s.",
            max=megabytes,
            variable=variable("quota_megabytes"),
        )
    )


def _add_database(db: Database) -> Allowances:
    with _by_database_lock:
        return _by_database.setdefault(db, Allowances())


def size(columns: Mapping[str, Any]) -> int:
    """The size of the text of an event or a contact, by its columns."""
    return len(columns["search"]) + len(columns.get("description") or "")


def _take_records(allowance: Allowance, kind: Kind, records: int) -> bool:
    left = allowance.records.get(kind, 0) - records
    if left >= 0:
        allowance.records[kind] = left
    return left >= 0


def _take_text(allowance: Allowance, text: int) -> bool:
    if allowance.text < text:
        return False
    allowance.text -= text
    return True


def _free_records(ctx: Context, user_id: int, kind: Kind, quota: int) -> int:
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {kind} WHERE {_OWNER[kind]} = :id LIMIT :most) AS held"
    return quota - int(ctx.tx.value(sql, id=user_id, most=quota))


def _count_text(ctx: Context, allowances: Allowances, allowance: Allowance, user_id: int, text: int) -> None:
    quota = ctx.settings.quota_megabytes * MEGABYTE
    is_counted = not ctx.now < allowance.rejected_until <= ctx.now + RECOUNT_SECONDS
    free = quota - int(ctx.tx.value(_TEXT, id=user_id)) if is_counted else 0
    with allowances.lock:
        if text > free:
            allowance.rejected_until = ctx.now + RECOUNT_SECONDS if is_counted else allowance.rejected_until
            allowance.text = 0
        else:
            allowance.text = max(MIN_TEXT_ALLOWANCE, free // ALLOWANCE_FRACTION)
    if text > free:
        raise _too_much(ctx.settings.quota_megabytes)
