"""Invariants of a series during changes: nothing is lost, the rule and the events agree, and permissions hold."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.cast import Cast, a_calendar, a_comment, an_event, shared
from tests.events.series import WEEKLY, assert_rule_agrees, events_of_series, five_mondays, ids_of_series, load_times, repeat

pytestmark = pytest.mark.on_one_database


def test_a_new_rule_deletes_no_event_that_the_user_may_not_edit(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    cast.alice.put(f"/api/events/{ids[2]}/add", json={"calendar_id": calendar["id"]})
    cast.alice.put(f"/api/events/{ids[2]}/remove")
    assert cast.bob.get(f"/api/events/{ids[2]}").json["can_edit"] is True
    assert cast.bob.put(f"/api/events/{ids[2]}/repeat", json={"frequency": "YEARLY", "end_date": "2027-12-01"}).status == 403
    assert cast.bob.put(f"/api/events/{ids[2]}", json={"title": "Mine", "scope": "all"}).status == 403
    assert cast.bob.delete(f"/api/events/{ids[2]}?scope=following").status == 403
    assert ids_of_series(cast.alice, ids[0]) == ids


def test_comments_during_a_rule_change_are_stored_or_refused(cast: Cast) -> None:
    for _ in range(4):
        ids = five_mondays(cast.alice, public=True)
        with ThreadPoolExecutor(4) as pool:
            comments = [pool.submit(cast.anonymous.post, "/api/comments", json=_words(ids[i])) for i in (2, 4)]
            repeated = pool.submit(repeat, cast.alice, ids[0], frequency="YEARLY", end_date="2027-12-01")
        assert repeated.result()["occurrences"] >= 1
        for event_id, reply in zip((ids[2], ids[4]), comments, strict=True):
            status = cast.alice.get(f"/api/events/{event_id}").status
            assert (reply.result().status, status) in ((201, 200), (404, 410))


def _words(event_id: int) -> dict[str, Any]:
    return {"event_id": event_id, "comment": "Hello", "email_address": "gus@example.org"}


@pytest.mark.parametrize(
    "alone",
    [
        {"start_time": "2027-03-15"},
        {"end_time": None},
        {"all_day": True},
        {"start_time": "2027-03-15T10:00", "end_time": "2027-03-15T12:00", "time_zone": "America/New_York"},
    ],
)
@pytest.mark.parametrize("through", [0, 2])
def test_a_title_for_all_leaves_every_time_as_it_is(cast: Cast, alone: dict[str, Any], through: int) -> None:
    ids = five_mondays(cast.alice)
    assert cast.alice.put(f"/api/events/{ids[2]}", json=alone).status == 200
    before = load_times(cast.alice, ids)
    assert cast.alice.put(f"/api/events/{ids[through]}", json={"title": "New", "scope": "all"}).status == 200
    assert load_times(cast.alice, ids) == before
    assert {event["title"] for event in events_of_series(cast.alice, ids[0])} == {"New"}


def test_several_events_of_one_series_are_deleted_at_once(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    assert cast.alice.delete(f"/api/events/{ids[0]}", json={"ids": ids[1:4]}).json["deleted"] == ids[:4]
    assert repeat(cast.alice, ids[4], **WEEKLY)["occurrences"] == 1
    everything = five_mondays(cast.alice)
    assert cast.alice.delete(f"/api/events/{everything[0]}", json={"ids": everything[1:]}).json["deleted"] == everything


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_scope_goes_with_one_event(cast: Cast, method: str) -> None:
    ids = five_mondays(cast.alice)
    reply = cast.alice.request(method, f"/api/events/{ids[0]}", json={"ids": [ids[1]], "scope": "all"})
    assert (reply.status, reply.broken) == (422, ["scope"])


def test_the_limit_counts_an_endless_series_from_its_beginning(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="1900-01-01T10:00")
    refused = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY"})
    assert (refused.status, refused.broken) == (422, ["end_date"])
    assert "1902-09-27" in refused.json["detail"]


def test_a_series_that_moves_out_of_the_calendar_is_refused(cast: Cast) -> None:
    for start, end, moved in (("9999-12-01", "9999-12-31", "9999-12-02"), ("1900-01-03T10:00", "1900-01-05", "1900-01-01T10:00")):
        event = an_event(cast.alice, start_time=start)
        repeat(cast.alice, event["id"], frequency="DAILY", end_date=end)
        ids = ids_of_series(cast.alice, event["id"])
        before = load_times(cast.alice, ids)
        through = ids[0] if start > "2000" else ids[2]
        assert cast.alice.put(f"/api/events/{through}", json={"start_time": moved, "scope": "all"}).status == 422
        assert load_times(cast.alice, ids) == before


def test_a_rule_that_ends_with_the_calendar_moves_within_it(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-01-01T10:00")
    repeat(cast.alice, event["id"], frequency="YEARLY", interval=100, end_date="9999-12-31")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-01-02T10:00", "scope": "all"}).status == 200
    assert_rule_agrees(cast.alice, event["id"])


@pytest.mark.parametrize(("start", "end"), [("9999-12-30T10:00", "9999-12-31T11:00"), ("9999-12-30", "9999-12-31")])
def test_an_occurrence_that_would_end_beyond_the_calendar_is_refused(cast: Cast, start: str, end: str) -> None:
    event = an_event(cast.alice, start_time=start, end_time=end)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "9999-12-31"}).status == 422


def test_a_series_moves_by_the_difference_whichever_occurrence_says_it(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[1]}", json={"start_time": "2027-03-10T23:30", "end_time": "2027-03-10T23:45"})
    later = {"start_time": "2027-03-11T00:30", "end_time": "2027-03-11T00:45", "scope": "all"}
    result = cast.alice.put(f"/api/events/{ids[1]}", json=later).json
    assert result["repeat"]["start_date"] == "2027-03-01"
    assert [start[:16] for start, _ in load_times(cast.alice, ids)][2] == "2027-03-15T11:00"
    assert_rule_agrees(cast.alice, ids[0])


def test_following_from_an_event_outside_the_rule_begins_with_the_next_occurrence(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-10T10:00", time_zone="Europe/Paris")
    repeat(cast.alice, event["id"], frequency="WEEKLY", start_date="2027-03-05", end_date="2027-04-02")
    result = cast.alice.put(f"/api/events/{event['id']}", json={"title": "Rest", "scope": "following"}).json
    assert result["repeat"]["start_date"] == "2027-03-12"
    friday = next(e for e in events_of_series(cast.alice, event["id"]) if e["start_time"].startswith("2027-03-12"))
    assert_rule_agrees(cast.alice, friday["id"])


def test_a_rule_that_had_not_begun_is_gone_when_all_that_follows_is_deleted(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-01T10:00")
    repeat(cast.alice, event["id"], frequency="WEEKLY", start_date="2027-03-08", end_date="2027-03-29")
    first = ids_of_series(cast.alice, event["id"])[1]
    assert cast.alice.delete(f"/api/events/{first}?scope=following").status == 200
    remaining = cast.alice.get(f"/api/events/{event['id']}").json
    assert (remaining["series_id"], remaining["repeat"]) == (None, None)


def test_a_monthly_series_does_not_move_off_its_days(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-01-30T10:00")
    repeat(cast.alice, event["id"], frequency="MONTHLY", end_date="2027-06-30")
    before = load_times(cast.alice, ids_of_series(cast.alice, event["id"]))
    refused = cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-01-31T10:00", "scope": "all"})
    assert (refused.status, refused.broken) == (422, ["start_time"])
    assert load_times(cast.alice, ids_of_series(cast.alice, event["id"])) == before
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-01-30T09:00", "scope": "all"}).status == 200


def test_an_occurrence_that_was_moved_alone_keeps_its_place_in_the_series(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[2]}", json={"start_time": "2027-03-16T10:00", "end_time": "2027-03-16T11:00"})
    assert repeat(cast.alice, ids[2], **WEEKLY)["occurrences"] == 5
    assert ids_of_series(cast.alice, ids[0]) == ids


def test_a_series_fills_no_calendar_onto_which_it_was_only_added(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2027-03-01T10:00")
    cast.bob.put(f"/api/events/{event['id']}/add")
    repeat(cast.alice, event["id"], **WEEKLY)
    assert [e["id"] for e in cast.bob.get("/api/events").json["events"]] == [event["id"]]


def test_an_update_of_a_series_without_changes_changes_nothing(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[1]}", json={})
    repeat(cast.alice, ids[0], frequency="YEARLY", end_date="2027-12-01")
    assert cast.alice.get(f"/api/events/{ids[1]}").status == 404
    assert a_comment(cast.alice, {"id": ids[0]})["approved"] == "true"


@pytest.mark.parametrize(("start", "moved"), [("2027-01-31T10:00", "2027-01-30T10:00"), ("2028-02-29T10:00", "2028-02-28T10:00")])
def test_a_move_that_would_give_a_rule_more_days_is_refused(cast: Cast, start: str, moved: str) -> None:
    event = an_event(cast.alice, start_time=start)
    repeat(cast.alice, event["id"], frequency="MONTHLY" if "01-31" in start else "YEARLY", end_date="2036-12-31")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": moved, "scope": "all"}).status == 422


def test_the_scope_following_of_an_event_after_the_rule_is_the_event_alone(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-05-10T10:00")
    rule = {"frequency": "WEEKLY", "start_date": "2027-03-01", "end_date": "2027-03-15"}
    repeat(cast.alice, event["id"], **rule)
    first = ids_of_series(cast.alice, event["id"])[0]
    changed = cast.alice.put(f"/api/events/{event['id']}", json={"title": "Alone", "scope": "following"}).json
    assert (changed["title"], changed["series_id"]) == ("Alone", None)
    assert cast.alice.get(f"/api/events/{first}").json["repeat"]["end_date"] == "2027-03-15"
    repeat(cast.alice, event["id"], **rule)
    assert cast.alice.delete(f"/api/events/{event['id']}?scope=following").json["deleted"] == [event["id"]]
    assert cast.alice.get(f"/api/events/{first}").json["repeat"]["end_date"] == "2027-03-15"


def test_following_reaches_no_earlier_event(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-01T10:00")
    repeat(cast.alice, event["id"], frequency="WEEKLY", start_date="2027-03-08", end_date="2027-03-29")
    ids = ids_of_series(cast.alice, event["id"])
    moved = {"title": "Later", "start_time": "2027-03-08T12:00", "scope": "following"}
    assert cast.alice.put(f"/api/events/{ids[1]}", json=moved).status == 200
    event_now = cast.alice.get(f"/api/events/{event['id']}").json
    assert (event_now["title"], event_now["start_time"][:16]) == ("Concert", "2027-03-01T10:00")
    assert [start[11:16] for start, _ in load_times(cast.alice, ids[1:])] == ["12:00"] * 4


@pytest.mark.parametrize("change", [{"title": "Moved"}, {"start_time": "2026-06-01T21:00"}, {"public": True}])
def test_the_calendars_of_a_whole_series_are_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    for _ in range(3):
        assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": a_calendar(cast.alice)["id"]}).status == 200
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 6}).status == 200
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 2_900)
    refused = cast.alice.put(f"/api/events/{event['id']}", json={"scope": "all"} | change)
    assert (refused.status, refused.broken, "too many calendars" in refused.json["detail"]) == (422, ["scope"], True)
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 4_000)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"scope": "all"} | change).status == 200


@pytest.mark.parametrize("moves", [{}, {"start_time": "2026-06-01T21:00"}])
def test_the_text_of_a_whole_series_is_bounded_and_the_rest_may_always_be_changed(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, moves: dict[str, str]
) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00", description="x" * 180)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-06"})
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 1_000)
    refused = cast.alice.put(f"/api/events/{event['id']}", json={"scope": "all", "description": "y" * 190} | moves)
    assert (refused.status, refused.broken) == (422, ["scope"])
    assert cast.alice.get(f"/api/events/{event['id']}").json["description"] == "x" * 180
    assert cast.alice.put(f"/api/events/{event['id']}", json={"scope": "all", "description": "y"} | moves).status == 200
    assert cast.alice.put(f"/api/events/{event['id']}", json={"scope": "all", "public": True} | moves).status == 200
