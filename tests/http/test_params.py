"""One set of parameters per request, whatever carries them."""

from typing import Any

import pytest
from msgspec import Struct

from kalends.app.application import ENDPOINTS
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.http.conftest import Stage, act
from tests.http.multipart import multipart, of_parts

# Requests are parsed before any database is used.
pytestmark = pytest.mark.on_one_database

FIELDS = {"name": "Jazz & Blues", "description": "Late, é\nloud + long", "color": "#aa00FF", "time_zone": "Europe/Paris", "public": "yes"}
WRAPPED = {f"calendar[{name}]": value for name, value in FIELDS.items()}

CARRIERS: dict[str, dict[str, Any]] = {
    "JSON": {"json": FIELDS},
    "JSON with its own types": {"json": FIELDS | {"public": True}},
    "a form": {"data": FIELDS},
    "multipart": multipart(FIELDS),
    "the query": {"query": FIELDS},
    "wrapped JSON": {"json": {"calendar": FIELDS}},
    "a wrapped form": {"data": WRAPPED},
    "wrapped multipart": multipart(WRAPPED),
    "a wrapped query": {"query": WRAPPED},
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_whatever_carries_the_parameters_the_result_is_the_same(cast: Cast, carrier: str) -> None:
    reply = cast.alice.post("/api/calendars", **CARRIERS[carrier])
    assert reply.status == 201, reply
    assert {name: reply.json[name] for name in FIELDS} == FIELDS | {"public": True}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_an_update_reads_every_carrier_too(cast: Cast, carrier: str) -> None:
    calendar = a_calendar(cast.alice)
    changed = cast.alice.put(f"/api/calendars/{calendar['id']}", **CARRIERS[carrier])
    assert changed.status == 200, changed
    assert {name: changed.json[name] for name in FIELDS} == FIELDS | {"public": True}


@pytest.mark.parametrize("query", ["name=Query&color=%23111111", "calendar[name]=Query&calendar[color]=%23111111"])
@pytest.mark.parametrize(
    "body",
    [
        {"json": {"name": "Body"}},
        {"data": {"name": "Body"}},
        multipart({"name": "Body"}),
        {"json": {"calendar": {"name": "Body"}}},
        {"data": {"calendar[name]": "Body"}},
    ],
    ids=["json", "form", "multipart", "wrapped-json", "wrapped-form"],
)
def test_the_body_wins_over_the_query(cast: Cast, query: str, body: dict[str, Any]) -> None:
    reply = cast.alice.post(f"/api/calendars?{query}", **body)
    assert (reply.json["name"], reply.json["color"]) == ("Body", "#111111")


def test_a_value_that_the_body_clears_is_not_taken_from_the_query(cast: Cast) -> None:
    reply = cast.alice.post("/api/calendars?description=Query", json={"name": "Jazz", "description": None})
    assert reply.json["description"] is None


def test_a_read_takes_its_parameters_from_a_body_too(cast: Cast) -> None:
    assert cast.alice.request("GET", "/api/calendars?limit=7", json={"limit": 3}).json["limit"] == 3


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "carrier",
    [
        {"body": "name=First&name=Last", "headers": FORM},
        {"body": "calendar[name]=First&calendar[name]=Last", "headers": FORM},
        {"body": "name=First&name[]=Last", "headers": FORM},
        {"query_string": "name=First&name=First"},
        of_parts([('form-data; name="name"', b"First"), ('form-data; name="name"', b"Last")]),
    ],
    ids=["form", "wrapped", "brackets", "query", "multipart"],
)
def test_a_value_that_comes_twice_is_refused(cast: Cast, carrier: dict[str, Any]) -> None:
    refused = cast.alice.post("/api/calendars", **carrier)
    assert (refused.status, [(e["field"], e["code"]) for e in refused.json["errors"]]) == (422, [("name", "repeated")])


@pytest.mark.parametrize(
    "query", ["ids={}&ids={}", "ids[]={}&ids[]={}", "ids[]={}&ids={}", "ids={}&ids[]={}", "ids={},&ids={}", "ids={},{}"]
)
def test_a_list_may_come_in_parts(cast: Cast, query: str) -> None:
    first, second, third = (an_event(cast.alice)["id"] for _ in range(3))
    listed = cast.alice.get(f"/api/events?{query.format(first, second)}").json["events"]
    assert sorted(event["id"] for event in listed) == [first, second]
    deleted = cast.alice.delete(f"/api/events/{third}?{query.format(first, second)}").json["deleted"]
    assert sorted(deleted) == [first, second, third]


def test_tags_may_come_in_parts(cast: Cast) -> None:
    reply = cast.alice.post("/api/events", body="title=Jazz&start_time=2027-05-11&tag_list=jazz&tag_list=trio,late", headers=FORM)
    assert reply.json["tags"] == ["jazz", "trio", "late"]


@pytest.mark.parametrize(
    "time", ["2027-06-01T20:00:00+02:00", "2027-06-01T20:00+0200", "2027-06-01%2020:00%20UTC", "2027-06-01+20:00+%2B0200"]
)
def test_a_plus_of_a_time_in_a_query_is_a_plus(cast: Cast, time: str) -> None:
    before = an_event(cast.alice, start_time="2027-06-01T17:59:59Z")["id"]
    after = an_event(cast.alice, start_time="2027-06-01T20:00:00Z")["id"]
    reply = cast.alice.get(f"/api/events?start_time={time}")
    assert reply.status == 200, reply
    assert [event["id"] for event in reply.json["events"] if event["id"] in (before, after)] == [after]


def test_a_plus_of_a_phone_number_in_a_form_is_a_plus(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    delivery = cast.alice.put(f"/api/events/{event}/send_to_me", body="mobile_number=+33612345678", headers=FORM)
    assert delivery.status == 202, delivery
    contact = cast.alice.post("/api/contacts", body="first_name=Gus&phone_number=+33612345678", headers=FORM)
    assert contact.json["phone_number"] == "+33612345678"


@pytest.mark.parametrize(("name", "status"), [("wkey", 401), ("token", 401), ("password", 422), ("digest", 422)])
def test_a_secret_in_an_address_is_refused(cast: Cast, name: str, status: int) -> None:
    for who in (cast.anonymous, cast.alice):
        refused = who.get(f"/api/events?{name}=canary")
        assert (refused.status, "canary" in refused.text) == (status, False)


@pytest.mark.parametrize("path", ["/api/calendars", "/api/contacts", "/api/comments", "/api/keys"])
@pytest.mark.parametrize("name", ["order", "fields"])
def test_an_order_that_a_list_does_not_have_is_refused(cast: Cast, path: str, name: str) -> None:
    refused = cast.alice.get(f"{path}?{name}=title")
    assert (refused.status, name in refused.broken) == (422, True)


@pytest.mark.parametrize("names", [["order", "fields"], ["fields", "order"]])
def test_unknown_parameters_are_refused_in_the_order_in_which_they_came(cast: Cast, names: list[str]) -> None:
    assert cast.alice.get("/api/calendars", query=dict.fromkeys(names, "title")).broken == names


def test_a_strict_request_gets_preference_applied(cast: Cast) -> None:
    strict = cast.alice.get("/api/calendars", headers={"Prefer": "handling=strict"})
    assert (strict.status, strict.headers["Preference-Applied"]) == (200, "handling=strict")
    assert "Preference-Applied" not in cast.alice.get("/api/calendars").headers


def test_fields_may_be_wrapped_in_the_singular_of_the_resource() -> None:
    wrappers = {endpoint.resource: endpoint.wrapper for endpoint in ENDPOINTS if endpoint.path.startswith("/api/")}
    assert (wrappers["deliveries"], wrappers["events"], wrappers["session"]) == ("delivery", "event", "session")


@pytest.mark.parametrize(
    "carrier",
    [
        {"json": {"name": "", "color": "red", "time_zone": "Mars/Base", "public": "maybe", "moderation": "some"}},
        {"data": {"color": "red", "time_zone": "Mars/Base", "public": "maybe", "moderation": "some"}},
        multipart({"name": " ", "color": "red", "time_zone": "Mars/Base", "public": "maybe", "moderation": "some"}),
        {"query": {"color": "red", "time_zone": "Mars/Base", "public": "maybe", "moderation": "some"}},
    ],
    ids=["json", "form", "multipart", "query"],
)
def test_every_broken_field_is_named_at_once(cast: Cast, carrier: dict[str, Any]) -> None:
    reply = cast.alice.post("/api/calendars", **carrier)
    assert reply.status == 422
    assert sorted(reply.broken) == ["color", "moderation", "name", "public", "time_zone"]
    assert all(error["message"] for error in reply.json["errors"])


def test_a_bad_registration_names_its_five_fields_and_registers_nobody(client: Client, cast: Cast) -> None:
    broken = {"user_name": "a b", "email_address": "nobody", "password": "short", "name": "x" * 201, "time_zone": "Nowhere"}
    reply = client.post("/api/users", json=broken)
    assert reply.status == 422
    assert sorted(reply.broken) == ["email_address", "name", "password", "time_zone", "user_name"]


def test_unknown_parameters_are_ignored(cast: Cast) -> None:
    assert cast.alice.post("/api/calendars", json={"name": "Jazz", "colour": "red", "x": {"y": 1}}).status == 201


@pytest.mark.parametrize("prefer", ["handling=strict", "respond-async, handling=strict", 'Handling="strict"', "handling = strict; foo=1"])
def test_the_reply_to_a_strict_request_names_each_unknown_parameter(cast: Cast, prefer: str) -> None:
    fields = {"name": "Jazz", "colour": "red", "owner": 5}
    reply = cast.alice.post("/api/calendars?page=2", json=fields, headers={"Prefer": prefer})
    assert (reply.status, sorted(reply.broken)) == (422, ["colour", "owner", "page"])


def test_the_reply_to_a_strict_request_names_invalid_and_unknown_parameters_together(cast: Cast) -> None:
    reply = cast.alice.post("/api/calendars", json={"colour": "red"}, headers={"Prefer": "handling=strict"})
    assert (reply.status, sorted(reply.broken)) == (422, ["colour", "name"])


@pytest.mark.parametrize("prefer", ["handling=lenient", "return=minimal", 'note="handling=strict"', "handling=strictly"])
def test_other_preferences_are_not_strict(cast: Cast, prefer: str) -> None:
    assert cast.alice.post("/api/calendars", json={"name": "Jazz", "colour": 1}, headers={"Prefer": prefer}).status == 201


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_strict_request_with_known_parameters_passes(cast: Cast, carrier: str) -> None:
    options = dict(CARRIERS[carrier])
    options["headers"] = options.get("headers", {}) | {"Prefer": "handling=strict"}
    assert cast.alice.post("/api/calendars", **options).status == 201


def test_the_reply_to_a_strict_request_names_parameters_of_an_action_without_any(cast: Cast) -> None:
    reply = cast.alice.get("/api/calendars/new?colour=red", headers={"Prefer": "handling=strict"})
    assert (reply.status, reply.broken) == (422, ["colour"])


def test_a_strict_request_may_have_a_parameter_name_that_is_not_valid_text(cast: Cast) -> None:
    headers = {"Prefer": "handling=strict", "Content-Type": "application/json"}
    reply = cast.alice.post("/api/calendars", body='{"name": "Jazz", "\\ud800": 1}', headers=headers)
    assert (reply.status, len(reply.broken)) == (422, 1)


def test_a_guest_who_must_sign_in_gets_401_before_any_other_error(client: Client) -> None:
    for path in ("/api/calendars", "/api/keys"):
        assert client.post(path, json={}).status == 401
        assert client.get(f"{path}?limit=-1").status == 401


class Comments(Struct, kw_only=True):
    limit: int = 10
    offset: int = 0


class Question(Struct, kw_only=True):
    comments: Comments | None = None
    ids: list[int] | None = None


def _echo(ctx: Context, params: Question) -> Question:
    """Return the parameters."""
    return params


@pytest.mark.parametrize(
    "carrier",
    [
        {"query": {"comments[limit]": "5", "comments[offset]": "2"}},
        {"data": {"comments[limit]": "5", "comments[offset]": "2"}},
        multipart({"comments[limit]": "5", "comments[offset]": "2"}),
        {"json": {"comments": {"limit": 5, "offset": 2}}},
        {"query": {"question[comments][limit]": "5", "question[comments][offset]": "2"}},
    ],
    ids=["query", "form", "multipart", "json", "wrapped"],
)
def test_bracketed_names_nest(stage: Stage, carrier: dict[str, Any]) -> None:
    reply = stage(act("POST", "/api/questions", _echo, guests=True)).post("/api/questions", **carrier)
    assert reply.json["comments"] == {"limit": 5, "offset": 2}


def test_the_reply_to_a_strict_request_names_unknown_nested_parameters(stage: Stage) -> None:
    path = "/api/questions?comments[limit]=1&comments[lmit]=5&comments[{}]=1&idz=1"
    reply = stage(act("GET", "/api/questions", _echo, guests=True)).get(path, headers={"Prefer": "handling=strict"})
    assert (reply.status, reply.broken) == (422, ["comments[lmit]", "comments[{}]", "idz"])


def test_dots_do_not_nest(stage: Stage) -> None:
    assert stage(act("GET", "/api/questions", _echo, guests=True)).get("/api/questions?comments.limit=5").json["comments"] is None


def test_an_invalid_nested_field_is_named_as_in_the_request(stage: Stage) -> None:
    asker = stage(act("GET", "/api/questions", _echo, guests=True))
    reply = asker.get("/api/questions?comments[limit]=many&comments[offset]=x")
    assert (reply.status, reply.broken) == (422, ["comments[limit]", "comments[offset]"])


@pytest.mark.parametrize(
    "query",
    [
        "comments=true&comments[limit]=2",
        "comments[limit]=2&comments=true",
        "comments=&comments[limit]=2",
        "comments[limit]=2&comments=7&comments[offset]=1",
        "comments[limit]=2&comments[]=7",
        "comments[]=7&comments[limit]=2",
        "question[comments]=true&question[comments][limit]=2",
    ],
)
def test_a_value_and_an_object_under_one_name_are_refused(stage: Stage, query: str) -> None:
    refused = stage(act("GET", "/api/questions", _echo, guests=True)).get(f"/api/questions?{query}")
    assert (refused.status, [(e["field"], e["code"]) for e in refused.json["errors"]]) == (422, [("comments", "repeated")])


@pytest.mark.parametrize("query", ["question=5&question[ids]=2", "question[ids]=2&question=5"])
def test_a_value_beside_the_wrapper_is_refused(stage: Stage, query: str) -> None:
    refused = stage(act("GET", "/api/questions", _echo, guests=True)).get(f"/api/questions?{query}")
    assert (refused.status, [(e["field"], e["code"]) for e in refused.json["errors"]]) == (422, [("question", "repeated")])


@pytest.mark.parametrize("query", ["ids=5&ids[x]=2", "ids[x]=2&ids=5", "ids[]=5&ids[x]=2", "ids[x]=2&ids[]=5"])
def test_a_list_with_an_object_beside_it_is_refused(stage: Stage, query: str) -> None:
    refused = stage(act("GET", "/api/questions", _echo, guests=True)).get(f"/api/questions?{query}")
    assert (refused.status, refused.broken) == (422, ["ids"])


@pytest.mark.parametrize(
    "carrier",
    [
        {"query": {"ids": "3,1, ,2,"}},
        {"data": {"ids": " 3 , 1,2"}},
        {"json": {"ids": "3,1,,2"}},
        {"json": {"ids": [3, 1, 2]}},
        {"json": {"ids": ["3", "", None, "1", 2]}},
        {"data": [("ids[]", "3"), ("ids[]", "1"), ("ids[]", "2")]},
    ],
)
def test_a_list_is_comma_delimited_or_an_array_and_blank_items_are_dropped(stage: Stage, carrier: dict[str, Any]) -> None:
    assert stage(act("POST", "/api/questions", _echo, guests=True)).post("/api/questions", **carrier).json["ids"] == [3, 1, 2]


@pytest.mark.parametrize("ids", ["1,two,3", "1;2", [1, [2]], {"0": 1}, True, 1.5])
def test_a_list_with_an_invalid_item_is_refused(stage: Stage, ids: object) -> None:
    reply = stage(act("POST", "/api/questions", _echo, guests=True)).post("/api/questions", json={"ids": ids})
    assert (reply.status, reply.broken) == (422, ["ids"])


def test_a_list_has_at_most_500_items(stage: Stage) -> None:
    asker = stage(act("POST", "/api/questions", _echo, guests=True))
    assert len(asker.post("/api/questions", json={"ids": list(range(500))}).json["ids"]) == 500
    for too_many in (list(range(501)), ",".join(map(str, range(501)))):
        assert asker.post("/api/questions", json={"ids": too_many}).broken == ["ids"]
