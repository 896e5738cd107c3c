"""The SQL of birthdays: one's contacts that have one, and the version of the feed's secret URL."""

from collections.abc import Iterable

from kalends import policy
from kalends.db import columns
from kalends.features.contacts.rules.birthday import Birthday
from kalends.http.context import Context

_SELECT = f"SELECT {columns(Birthday, 'k')} FROM contacts k WHERE {policy.CONTACT_LISTS['primary']} AND k.birthday IS NOT NULL"


def find_all(ctx: Context, user_id: int) -> list[Birthday]:
    return ctx.tx.all(Birthday, f"{_SELECT} ORDER BY k.id", me=user_id)


def find_on_days(ctx: Context, user_id: int, first: str, last: str, limit: int) -> list[Birthday]:
    """The birthdays between two days of any year, as `02-28`; the last may be in the year after the first."""
    between = "AND" if first <= last else "OR"
    days = f"(substr(k.birthday, 6, 5) >= :first {between} substr(k.birthday, 6, 5) <= :last)"
    return ctx.tx.all(Birthday, f"{_SELECT} AND {days} LIMIT :limit", me=user_id, first=first, last=last, limit=limit)


def find_by_ids(ctx: Context, user_id: int, ids: Iterable[int]) -> list[Birthday]:
    return ctx.tx.all(Birthday, f"{_SELECT} AND k.id {ctx.db.in_list('ids')} ORDER BY k.id", me=user_id, ids=sorted(set(ids)))


def has_any(ctx: Context, user_id: int) -> bool:
    return bool(ctx.tx.rows(f"{_SELECT} ORDER BY k.id LIMIT 1", me=user_id))


def find_version(ctx: Context, user_id: int) -> int | None:
    """The version of the feed of an active account; None if there is no such account."""
    version: int | None = ctx.tx.value("SELECT birthdays_version FROM users WHERE id = :id AND status = 'active'", id=user_id)
    return version


def reset_feed(ctx: Context, user_id: int) -> None:
    ctx.tx.run("UPDATE users SET birthdays_version = birthdays_version + 1 WHERE id = :id", id=user_id)
