"""Pages: the envelope of every index, its limit and offset, and the URL of the next page; and the replies of create and destroy."""

from typing import Any

import pytest
from msgspec import Struct

from kalends.http.context import Context
from kalends.http.paging import Paging, paginate
from tests.cast import Cast, a_calendar, a_key
from tests.client import Client, Reply
from tests.http.conftest import Stage, act


def _walk(reader: Client, path: str, name: str) -> list[Any]:
    """Every page, by the URLs that the pages give."""
    records: list[Any] = []
    following: str | None = path
    for _ in range(100):
        if following is None:
            return records
        reply = reader.get(following)
        assert reply.status == 200, reply
        records += reply.json[name]
        following = reply.json["next"]
        assert _linked(reply) == following
    raise AssertionError("the pages have no end")


def _linked(reply: Reply) -> str | None:
    link: str | None = reply.headers.get("Link")
    if link is None:
        return None
    assert link.startswith("<")
    assert link.endswith('>; rel="next"')
    return link[1 : -len('>; rel="next"')]


def test_an_index_is_an_envelope_named_after_the_resource(cast: Cast) -> None:
    a_key(cast.alice)
    for name in ("calendars", "keys"):
        reply = cast.alice.get(f"/api/{name}").json
        assert set(reply) == {name, "limit", "offset", "next"}
        assert (reply["limit"], reply["offset"], reply["next"], len(reply[name])) == (50, 0, None, 1)


@pytest.mark.parametrize("name", ["calendars", "keys"])
def test_the_pages_hold_everything_once_and_in_order(cast: Cast, name: str) -> None:
    for i in range(6):
        a_calendar(cast.alice, name=f"Calendar {i}") if name == "calendars" else a_key(cast.alice, f"key {i}")
    everything = cast.alice.get(f"/api/{name}").json[name]
    for limit in (1, 2, 3, 6, 7):
        assert _walk(cast.alice, f"/api/{name}?limit={limit}", name) == everything
    assert _walk(cast.alice, f"/api/{name}?limit=2&offset=3", name) == everything[3:]


def test_the_next_url_continues_after_the_page(cast: Cast) -> None:
    for _ in range(4):
        a_calendar(cast.alice)
    reply = cast.alice.get("/api/calendars?limit=2&offset=1&count=yes&note=a%26b+c")
    assert reply.json["next"] == "/api/calendars?count=yes&note=a%26b+c&limit=2&offset=3"
    assert reply.headers["Link"] == f'<{reply.json["next"]}>; rel="next"'


def test_the_last_page_has_no_next(cast: Cast) -> None:
    for _ in range(3):
        a_calendar(cast.alice)
    for query in ("limit=4", "limit=2&offset=2", "limit=1&offset=3", "offset=4", "offset=1000", "limit=1&offset=9223372036854775807"):
        reply = cast.alice.get(f"/api/calendars?{query}")
        assert (reply.status, reply.json["next"], reply.headers.get("Link")) == (200, None, None)


@pytest.mark.parametrize(
    "path", ["/api/calendars?calendar[limit]=1&calendar[offset]=0", "/api/calendars.json?limit=1", "/api/calendars/?limit=1"]
)
def test_the_next_page_follows_however_the_first_was_requested(cast: Cast, path: str) -> None:
    for _ in range(2):
        a_calendar(cast.alice)
    assert len(_walk(cast.alice, path, "calendars")) == 3


def test_the_limit_is_at_most_500_and_the_reply_says_so(cast: Cast) -> None:
    for limit, expected in ((1, 1), (499, 499), (500, 500), (501, 500), (2**63 - 1, 500)):
        assert cast.alice.get(f"/api/calendars?limit={limit}").json["limit"] == expected


def test_a_limit_of_zero_is_an_empty_page(cast: Cast) -> None:
    reply = cast.alice.get("/api/calendars?limit=0&count=true").json
    assert (reply["calendars"], reply["limit"], reply["next"], reply["total"]) == ([], 0, None, 1)


@pytest.mark.parametrize("field", ["limit", "offset"])
@pytest.mark.parametrize("number", ["-1", "-9223372036854775808", "9223372036854775808", "many"])
@pytest.mark.on_one_database
def test_a_page_begins_and_ends_at_a_natural_number(cast: Cast, field: str, number: str) -> None:
    reply = cast.alice.get(f"/api/calendars?{field}={number}")
    assert (reply.status, reply.broken) == (422, [field])


def test_count_adds_the_total_of_all_pages(cast: Cast) -> None:
    for i in range(4):
        a_calendar(cast.alice)
        a_key(cast.alice, f"key {i}")
    assert cast.alice.get("/api/calendars?limit=2&offset=1&count=true").json["total"] == 5
    assert cast.alice.get("/api/keys?limit=2&offset=100&count=1").json["total"] == 4
    for no in ("", "?count=false", "?count="):
        assert "total" not in cast.alice.get(f"/api/calendars{no}").json


class Numbers(Paging, kw_only=True, frozen=True):
    ids: list[int] | None = None


class NumberIndex(Struct):
    numbers: list[int]
    next: str | None


def _numbers(ctx: Context, params: Numbers) -> NumberIndex:
    """The numbers, page by page."""
    return NumberIndex(*paginate(ctx, params, (params.ids or [])[params.offset :][: params.fetch]))


@pytest.mark.parametrize("ids", ["ids[]=3&ids[]=1&ids[]=2", "ids=3,1,2", "ids=3%2C1%2C2", "number[ids]=3,1,2"])
def test_the_next_url_has_every_parameter(stage: Stage, ids: str) -> None:
    reader = stage(act("GET", "/api/numbers", _numbers))
    assert _walk(reader, f"/api/numbers?limit=1&{ids}", "numbers") == [3, 1, 2]


def test_a_query_that_comes_again_is_read_as_before(stage: Stage) -> None:
    def numbers(ctx: Context, params: Numbers) -> NumberIndex:
        return NumberIndex(params.ids or [], None)

    reader = stage(act("GET", "/api/numbers", numbers, guests=True))
    queries = ["ids=3,1&limit=2", "ids=3&limit=2", "ids=3,1&limit=2", f"ids=3,1&limit=2&other={'x' * 500}"]
    replies = [reader.get(f"/api/numbers?{query}").json["numbers"] for query in queries]
    assert replies == [[3, 1], [3], [3, 1], [3, 1]]
    strict = {"Prefer": "handling=strict"}
    for _ in range(2):
        assert reader.get("/api/numbers?ids=x").broken == ["ids"]
        assert reader.get("/api/numbers?ids=1&other=1").status == 200
        assert reader.get("/api/numbers?ids=1&other=1", headers=strict).broken == ["other"]
