"""The SQL of contacts and of their birthdays."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import json, structs

from kalends import policy
from kalends.core import errors
from kalends.core.records.people import Contact
from kalends.core.values import phone
from kalends.core.values.text import fold_case
from kalends.db import columns, text_search
from kalends.db.text_search import fold
from kalends.features.contacts.model import ContactFields, ContactFilter, ContactQuery
from kalends.features.contacts.rules.birthday import Birthday
from kalends.http.context import Context
from kalends.policy import quotas

T = TypeVar("T")
R = TypeVar("R")

_CONTACT = columns(Contact, "k")
_PLAIN_FIELDS = ("first_name", "last_name", "phone_number", "email_address", "birthday", "gender", "country", "zip_code", "unique_id")
_COLUMNS = (*_PLAIN_FIELDS, "tags", "phone_e164", "email_key", "search", "sort_key")
_INSERT = f"""
INSERT INTO contacts (user_id, service, expires_at, {", ".join(_COLUMNS)}, version, created_at, updated_at)
VALUES (:user_id, :service, :expires_at, {", ".join(f":{name}" for name in _COLUMNS)}, 1, :now, :now)
"""
_LAYOUT = text_search.Layout("name", "email_address", "phone_number", "country", "zip_code", "birthday", "unique_id", "tags")
# Indexes limit the size of their keys.
MAX_SORT_KEY = 600

# The addresses of those who responded to or commented on an event.
_GUESTS = """(
    SELECT email_key FROM responses WHERE event_id = :event_id UNION SELECT email_key FROM comments WHERE event_id = :event_id
)"""
# How many contacts are written or deleted in one transaction, while all other writes wait.
BATCH = 1_000
_BIRTHDAYS = f"SELECT {columns(Birthday, 'k')} FROM contacts k WHERE {policy.CONTACT_LISTS['primary']} AND k.birthday IS NOT NULL"


def index(ctx: Context, query: ContactFilter | ContactQuery, limit: int | None = None, offset: int = 0) -> list[Contact]:
    """The actor's matching contacts by name; all of them if there is no limit."""
    where, params = _conditions(ctx, query)
    paged = "" if limit is None else " LIMIT :limit OFFSET :offset"
    if limit is not None:
        params |= {"limit": limit, "offset": offset}
    return ctx.tx.all(Contact, f"SELECT {_CONTACT} FROM contacts k WHERE {where} ORDER BY k.sort_key, k.id{paged}", **params)


def find_by_ids(ctx: Context, ids: list[int]) -> list[Contact]:
    """The actor's contacts with these ids, without the temporary list."""
    # CROSS JOIN: otherwise, all contacts of the user are read to find a few.
    records, where = ctx.db.records("asked", {"id": "BIGINT"}), f"k.id = asked.id AND {policy.CONTACT_LISTS['primary']}"
    sql = f"SELECT {_CONTACT} FROM {records} CROSS JOIN contacts k WHERE {where}"
    return ctx.tx.all(Contact, sql, asked=json.encode([{"id": each} for each in ids]).decode(), me=policy.user(ctx).id)


def count(ctx: Context, query: ContactFilter | ContactQuery) -> int:
    where, params = _conditions(ctx, query)
    return int(ctx.tx.value(f"SELECT count(*) FROM contacts k WHERE {where}", **params))


def count_by_tag(ctx: Context) -> list[tuple[str, int]]:
    """The tags of one's contacts with how many have each, the most frequent first."""
    rows = ctx.tx.rows(
        f"SELECT k.tags, count(*) FROM contacts k WHERE {policy.CONTACT_LISTS['primary']} AND k.tags <> '' GROUP BY k.tags",
        me=policy.user(ctx).id,
    )
    counts = Counter[str]()
    for tags, number in rows:
        counts.update(dict.fromkeys(tags.split(","), int(number)))
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _conditions(ctx: Context, query: ContactFilter | ContactQuery) -> tuple[str, dict[str, Any]]:
    """The WHERE clause of a query, and its parameters."""
    params: dict[str, Any] = {"me": policy.user(ctx).id}
    where = [policy.CONTACT_LISTS[query.list]]
    if query.list == "imported":
        params["now"] = ctx.now
    if query.event_id is not None:
        where.append(f"k.email_key IN {_GUESTS}")
        params["event_id"] = query.event_id
    terms = 0
    for name, value, parse in (("text", query.text, _LAYOUT.any_field), ("tags", query.tags, _LAYOUT.all_tags)):
        try:
            conditions = parse(value or "")
            text_search.check_term_count(terms := terms + len(conditions))
        except ValueError as error:
            raise errors.invalid(name, error.args[0], "too_large") from None
        where += text_search.where(ctx.db, "k.search", conditions, params)
    return " AND ".join(where), params


def insert(ctx: Context, params: ContactFields) -> int:
    """Insert a contact into the actor's primary list."""
    columns = row(ctx, params)
    quotas.reserve(ctx, policy.user(ctx).id, "contacts", 1, quotas.size(columns))
    contact_id: int = ctx.tx.value(f"{_INSERT} RETURNING id", **columns)
    return contact_id


def insert_all(ctx: Context, rows: list[dict[str, Any]]) -> list[int]:
    """Insert many contacts; the caller must hold the lock."""
    quotas.reserve(ctx, policy.user(ctx).id, "contacts", len(rows), sum(map(quotas.size, rows)))
    last = ctx.tx.value("SELECT max(id) FROM contacts") or 0
    ctx.tx.many(_INSERT, rows)
    ids = ctx.tx.rows("SELECT id FROM contacts WHERE user_id = :me AND id > :last ORDER BY id", me=policy.user(ctx).id, last=last)
    return [contact_id for (contact_id,) in ids]


def row(ctx: Context, params: ContactFields, service: str | None = None, expires_at: int | None = None) -> dict[str, Any]:
    """The columns of a contact of the actor, on the primary list or from a service."""
    return {"user_id": policy.user(ctx).id, "service": service, "expires_at": expires_at, "now": ctx.now, **_columns(params)}


def lock(ctx: Context) -> None:
    """Lock the actor's contacts until the transaction ends."""
    ctx.tx.advisory_lock(f"contacts of {policy.user(ctx).id}")


def update(ctx: Context, contact_id: int, params: ContactFields) -> None:
    assigned = ", ".join(f"{name} = :{name}" for name in _COLUMNS)
    ctx.tx.run(
        f"UPDATE contacts SET {assigned}, version = version + 1, updated_at = :now WHERE id = :id",
        id=contact_id,
        now=ctx.now,
        **_columns(params),
    )


def delete(ctx: Context, contact_id: int) -> None:
    ctx.tx.run("DELETE FROM contacts WHERE id = :id", id=contact_id)


def in_steps(ctx: Context, items: Sequence[T], write: Callable[[Sequence[T]], R], *, is_last: bool = True) -> list[R]:
    """Write the items in batches, each in a transaction of its own with the lock, so that others can write in between.

    is_last: whether no other write of the request follows."""
    results = []
    for start in range(0, len(items), BATCH):
        is_last_step = start + BATCH >= len(items)
        with ctx.write(alone=True, is_last=is_last and is_last_step):
            lock(ctx)
            results.append(write(items[start : start + BATCH]))
        if not is_last_step:
            ctx.db.yield_to_other_writers()
    return results


def find_ids_of_service(ctx: Context, service: str) -> list[int]:
    """The entries of an earlier import from the service."""
    sql = "SELECT id FROM contacts WHERE user_id = :me AND service = :service"
    return [contact_id for (contact_id,) in ctx.tx.rows(sql, me=policy.user(ctx).id, service=service)]


def delete_by_ids(ctx: Context, ids: Sequence[int]) -> int:
    """Delete these contacts of the actor, and return the number of those that had not expired."""
    rows = ctx.tx.rows(
        f"DELETE FROM contacts WHERE id {ctx.db.in_list('ids')} AND user_id = :me RETURNING expires_at",
        ids=list(ids),
        me=policy.user(ctx).id,
    )
    return sum(expires_at is None or expires_at > ctx.now for (expires_at,) in rows)


def delete_all(ctx: Context, query: str | None) -> int:
    """Delete the contacts of one list, or of both, in several transactions, and return their number."""
    where = {None: "", "primary": " AND service IS NULL", "imported": " AND service IS NOT NULL"}[query]
    with ctx.read():
        rows = ctx.tx.rows(f"SELECT id FROM contacts WHERE user_id = :me{where}", me=policy.user(ctx).id)
    return sum(in_steps(ctx, [contact_id for (contact_id,) in rows], partial(delete_by_ids, ctx)))


def delete_all_in_batches(ctx: Context, user_id: int) -> None:
    """Delete most contacts of a user who will be deleted, in several transactions, so that others can write in between."""
    while True:
        with ctx.read():
            rows = ctx.tx.rows("SELECT id FROM contacts WHERE user_id = :id LIMIT :limit", id=user_id, limit=BATCH)
        if len(rows) < BATCH:
            return
        with ctx.write(alone=True, is_last=False):
            ctx.tx.run(f"DELETE FROM contacts WHERE id {ctx.db.in_list('ids')}", ids=[contact_id for (contact_id,) in rows])
        ctx.db.yield_to_other_writers()


def find_newer(ctx: Context, after: int) -> list[Contact]:
    """The actor's contacts with higher ids, without the temporary list."""
    sql = f"SELECT {_CONTACT} FROM contacts k WHERE k.id > :after AND {policy.CONTACT_LISTS['primary']}"
    return ctx.tx.all(Contact, sql, after=after, me=policy.user(ctx).id)


def find_departed(ctx: Context, ids: Sequence[int]) -> set[int]:
    """The given entries that are not on the temporary list any more."""
    sql = f"SELECT id FROM contacts WHERE id {ctx.db.in_list('ids')} AND service IS NOT NULL"
    return set(ids) - {contact_id for (contact_id,) in ctx.tx.rows(sql, ids=list(ids))}


def keep(ctx: Context, contacts: Iterable[Contact]) -> None:
    """Move entries of the temporary list into the primary one; those without a unique id lose it, and others keep what it is by now."""
    ctx.tx.many(
        """UPDATE contacts SET service = NULL, expires_at = NULL, version = version + 1, updated_at = :now,
               unique_id = CASE WHEN CAST(:unique_id AS TEXT) IS NULL THEN NULL ELSE unique_id END
           WHERE id = :id""",
        [{"id": contact.id, "unique_id": contact.unique_id, "now": ctx.now} for contact in contacts],
    )


def clean_up(ctx: Context) -> None:
    """Delete expired entries of the temporary lists."""
    ctx.tx.run("DELETE FROM contacts WHERE expires_at <= :now", now=ctx.now)


def derived_columns(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns that follow from those of a contact."""
    fields = ContactFields(tag_list=columns["tags"], **{name: columns[name] for name in _PLAIN_FIELDS})
    return {name: value for name, value in _columns(fields).items() if name in ("phone_e164", "email_key", "search", "sort_key")}


def _columns(params: ContactFields) -> dict[str, Any]:
    fields = {name: getattr(params, name) for name in _PLAIN_FIELDS}
    e164 = phone.to_e164(params.phone_number, params.country) if params.phone_number else None
    name = " ".join(filter(None, (params.first_name, params.last_name)))
    texts = structs.asdict(params) | {"name": name, "phone_number": f"{params.phone_number or ''} {e164 or ''}"}
    return fields | {
        "tags": params.tag_list,
        "phone_e164": e164,
        "email_key": fold_case(params.email_address) if params.email_address else None,
        "search": _LAYOUT.column({part: fold(texts[part] or "") for part in _LAYOUT.parts}, params.tag_list.split(",")),
        "sort_key": _sort_key(params),
    }


def _sort_key(params: ContactFields) -> bytes:
    """Sort by last name, then first name; contacts without a name by their address or number."""
    first = params.last_name or params.first_name or params.email_address or params.phone_number or ""
    return "\0".join(map(fold, (first, params.first_name or "", params.email_address or ""))).encode()[:MAX_SORT_KEY]


def find_birthdays(ctx: Context, user_id: int) -> list[Birthday]:
    return ctx.tx.all(Birthday, f"{_BIRTHDAYS} ORDER BY k.id", me=user_id)


def find_birthdays_on_days(ctx: Context, user_id: int, first: str, last: str, limit: int) -> list[Birthday]:
    """The birthdays between two days of any year, as `02-28`; the last may be in the year after the first."""
    between = "AND" if first <= last else "OR"
    days = f"(substr(k.birthday, 6, 5) >= :first {between} substr(k.birthday, 6, 5) <= :last)"
    return ctx.tx.all(Birthday, f"{_BIRTHDAYS} AND {days} LIMIT :limit", me=user_id, first=first, last=last, limit=limit)


def find_birthdays_by_ids(ctx: Context, user_id: int, ids: Iterable[int]) -> list[Birthday]:
    return ctx.tx.all(Birthday, f"{_BIRTHDAYS} AND k.id {ctx.db.in_list('ids')} ORDER BY k.id", me=user_id, ids=sorted(set(ids)))


def has_birthdays(ctx: Context, user_id: int) -> bool:
    return bool(ctx.tx.rows(f"{_BIRTHDAYS} ORDER BY k.id LIMIT 1", me=user_id))


def find_birthdays_version(ctx: Context, user_id: int) -> int | None:
    """The version of the feed of an active account; None if there is no such account."""
    version: int | None = ctx.tx.value("SELECT birthdays_version FROM users WHERE id = :id AND status = 'active'", id=user_id)
    return version


def reset_birthdays_feed(ctx: Context, user_id: int) -> None:
    ctx.tx.run("UPDATE users SET birthdays_version = birthdays_version + 1 WHERE id = :id", id=user_id)
