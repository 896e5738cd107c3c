"""Reading calendars over CalDAV."""

from typing import Any

import pytest

from kalends.dav.calendars import store
from kalends.http.context import LAST_MODIFIED_DELAY
from tests.cast import Cast, a_calendar, an_event, shared
from tests.conftest import Clock
from tests.dav.clients import C, D, calendar_path, propfind, report, responses, sync, tree

ETAG_AND_DATA = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"
WEEKLY = {"frequency": "WEEKLY", "interval": 1, "end_date": "2026-06-22"}


def a_series(owner: Any, **fields: Any) -> dict[str, Any]:
    event = an_event(owner, **fields)
    reply = owner.put(f"/api/events/{event['id']}/repeat", json=WEEKLY)
    assert reply.status == 200, reply
    return dict(owner.get(f"/api/events/{event['id']}").json)


def query(person: Any, path: str, start: str, end: str, component: str = "VEVENT", more: str = "") -> set[str]:
    inner = f"""{ETAG_AND_DATA}<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="{component}">
        <C:time-range start="{start}" end="{end}"/>{more}</C:comp-filter></C:comp-filter></C:filter>"""
    reply = report(person, path, "C:calendar-query", inner)
    assert reply.status == 207, reply
    return set(responses(reply))


def test_an_event_and_a_series_are_resources_named_for_their_ids(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    event = an_event(cast.alice, calendar_id=calendar["id"])
    series = a_series(cast.alice, calendar_id=calendar["id"], title="Class")
    listed = responses(propfind(cast.alice, path, "D:getetag", "D:resourcetype", depth="1"))
    assert set(listed) == {str(calendar["id"]), f"event-{event['id']}.ics", f"series-{series['series_id']}.ics"}
    reply = cast.alice.get(f"{path}series-{series['series_id']}.ics")
    assert (reply.status, reply.text.count("BEGIN:VEVENT"), "RRULE:" in reply.text, "METHOD" in reply.text) == (200, 1, True, False)
    assert reply.headers["ETag"] == listed[f"series-{series['series_id']}.ics"][1][f"{D}getetag"].text
    assert cast.alice.get(f"{path}event-{event['id']}.ics", headers={"If-None-Match": "*"}).status == 304


def test_an_etag_changes_with_the_event_alone(cast: Cast) -> None:
    path = calendar_path(cast.alice)
    one, other = an_event(cast.alice), an_event(cast.alice)
    before = responses(propfind(cast.alice, path, "D:getetag", depth="1"))
    cast.alice.put(f"/api/events/{one['id']}", json={"title": "Changed"})
    after = responses(propfind(cast.alice, path, "D:getetag", depth="1"))
    tags = [[each[f"event-{event['id']}.ics"][1][f"{D}getetag"].text for each in (before, after)] for event in (one, other)]
    assert tags[0][0] != tags[0][1]
    assert tags[1][0] == tags[1][1]


def test_multiget_returns_files_and_says_what_is_missing(cast: Cast) -> None:
    path = calendar_path(cast.alice)
    event = an_event(cast.alice, title="A < B & C")
    name = f"event-{event['id']}.ics"
    hrefs = [f"{path}{name}", f"http://testserver{path}event-9999999.ics", f"{path}series-x.ics", "/elsewhere", f"{path}%65vent-0.ics"]
    reply = report(cast.alice, path, "C:calendar-multiget", ETAG_AND_DATA + "".join(f"<D:href>{each}</D:href>" for each in hrefs))
    by_name = responses(reply)
    assert by_name[name][0] == 200
    assert "SUMMARY:A < B & C" in str(by_name[name][1][f"{C}calendar-data"].text)
    assert sorted(status for status, _ in by_name.values()) == [200, 404, 404, 404, 404]


def test_a_query_by_time_is_exact(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Berlin")
    path = calendar_path(cast.alice, calendar["id"])
    day = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-10", all_day=True)
    evening = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-10T20:00", end_time="2026-06-10T22:00")
    series = a_series(cast.alice, calendar_id=calendar["id"], start_time="2026-06-01T20:00", end_time="2026-06-01T21:00")
    names = {"day": f"event-{day['id']}.ics", "evening": f"event-{evening['id']}.ics", "series": f"series-{series['series_id']}.ics"}
    # The day begins at 22:00 UTC of the day before.
    assert query(cast.alice, path, "20260609T215900Z", "20260609T220000Z") == set()
    assert query(cast.alice, path, "20260609T215900Z", "20260609T220001Z") == {names["day"]}
    assert query(cast.alice, path, "20260610T195959Z", "20260610T220000Z") == {names["day"], names["evening"]}
    assert query(cast.alice, path, "20260610T200000Z", "20260610T220000Z") == {names["day"]}
    assert query(cast.alice, path, "20260615T000000Z", "20260616T000000Z") == {names["series"]}
    assert query(cast.alice, path, "20260630T000000Z", "20260730T000000Z") == set()
    assert query(cast.alice, path, "20260601T000000Z", "20260730T000000Z", "VTODO") == set()


@pytest.mark.parametrize("many", [0, 1_000_000], ids=["as one of many", "as one of few"])
def test_an_endless_series_is_found_in_years_for_which_it_has_no_events_yet(cast: Cast, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(store, "MANY_SERIES", many)
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-01T20:00Z")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "YEARLY", "interval": 1})
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    assert query(cast.alice, path, "20450601T000000Z", "20450602T000000Z") == {f"series-{series_id}.ics"}
    assert query(cast.alice, path, "20450602T000000Z", "20450701T000000Z") == set()


@pytest.mark.parametrize(
    ("condition", "is_found"),
    [
        ('<C:prop-filter name="SUMMARY"><C:text-match>jAZZ</C:text-match></C:prop-filter>', True),
        ('<C:prop-filter name="SUMMARY"><C:text-match collation="i;octet">jazz</C:text-match></C:prop-filter>', False),
        ('<C:prop-filter name="SUMMARY"><C:text-match negate-condition="yes">jazz</C:text-match></C:prop-filter>', False),
        ('<C:prop-filter name="LOCATION"><C:is-not-defined/></C:prop-filter>', True),
        ('<C:prop-filter name="DTSTART"><C:param-filter name="TZID"><C:is-not-defined/></C:param-filter></C:prop-filter>', True),
        ('<C:comp-filter name="VALARM"/>', False),
        ('<C:comp-filter name="VALARM"><C:is-not-defined/></C:comp-filter>', True),
    ],
)
def test_a_query_by_properties(cast: Cast, condition: str, is_found: bool) -> None:
    calendar = a_calendar(cast.alice, time_zone="UTC")
    event = an_event(cast.alice, calendar_id=calendar["id"], title="Jazz night", start_time="2026-06-01T20:00Z", time_zone="UTC")
    names = query(cast.alice, calendar_path(cast.alice, calendar["id"]), "20260601T000000Z", "20260602T000000Z", more=condition)
    assert names == ({f"event-{event['id']}.ics"} if is_found else set())


@pytest.mark.parametrize(("name", "needle", "is_found"), [("SUMMARY", "jazz", True), ("SUMMARY", "rock", False), ("VERSION", "2.0", True)])
def test_a_query_by_properties_may_name_no_component(cast: Cast, name: str, needle: str, is_found: bool) -> None:
    calendar = a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=calendar["id"], title="Jazz night")
    condition = f'<C:prop-filter name="{name}"><C:text-match>{needle}</C:text-match></C:prop-filter>'
    inner = f'<D:prop/><C:filter><C:comp-filter name="VCALENDAR">{condition}</C:comp-filter></C:filter>'
    reply = report(cast.alice, calendar_path(cast.alice, calendar["id"]), "C:calendar-query", inner)
    assert len(responses(reply)) == is_found


def test_expanded_data_has_each_date_alone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="UTC")
    a_series(cast.alice, calendar_id=calendar["id"], start_time="2026-06-01T20:00Z", time_zone="UTC")
    span = 'start="20260605T000000Z" end="20260616T000000Z"'
    inner = f"""<D:prop><C:calendar-data><C:expand {span}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR">
        <C:comp-filter name="VEVENT"><C:time-range {span}/></C:comp-filter></C:comp-filter></C:filter>"""
    reply = report(cast.alice, calendar_path(cast.alice, calendar["id"]), "C:calendar-query", inner)
    text = str(responses(reply).popitem()[1][1][f"{C}calendar-data"].text)
    assert (text.count("RECURRENCE-ID:"), "RRULE" in text) == (2, False)


def test_free_and_busy_times_are_merged(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for start, end in (("10:00", "12:00"), ("11:00", "13:00"), ("15:00", "16:00")):
        an_event(cast.alice, calendar_id=calendar["id"], start_time=f"2026-06-01T{start}Z", end_time=f"2026-06-01T{end}Z")
    inner = '<C:time-range start="20260601T000000Z" end="20260602T000000Z"/>'
    reply = report(cast.alice, calendar_path(cast.alice, calendar["id"]), "C:free-busy-query", inner)
    busy = [line for line in reply.text.splitlines() if line.startswith("FREEBUSY")]
    assert busy == ["FREEBUSY:20260601T100000Z/20260601T130000Z", "FREEBUSY:20260601T150000Z/20260601T160000Z"]


def test_a_shared_calendar_is_in_the_home_of_each_member(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    shared(cast.alice, calendar, cast.bob, "editor")
    names = {}
    for person in (cast.alice, cast.bob, cast.carol):
        listed = responses(propfind(person, f"/dav/users/{person.id}/calendars/", "D:displayname", depth="1"))
        names[person] = listed[str(calendar["id"])][1][f"{D}displayname"].text if str(calendar["id"]) in listed else None
    assert names == {cast.alice: "Jazz", cast.bob: "Jazz (Alice)", cast.carol: None}


def test_a_sync_tells_what_came_changed_and_went(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    first = an_event(cast.alice, calendar_id=calendar["id"])
    name = f"event-{first['id']}.ics"
    names, token = sync(cast.alice, path)
    assert names == {name: 200}
    assert sync(cast.alice, path, token)[0] == {}
    cast.alice.put(f"/api/events/{first['id']}", json={"title": "Changed"})
    series = a_series(cast.alice, calendar_id=calendar["id"])
    series_name = f"series-{series['series_id']}.ics"
    names, token = sync(cast.alice, path, token)
    assert {each for each, status in names.items() if status == 200} == {name, series_name}
    cast.alice.delete(f"/api/events/{first['id']}")
    assert sync(cast.alice, path, token)[0] == {name: 404}
    _, token = sync(cast.alice, path, token)
    reply = cast.alice.delete(f"/api/events/{series['id']}", query={"scope": "all"})
    assert reply.status == 200, reply
    # A follower may know its first date as the event that was repeated.
    assert sync(cast.alice, path, token)[0] == {series_name: 404, f"event-{series['id']}.ics": 404}


def test_a_sync_tells_of_a_series_that_loses_one_date(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    series = a_series(cast.alice, calendar_id=calendar["id"])
    _, token = sync(cast.alice, path)
    assert cast.alice.delete(f"/api/events/{series['id']}").status == 200
    assert sync(cast.alice, path, token)[0][f"series-{series['series_id']}.ics"] == 200


def test_a_sync_tells_that_an_event_is_gone_which_became_a_series_first(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    event = an_event(cast.alice, calendar_id=calendar["id"])
    _, token = sync(cast.alice, path)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json=WEEKLY)
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    assert sync(cast.alice, path, token)[0] == {f"event-{event['id']}.ics": 404, f"series-{series_id}.ics": 200}
    cast.alice.delete(f"/api/events/{event['id']}", query={"scope": "all"})
    assert sync(cast.alice, path, token)[0] == {f"event-{event['id']}.ics": 404, f"series-{series_id}.ics": 404}


def test_a_sync_tells_nothing_of_other_calendars(cast: Cast) -> None:
    one, other = a_calendar(cast.alice), a_calendar(cast.alice)
    path = calendar_path(cast.alice, one["id"])
    event = an_event(cast.alice, calendar_id=other["id"])
    _, token = sync(cast.alice, path)
    cast.alice.delete(f"/api/events/{event['id']}")
    assert sync(cast.alice, path, token)[0] == {}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_sync_in_parts_has_each_resource(cast: Cast, limit: int) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    events = [an_event(cast.alice, calendar_id=calendar["id"]) for _ in range(4)]
    names: set[str] = set()
    token = ""
    for _ in range(10):
        part, token = sync(cast.alice, path, token, limit)
        is_cut = part.pop(str(calendar["id"]), 0) == 507
        assert len(part) <= limit
        names |= set(part)
        if not is_cut:
            break
    assert not is_cut
    assert names == {f"event-{event['id']}.ics" for event in events}
    for event in events:
        cast.alice.put(f"/api/events/{event['id']}", json={"title": "Changed"})
    part, token = sync(cast.alice, path, token, limit)
    assert part.pop(str(calendar["id"]), 0) == 507
    rest, _ = sync(cast.alice, path, token)
    assert len(part) == limit
    assert set(part) | set(rest) == names


def test_a_token_that_is_not_known_must_be_replaced(cast: Cast) -> None:
    one, other = a_calendar(cast.alice), a_calendar(cast.alice)
    path = calendar_path(cast.alice, one["id"])
    prefix, position = sync(cast.alice, path)[1].rsplit(":", 1)
    epoch, tx, entry = position.split(".")
    foreign = sync(cast.alice, calendar_path(cast.alice, other["id"]))[1]
    later = f"{prefix}:{epoch}.{int(tx) + 10**9}.{int(entry) + 10**9}"
    for token in (foreign, "http://example.org/1", f"{prefix}:{int(epoch) - 1}.{tx}.{entry}", later):
        inner = f"<D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop/>"
        reply = report(cast.alice, path, "D:sync-collection", inner)
        assert reply.status == 403, token
        assert tree(reply).find(f"{D}valid-sync-token") is not None


def test_the_ctag_changes_with_any_event(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = calendar_path(cast.alice, calendar["id"])
    tags = []
    for _ in range(2):
        _, props = responses(propfind(cast.alice, path, "CS:getctag", "D:sync-token")).popitem()[1]
        tags.append(props["{http://calendarserver.org/ns/}getctag"].text)
        an_event(cast.alice, calendar_id=calendar["id"])
    assert tags[0] != tags[1]


def test_minimal_replies_leave_out_what_is_missing(cast: Cast) -> None:
    path = calendar_path(cast.alice)
    assert b"404" in propfind(cast.alice, path, "D:displayname", "D:nothing").content
    assert b"404" not in propfind(cast.alice, path, "D:displayname", "D:nothing", Prefer="return=minimal").content


def test_a_file_that_was_read_before_is_that_of_the_event_as_it_is_now(cast: Cast, clock: Clock) -> None:
    event = an_event(cast.alice, title="First")
    path = f"{calendar_path(cast.alice)}event-{event['id']}.ics"
    for title in ("Second", "Third"):
        # Files of events that changed long ago are kept in memory.
        clock.ahead(LAST_MODIFIED_DELAY + 1)
        before = [cast.alice.get(path).content for _ in range(2)]
        assert before[0] == before[1]
        cast.alice.put(f"/api/events/{event['id']}", json={"title": title})
        assert f"SUMMARY:{title}\r\n" in cast.alice.get(path).text


def test_a_file_that_was_read_before_is_nothing_to_those_who_do_not_see_the_event(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    shared(cast.alice, calendar, cast.bob, "viewer")
    path = f"{calendar_path(cast.bob, calendar['id'])}event-{event['id']}.ics"
    clock.ahead(LAST_MODIFIED_DELAY + 1)
    assert [cast.bob.get(path).status for _ in range(2)] == [200, 200]
    own = f"{calendar_path(cast.bob)}event-{event['id']}.ics"
    foreign = f"{calendar_path(cast.alice, calendar['id'])}event-{event['id']}.ics"
    assert [cast.bob.get(each).status for each in (own, foreign)] == [404, 404]
    cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert cast.bob.get(path).status == 404
    # What the public may see is no calendar of one's own.
    cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": True})
    cast.alice.put(f"/api/events/{event['id']}", json={"public": True})
    assert cast.bob.get(path).status == 404
    shared(cast.alice, calendar, cast.bob, "viewer")
    assert cast.bob.get(path).status == 200
    cast.alice.delete(f"/api/events/{event['id']}")
    assert cast.bob.get(path).status == 404
