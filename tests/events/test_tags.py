"""Tags: a list replaces them, a single one is appended, and each occurs once, as first spelled."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cast import Cast, an_event
from tests.events.listing import listed


@pytest.mark.parametrize(
    ("tag_list", "tags"),
    [
        ("jazz,live", ["jazz", "live"]),
        (" jazz ,, Late Night , ", ["jazz", "Late Night"]),
        (["jazz", "live"], ["jazz", "live"]),
        (["jazz, live", "", "solo"], ["jazz", "live", "solo"]),
        ("Jazz,jazz,JAZZ,live", ["Jazz", "live"]),
        ("Straße,STRASSE,Cafe\u0301,café,cafe", ["Straße", "Café", "cafe"]),
        ("", []),
        (None, []),
        ([], []),
        (",", []),
        ("100%,a_b,a\\b,'", ["100%", "a_b", "a\\b", "'"]),
        ("x" * 200, ["x" * 200]),
    ],
)
def test_a_list_makes_the_tags(cast: Cast, tag_list: object, tags: list[str]) -> None:
    created = an_event(cast.alice, tag_list=tag_list)
    assert (created["tags"], created["tag_list"]) == (tags, ",".join(tags))
    event = an_event(cast.alice, tag_list="old,older")["id"]
    changed = cast.alice.put(f"/api/events/{event}", json={"tag_list": tag_list}).json
    assert (changed["tags"], changed["tag_list"]) == (tags, ",".join(tags))


def test_a_list_in_a_form_may_have_brackets(cast: Cast) -> None:
    body = "title=x&start_time=2026-06-01&tag_list[]=jazz&tag_list[]=live"
    reply = cast.alice.post("/api/events", body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert reply.json["tags"] == ["jazz", "live"]


@pytest.mark.parametrize(
    ("changes", "tags"),
    [
        ({"tag": "solo"}, ["Jazz", "live", "solo"]),
        ({"tag": " JAZZ "}, ["Jazz", "live"]),
        ({"tag": ""}, ["Jazz", "live"]),
        ({"tag_list": "a,b", "tag": "c"}, ["a", "b", "c"]),
        ({"tag_list": "", "tag": "c"}, ["c"]),
        ({"tag_list": "solo", "tag": "SOLO"}, ["solo"]),
        ({"title": "Another"}, ["Jazz", "live"]),
    ],
)
def test_the_list_replaces_and_then_the_tag_is_appended(cast: Cast, changes: dict[str, Any], tags: list[str]) -> None:
    event = an_event(cast.alice, tag_list="Jazz,live")["id"]
    assert cast.alice.put(f"/api/events/{event}", json=changes).json["tags"] == tags
    assert listed(cast.alice, tags=",".join(tags).lower()) == [event]


@pytest.mark.parametrize("tag_list", ["x" * 201, ["x" * 201], "a\x01b", ["a\nb"], 5, [5], {"a": 1}, True, ",".join(map(str, range(101)))])
@pytest.mark.on_one_database
def test_an_invalid_list_of_tags_is_refused(cast: Cast, tag_list: object) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01", "tag_list": tag_list})
    assert (reply.status, reply.broken) == (422, ["tag_list"])


def test_there_are_at_most_100_tags(cast: Cast) -> None:
    event = an_event(cast.alice, tag_list=[f"tag {i}" for i in range(100)])["id"]
    reply = cast.alice.put(f"/api/events/{event}", json={"tag": "one too many"})
    assert (reply.status, reply.broken) == (422, ["tag"])
    assert len(cast.alice.put(f"/api/events/{event}", json={"tag": "TAG 7"}).json["tags"]) == 100


@pytest.mark.parametrize("tag", ["x" * 201, "a\x01b", 5, ["a"]])
@pytest.mark.on_one_database
def test_an_invalid_tag_is_refused(cast: Cast, tag: object) -> None:
    reply = cast.alice.put(f"/api/events/{an_event(cast.alice)['id']}", json={"tag": tag})
    assert (reply.status, reply.broken) == (422, ["tag"])


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=6), max_size=8))
def test_no_two_tags_differ_in_case_alone_and_none_is_lost(cast: Cast, tag_list: list[str]) -> None:
    tags = an_event(cast.alice, tag_list=tag_list)["tags"]
    assert len({tag.casefold() for tag in tags}) == len(tags)
    expected = {piece.strip() for tag in tag_list for piece in tag.split(",")} - {""}
    assert bool(tags) == bool(expected)
    assert an_event(cast.alice, tag_list=",".join(tags))["tags"] == tags


def test_the_field_tag_is_one_tag(cast: Cast) -> None:
    event = an_event(cast.alice, tag_list="jazz")["id"]
    refused = cast.alice.put(f"/api/events/{event}", json={"tag": "a,b"})
    assert (refused.status, refused.broken) == (422, ["tag"])
    assert cast.alice.get(f"/api/events/{event}").json["tags"] == ["jazz"]


def test_one_tag_more_is_for_updates_only_of_events_and_of_contacts(cast: Cast) -> None:
    strict = {"Prefer": "handling=strict"}
    for path, fields in (("/api/events", {"title": "Jazz", "start_time": "2026-06-01"}), ("/api/contacts", {"first_name": "Ines"})):
        new = fields | {"tag_list": "jazz", "tag": "late"}
        created = cast.alice.post(path, json=new)
        assert (created.status, created.json["tag_list"]) == (201, "jazz")
        refused = cast.alice.post(path, json=new, headers=strict)
        assert (refused.status, refused.broken, refused.json["errors"][0]["code"]) == (422, ["tag"], "unknown")
        assert cast.alice.put(f"{path}/{created.json['id']}", json={"tag": "late"}).json["tag_list"] == "jazz,late"


def test_one_tag_more_goes_with_an_event_by_its_uid_new_or_not(cast: Cast) -> None:
    fields = {"title": "Jazz", "start_time": "2026-06-01", "tag_list": "jazz", "tag": "late"}
    for status in (201, 200):
        reply = cast.alice.put("/api/events?uid=jazz@example.org", json=fields)
        assert (reply.status, reply.json["tags"]) == (status, ["jazz", "late"])
