"""The guests of an event, for its editors: by response, with a search, in an order."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from kalends.context import Context
from kalends.db import columns
from kalends.db.text_search import escape_like
from kalends.http.paging import Paging
from kalends.records.response import Response

Tab = Literal["all", "going", "maybe", "no"]
Sort = Literal["newest", "oldest", "name"]

TABS: dict[Tab, str] = {
    "all": "",
    "going": "AND response = 'YES'",
    "maybe": "AND response = 'MAYBE'",
    "no": "AND response = 'NO'",
}
# The index responses_by_name has the same expression.
_NAME = "lower(coalesce(name, email_address))"
_RESPONSE = columns(Response)


class GuestQuery(Paging, kw_only=True):
    """Which guests to list."""

    tab: Tab = "all"
    sort: Sort = "newest"
    text: Annotated[str, Meta(max_length=200)] | None = None
    # The id of the last guest of the page before.
    after: Annotated[int, Meta(ge=1)] | None = None


def find(ctx: Context, event_id: int, query: GuestQuery) -> list[Response]:
    """A page of the guests, and one more if there is another page."""
    params: dict[str, Any] = {"event_id": event_id, "limit": query.fetch}
    where = f"event_id = :event_id {TABS[query.tab]} {_search(query, params)} {_position(ctx, query, params)}"
    order = {"newest": "id DESC", "oldest": "id", "name": f"{_NAME}, id"}[query.sort]
    return ctx.tx.all(Response, f"SELECT {_RESPONSE} FROM responses WHERE {where} ORDER BY {order} LIMIT :limit", **params)


def _search(query: GuestQuery, params: dict[str, Any]) -> str:
    """A part of the name or of the address, in small letters, or as names are written."""
    if not query.text:
        return ""
    text = escape_like(query.text.strip())
    params |= {"text": f"%{text.lower()}%", "title": f"%{text.title()}%"}
    return "AND (lower(name) LIKE :text ESCAPE '\\' OR name LIKE :title ESCAPE '\\' OR email_key LIKE :text ESCAPE '\\')"


def _position(ctx: Context, query: GuestQuery, params: dict[str, Any]) -> str:
    """What follows the last guest of the page before. If somebody has removed that one, names begin again."""
    if query.after is None:
        return ""
    params["after"] = query.after
    if query.sort != "name":
        return "AND id < :after" if query.sort == "newest" else "AND id > :after"
    sql = f"SELECT {_NAME} FROM responses WHERE id = :after AND event_id = :event_id"
    names = ctx.tx.rows(sql, after=query.after, event_id=params["event_id"])
    if not names:
        del params["after"]
        return ""
    params["name"] = names[0][0]
    return f"AND ({_NAME}, id) > (:name, :after)"
