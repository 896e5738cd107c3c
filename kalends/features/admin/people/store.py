"""The SQL of the list of people."""

from typing import Any

from kalends.core import errors
from kalends.core.records.people import User
from kalends.db import columns, text_search
from kalends.features.admin.people.model import PeopleQuery
from kalends.http.context import Context


class Person(User, frozen=True):
    """A user, with the time when a session of theirs was last used. Sessions end two weeks after that."""

    last_seen_at: int | None = None


_PERSON = columns(Person, "u", last_seen_at="(SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id)")


def index(ctx: Context, query: PeopleQuery) -> list[Person]:
    """The people, the newest first."""
    where, params = _conditions(ctx, query)
    sql = f"SELECT {_PERSON} FROM users u WHERE {where} ORDER BY u.id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Person, sql, limit=query.fetch, offset=query.offset, **params)


def count(ctx: Context, query: PeopleQuery) -> int:
    where, params = _conditions(ctx, query)
    return int(ctx.tx.value(f"SELECT count(*) FROM users u WHERE {where}", **params))


def get(ctx: Context, user_id: int) -> Person:
    person = ctx.tx.one(Person, f"SELECT {_PERSON} FROM users u WHERE u.id = :id", id=user_id)
    if person is None:
        raise errors.NotFound
    return person


def count_records(ctx: Context, user_id: int) -> dict[str, int]:
    """How much an account holds, by table."""
    owners = {"calendars": "owner_id", "events": "owner_id", "contacts": "user_id", "subscribers": "owner_id"}
    return {table: int(ctx.tx.value(f"SELECT count(*) FROM {table} WHERE {owner} = :id", id=user_id)) for table, owner in owners.items()}


def _conditions(ctx: Context, query: PeopleQuery) -> tuple[str, dict[str, Any]]:
    where, params = ["u.id > 0"], dict[str, Any]()
    if query.status:
        where.append(f"u.status = '{query.status}'")
    if query.status not in (None, "active"):
        # The index has those alone who are not active.
        where.append("u.status <> 'active'")
    if query.role:
        where.append(f"u.role = '{query.role}'")
    if query.sending:
        where.append(f"u.sending = '{query.sending}'")
    if query.text:
        where += _contains(ctx, query.text, params)
    return " AND ".join(where), params


def _contains(ctx: Context, text: str, params: dict[str, Any]) -> list[str]:
    """Every word must be in the names or the address. Words of one and two letters alone find nobody."""
    try:
        terms = list(text_search.parse_terms(text))
    except ValueError as error:
        raise errors.invalid("text", error.args[0], "too_large") from None
    literals = [literal for pieces in terms for literal in text_search.literals(pieces)]
    if not literals:
        return ["FALSE"]
    ids, texts = ctx.db.ids_containing("users", "search", literals)
    params |= texts
    conditions = [text_search.Condition((f"%{'%'.join(map(text_search.escape_like, pieces))}%",)) for pieces in terms]
    return [f"u.id IN ({ids})", *text_search.where(ctx.db, "u.search || ''", conditions, params)]
