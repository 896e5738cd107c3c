"""Hostile input to the list and the fields of events never causes an internal error."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.db.text_search import Substring
from kalends.features.events.listing.store import search
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

TEXTS = ("text", "title", "description", "tags", "location", "location_name", "street", "city", "state", "zip", "country")
NAMES = (
    *("ids", "calendar_id", "calendar_ids", "limit", "offset", "start_time", "end_time", "overlaps", "time_zone", "count", "after"),
    *TEXTS,
)
NASTY = [
    *("", " ", ",", ",,,", "0", "-1", "1", "true", "null", "NaN", "1e999", "[]", "{}", "%00", "*", '"', '""', "\\", "%", "_"),
    *(str(2**31), str(2**63 - 1), str(2**63), str(-(2**63)), "9" * 400, "1" + "0" * 18),
    *("1900-01-01", "9999-12-31", "9999-12-31T23:59:59-12:00", "1900-01-01T00:00+14:00", "0000-00-00", "2026-06-01T20:00"),
    *("0.1", "-1.1", "253402300799.999999999999999999", "-99999999999.1", "999999999999.1", "\u0301", "İ", "ß", "ﷺ", "\U0001f3b7"),
    *("'; DROP TABLE events; --", ":me", "%(me)s", "$1", "{start}", "{0}", "UTC", "Europe/Paris"),
]


@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(NASTY) | st.text(max_size=8), max_size=5))
def test_the_list_never_fails_whatever_the_query(cast: Cast, query: dict[str, str]) -> None:
    for reader in (cast.alice, cast.anonymous):
        reply = reader.request("GET", "/api/events", json=query)
        assert reply.status in (200, 404, 422), (query, reply)


@given(
    st.dictionaries(
        st.sampled_from(["title", "start_time", "end_time", "all_day", "time_zone", "location", "city", "image_url", "tag_list", "public"]),
        st.sampled_from(NASTY)
        | st.text(max_size=8)
        | st.none()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.lists(st.text(max_size=3)),
        max_size=5,
    )
)
def test_an_event_is_created_or_refused_whatever_its_fields(cast: Cast, fields: dict[str, Any]) -> None:
    reply = cast.alice.post("/api/events", json={"title": "Concert", "start_time": "2026-06-01"} | fields)
    assert reply.status in (201, 422), (fields, reply)
    if reply.status == 201:
        event = f"/api/events/{reply.json['id']}"
        again = cast.alice.put(event, json=cast.alice.get(f"{event}/edit").json)
        assert again.status == 200, (fields, again)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("value", ["ﷺ" * 10_000, "\U0001f3b7" * 10_000, "㋿" * 5_000, "a*" * 5_000, '"' + "b " * 4_000 + '"'])
def test_a_long_search_succeeds_or_is_refused(cast: Cast, name: str, value: str) -> None:
    """Some characters become many when they are compared without regard to form."""
    field = {"text": "title", "tags": "tag_list"}.get(name, name)
    an_event(cast.alice, **{"title": "x", field: value[:40]})
    reply = cast.alice.request("GET", "/api/events", json={name: value})
    if reply.status == 200:
        assert reply.json["events"] == []
    else:
        assert (reply.status, reply.broken) == (422, [name])


def test_a_search_that_nearly_matches_in_very_many_ways_succeeds(cast: Cast) -> None:
    event = an_event(cast.alice, description="a" * 20_000)["id"]
    for name in ("description", "text"):
        assert listed(cast.alice, **{name: "a*" * 5}) == [event]
        assert listed(cast.alice, **{name: "a*" * 5 + "b"}) == []
        assert listed(cast.alice, **{name: "a" * 99 + "b"}) == []


@pytest.mark.parametrize("address", ["/api/events", "/", "/api/contacts", "/contacts"])
@pytest.mark.parametrize(
    ("largest", "larger"),
    [
        ("a" * 100, "a" * 101),
        ("ﷺ" * 5, "ﷺ" * 6),
        (" ".join(f"{i}{i}" for i in range(20)), " ".join(f"{i}{i}" for i in range(21))),
        ("a*b*c*d*e*f", "a*b*c*d*e*f*g"),
    ],
    ids=["letters", "folded letters", "terms", "wildcards"],
)
def test_a_search_has_bounds(cast: Cast, address: str, largest: str, larger: str) -> None:
    assert cast.alice.get(address, query={"text": largest}).status == 200
    refused = cast.alice.get(address, query={"text": larger})
    assert refused.status == 422
    assert "at most" in refused.text


@pytest.mark.parametrize("name", TEXTS)
def test_the_bounds_hold_for_each_field(cast: Cast, name: str) -> None:
    most = 200 if name in ("tags", "state", "zip", "country") else 100
    assert listed(cast.alice, **{name: "🎷" * most}) == []
    refused = cast.alice.get("/api/events", query={name: "🎷" * (most + 1)})
    assert (refused.status, refused.broken) == (422, [name])


@pytest.mark.parametrize("name", ["text", "title", "description", "location"])
def test_terms_without_a_star_are_searched_as_substrings(cast: Cast, name: str) -> None:
    """A LIKE pattern of a hundred characters takes twenty times as long on a text that almost matches everywhere."""
    field = "description" if name == "text" else name
    event = an_event(cast.alice, **{"title": "x"} | {field: f"{'a' * 120}b {'a' * 50} c"})["id"]
    terms = [f"{'a' * 90}b", f'"{"a" * 40}b {"a" * 50} c"']
    conditions = search.parse_query(name, " ".join(terms))
    assert [type(each) for condition in conditions for each in condition.alternatives] == [Substring, Substring]
    assert listed(cast.alice, **{name: " ".join(terms)}) == [event]
    assert listed(cast.alice, **{name: " ".join([*terms, '"b c"'])}) == []


def test_the_terms_of_all_fields_are_counted_together(cast: Cast) -> None:
    eleven = " ".join(f"{i}{i}" for i in range(11))
    refused = cast.alice.get("/api/events", query={"title": eleven, "tags": eleven.replace(" ", ",")})
    assert (refused.status, refused.broken) == (422, ["tags"])
    assert listed(cast.alice, title=eleven) == []


def test_as_many_calendars_as_may_be_named_are_searched(cast: Cast) -> None:
    calendars = [a_calendar(cast.alice)["id"] for _ in range(120)]
    events = [an_event(cast.alice, calendar_id=calendar)["id"] for calendar in (calendars[0], calendars[60], calendars[119])]
    assert listed(cast.alice, calendar_ids=",".join(map(str, calendars))) == events
    assert listed(cast.alice) == events
    too_many = ",".join(str(calendars[0]) for _ in range(501))
    assert cast.alice.get("/api/events", query={"calendar_ids": too_many}).broken == ["calendar_ids"]


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "00", str(2**63), "9" * 30, "%00", "1%2F2"])
@pytest.mark.parametrize(("method", "action"), [("GET", ""), ("GET", "/edit"), ("PUT", ""), ("DELETE", ""), ("PUT", "/copy")])
def test_an_invalid_id_is_not_found(cast: Cast, method: str, action: str, number: str) -> None:
    assert cast.alice.request(method, f"/api/events/{number}{action}", json={}).status == 404


def test_a_cursor_before_or_after_all_events_is_accepted(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]

    def after(reader: Client, position: str) -> list[int]:
        return listed(reader, after=position)

    assert after(cast.alice, "-99999999999.1") == [event]
    assert after(cast.alice, "999999999999.999999999999999999") == []
    assert after(cast.anonymous, "999999999999.1") == []
