"""The guests of an event: the list for its editors, by response, with a search, in an order; and those whom a message may reach."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.records.delivery import GuestGroup
from kalends.core.records.response import Response
from kalends.db import columns
from kalends.db.text_search import escape_like
from kalends.features.responses.seat_store import ON_LIST
from kalends.http.context import Context
from kalends.http.paging import Paging

Tab = Literal["all", "going", "maybe", "no", "waiting", "pending", "unconfirmed", "invited"]
Sort = Literal["newest", "oldest", "name"]

# Who said YES has a place, waits for one or is offered one, let an offer lapse, or is not accepted or not confirmed yet. The conditions of
# `pending` and `unconfirmed` have those of the indexes responses_pending and responses_unconfirmed.
TABS: dict[Tab, str] = {
    "all": "TRUE",
    "going": """response = 'YES' AND (held > 0 OR queued_at IS NULL AND offer_until IS NULL)
        AND coalesce(accepted_for, number + plus_n) >= number + plus_n AND (confirm_until IS NULL OR confirm_until > 0)""",
    "maybe": "response = 'MAYBE'",
    "no": "response = 'NO'",
    "waiting": ON_LIST,
    "pending": "response = 'YES' AND accepted_for < number + plus_n",
    "unconfirmed": "confirm_until = 0",
    # They have not responded: their invitations are listed.
    "invited": "FALSE",
}
# The index responses_by_name has the same expression.
_NAME = "lower(coalesce(name, email_address))"
# What the guests are ordered by, before their ids.
_KEYS = {"name": _NAME, "queue": "queued_at"}
_RESPONSE = columns(Response)


class GuestQuery(Paging, kw_only=True, frozen=True):
    """Which guests to list."""

    tab: Tab = "all"
    sort: Sort = "newest"
    text: Annotated[str, Meta(max_length=200)] | None = None
    # The id of the last guest of the page before.
    after: Annotated[int, Meta(ge=1)] | None = None


def find(ctx: Context, event_id: int, query: GuestQuery) -> list[Response]:
    """A page of the guests, and one more if there is another page."""
    params: dict[str, Any] = {"event_id": event_id, "limit": query.fetch}
    # The waiting list is in the order in which places are given.
    sort = "queue" if query.tab == "waiting" and query.sort == "newest" else query.sort
    where = f"event_id = :event_id AND {TABS[query.tab]} {_search(query, params)} {_position(ctx, sort, query.after, params)}"
    order = f"{_KEYS[sort]}, id" if sort in _KEYS else "id DESC" if sort == "newest" else "id"
    return ctx.tx.all(Response, f"SELECT {_RESPONSE} FROM responses WHERE {where} ORDER BY {order} LIMIT :limit", **params)


def count(ctx: Context, event_id: int, tab: Tab) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM responses WHERE event_id = :event_id AND {TABS[tab]}", event_id=event_id))


def count_by_time(ctx: Context, event_id: int, since: int) -> list[tuple[int, str, int]]:
    """The responses to the event since then, counted by quarter hour and response: WAITING is a YES that has no place yet."""
    return [
        (int(quarter), response, int(number))
        for quarter, response, number in ctx.tx.rows(
            f"""SELECT created_at / 900, CASE WHEN response = 'YES' AND NOT ({TABS["going"]}) THEN 'WAITING' ELSE response END, count(*)
               FROM responses WHERE event_id = :event_id AND created_at >= :since AND (confirm_until IS NULL OR confirm_until > 0)
               GROUP BY 1, 2""",
            event_id=event_id,
            since=since,
        )
    ]


def _search(query: GuestQuery, params: dict[str, Any]) -> str:
    """A part of the name or of the address, in small letters, or as names are written."""
    if not query.text:
        return ""
    text = escape_like(query.text.strip())
    params |= {"text": f"%{text.lower()}%", "title": f"%{text.title()}%"}
    return "AND (lower(name) LIKE :text ESCAPE '\\' OR name LIKE :title ESCAPE '\\' OR email_key LIKE :text ESCAPE '\\')"


def _position(ctx: Context, sort: str, after: int | None, params: dict[str, Any]) -> str:
    """What follows the last guest of the page before. If someone has removed that one, the list begins again."""
    if after is None:
        return ""
    if sort not in _KEYS:
        params["after"] = after
        return "AND id < :after" if sort == "newest" else "AND id > :after"
    sql = f"SELECT {_KEYS[sort]} FROM responses WHERE id = :after AND event_id = :event_id"
    key = ctx.tx.value(sql, after=after, event_id=params["event_id"])
    if key is None:
        return ""
    params |= {"after": after, "key": key}
    return f"AND ({_KEYS[sort]}, id) > (:key, :after)"


_GROUPS: dict[str, GuestGroup] = {"MAYBE": "maybe", "NO": "no", "": "not_answered"}


class Guest(Struct, frozen=True):
    """The fields of a response that decide whether its guest gets a message. A guest who was invited and has not responded has no id."""

    id: int | None
    event_id: int
    user_id: int | None
    email_address: str
    response: str
    is_waiting: bool
    # Whether they still see the event.
    sees: bool
    # Whether an editor added them.
    added: bool = False

    @property
    def group(self) -> GuestGroup:
        if self.response == "YES":
            return "waiting" if self.is_waiting else "going"
        return _GROUPS[self.response]


_GUEST = columns(Guest, "r", is_waiting=f"({ON_LIST} OR offer_until IS NOT NULL)", sees=policy.GUEST_SEES_EVENT)


def find_guests(ctx: Context, condition: str, **params: Any) -> list[Guest]:
    """The responses that meet the condition, in their order."""
    sql = f"SELECT {_GUEST} FROM responses r JOIN events e ON e.id = r.event_id WHERE {condition} ORDER BY r.id"
    return ctx.tx.all(Guest, sql, **params)
