"""Writing calendars over CalDAV: PUT and DELETE."""

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Reply
from tests.dav.clients import D, calendar_path, propfind, report, responses, sync, tree
from tests.dav.test_read import query

ALARM = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:Wake up\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n"
ODD = 'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE="Hall: 3":geo:52.52,13.405\r\nX-LONG:begins here\r\n  and goes on\r\n'


def ics(uid: str = "u1", *, more: str = "", title: str = "Rehearsal", start: str = "20260601T180000Z", component: str = "VEVENT") -> str:
    return f"""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:{component}\r\nUID:{uid}\r\nDTSTAMP:20260101T000000Z\r
SUMMARY:{title}\r\nDTSTART:{start}\r\nDURATION:PT2H\r\n{more}END:{component}\r\nEND:VCALENDAR\r\n"""


def put(person: object, path: str, body: str | bytes, **headers: str) -> Reply:
    fields = {"Content-Type": "text/calendar; charset=utf-8", **{name.replace("_", "-"): value for name, value in headers.items()}}
    reply: Reply = person.request("PUT", path, body=body, headers=fields)  # type: ignore[attr-defined]
    return reply


def condition(reply: Reply) -> str:
    """The precondition that failed."""
    return tree(reply)[0].tag.rpartition("}")[2]


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


def test_what_a_client_writes_is_an_event_here_and_comes_back_byte_for_byte(cast: Cast, path: str) -> None:
    alice, file = cast.alice, ics(more=ODD + ALARM)
    reply = put(alice, f"{path}my%20name.ics", file, If_None_Match="*")
    assert (reply.status, reply.content) == (201, b"")
    got = alice.get(f"{path}my name.ics")
    assert (got.content, got.headers["ETag"]) == (file.encode(), reply.headers["ETag"])
    assert set(responses(propfind(alice, path, "D:getetag", depth="1"))) == {path.split("/")[-2], "my%20name.ics"}
    [event] = alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]
    assert (event["title"], event["start_time"], event["end_time"]) == (
        "Rehearsal",
        "2026-06-01T18:00:00+00:00",
        "2026-06-01T20:00:00+00:00",
    )


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le"])
def test_a_file_in_another_encoding_comes_back_in_utf_8(cast: Cast, path: str, encoding: str) -> None:
    file = ics(title="Café")
    reply = put(cast.alice, f"{path}a.ics", file.encode(encoding))
    assert (reply.status, "ETag" in reply.headers) == (201, False)
    assert cast.alice.get(f"{path}a.ics").text == file


def test_a_change_on_the_page_is_merged_into_the_file_of_the_client(cast: Cast, path: str) -> None:
    alice = cast.alice
    before = put(alice, f"{path}a.ics", ics(more=ODD + ALARM)).headers["ETag"]
    [event] = alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]
    assert alice.put(f"/api/events/{event['id']}", json={"title": "Concert"}).status == 200
    got = alice.get(f"{path}a.ics")
    assert got.headers["ETag"] != before
    assert "SUMMARY:Concert\r\n" in got.text
    assert "DURATION:PT2H\r\n" in got.text
    assert ODD in got.text
    assert ALARM in got.text
    assert put(alice, f"{path}a.ics", ics(title="Mine"), If_Match=before).status == 412
    reply = put(alice, f"{path}a.ics", got.text.replace("Concert", "Gala"), If_Match=got.headers["ETag"])
    assert reply.status == 204
    assert alice.get(f"/api/events/{event['id']}").json["title"] == "Gala"
    assert alice.get(f"{path}a.ics").text == got.text.replace("Concert", "Gala")


def test_an_event_of_the_page_is_changed_under_its_name(cast: Cast) -> None:
    alice, path = cast.alice, calendar_path(cast.alice)
    event = an_event(alice, title="Talk")
    name = f"event-{event['id']}.ics"
    got = alice.get(f"{path}{name}")
    body = got.text.replace("SUMMARY:Talk", "SUMMARY:Speech").replace("END:VEVENT", f"{ALARM}END:VEVENT")
    assert put(alice, f"{path}{name}", body, If_Match=got.headers["ETag"]).status == 204
    assert alice.get(f"/api/events/{event['id']}").json["title"] == "Speech"
    assert alice.get(f"{path}{name}").text == body


RULE = "RRULE:FREQ=WEEKLY;COUNT=4\r\n"
MOVED = """BEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20260101T000000Z\r\nRECURRENCE-ID:20260608T180000Z\r\nSUMMARY:Moved\r
DTSTART:20260609T180000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n"""


def starts(cast: Cast, path: str) -> list[str]:
    reply = cast.alice.get("/api/events", query={"calendar_id": path.split("/")[-2]})
    return [event["start_time"][5:10] for event in reply.json["events"]]


def test_a_series_with_exceptions_is_written_and_changed(cast: Cast, path: str) -> None:
    file = ics(more=RULE).replace("END:VCALENDAR", f"{MOVED}END:VCALENDAR")
    etag = put(cast.alice, f"{path}s.ics", file).headers["ETag"]
    assert starts(cast, path) == ["06-01", "06-09", "06-15", "06-22"]
    assert cast.alice.get(f"{path}s.ics").text == file
    without = ics(more=f"{RULE}EXDATE:20260615T180000Z\r\n")
    assert put(cast.alice, f"{path}s.ics", without, If_Match=etag).status == 204
    assert starts(cast, path) == ["06-01", "06-08", "06-22"]
    assert put(cast.alice, f"{path}s.ics", ics(more=RULE)).status == 204
    assert starts(cast, path) == ["06-01", "06-08", "06-15", "06-22"]
    assert put(cast.alice, f"{path}s.ics", ics()).status == 204
    assert starts(cast, path) == ["06-01"]
    assert cast.alice.get(f"{path}s.ics").text == ics()


def test_one_date_that_is_deleted_on_the_page_is_an_exception_in_the_file(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}s.ics", ics(more=RULE + ALARM))
    events = cast.alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]
    assert cast.alice.delete(f"/api/events/{events[1]['id']}").status == 200
    got = cast.alice.get(f"{path}s.ics").text
    assert "EXDATE:20260608T180000Z\r\n" in got
    assert RULE in got
    assert ALARM in got


def test_a_sync_names_what_clients_wrote_as_they_did(cast: Cast, path: str) -> None:
    alice = cast.alice
    _, token = sync(alice, path)
    put(alice, f"{path}a.ics", ics("a"))
    put(alice, f"{path}s.ics", ics("s", more=RULE))
    put(alice, f"{path}t.ics", ics("t", component="VTODO"))
    names, token = sync(alice, path, token)
    assert names == {"a.ics": 200, "s.ics": 200, "t.ics": 200}
    # An alarm is nothing that an event here has.
    put(alice, f"{path}a.ics", ics("a", more=ALARM))
    names, token = sync(alice, path, token)
    assert names == {"a.ics": 200}
    assert [alice.request("DELETE", f"{path}{name}.ics").status for name in "ast"] == [204, 204, 204]
    names, token = sync(alice, path, token)
    assert names == {"a.ics": 404, "s.ics": 404, "t.ics": 404}
    assert alice.get(f"{path}t.ics").status == 404
    put(alice, f"{path}t.ics", ics("t", component="VTODO"), If_None_Match="*")
    assert sync(alice, path, token)[0] == {"t.ics": 200}


def test_the_ctag_changes_with_an_alarm(cast: Cast, path: str) -> None:
    tags = []
    for more in ("", ALARM):
        put(cast.alice, f"{path}a.ics", ics(more=more))
        _, props = responses(propfind(cast.alice, path, "CS:getctag")).popitem()[1]
        tags.append(props["{http://calendarserver.org/ns/}getctag"].text)
    assert tags[0] != tags[1]


def test_preconditions_protect_what_others_wrote(cast: Cast, path: str) -> None:
    alice = cast.alice
    etag = put(alice, f"{path}a.ics", ics()).headers["ETag"]
    assert put(alice, f"{path}a.ics", ics(title="x"), If_None_Match="*").status == 412
    assert put(alice, f"{path}b.ics", ics("b"), If_Match="*").status == 412
    assert put(alice, f"{path}a.ics", ics(title="x"), If_Match='"other"').status == 412
    assert alice.request("DELETE", f"{path}a.ics", headers={"If-Match": '"other"'}).status == 412
    assert put(alice, f"{path}a.ics", ics(title="x"), If_Match=etag).status == 204
    assert alice.request("DELETE", f"{path}a.ics", headers={"If-Match": etag}).status == 412
    assert alice.request("DELETE", f"{path}a.ics", headers={"If-Match": "*"}).status == 204
    assert alice.request("DELETE", f"{path}a.ics").status == 404


def test_a_uid_is_in_a_calendar_once(cast: Cast, path: str) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", ics("same"))
    reply = put(alice, f"{path}b.ics", ics("same"))
    assert (reply.status, condition(reply)) == (409, "no-uid-conflict")
    assert tree(reply)[0].findtext(f"{D}href") == f"{path}a.ics"
    assert condition(put(alice, f"{path}a.ics", ics("other"))) == "no-uid-conflict"
    made = alice.post(
        "/api/events", json={"title": "x", "start_time": "2026-06-01T20:00Z", "uid": "api", "calendar_id": path.split("/")[-2]}
    )
    reply = put(alice, f"{path}c.ics", ics("api"))
    assert tree(reply)[0].findtext(f"{D}href") == f"{path}event-{made.json['id']}.ics"
    # Another calendar may have it, and so may this one when it is free again.
    assert put(alice, f"{calendar_path(alice, a_calendar(alice)['id'])}a.ics", ics("same")).status == 201
    alice.request("DELETE", f"{path}a.ics")
    assert put(alice, f"{path}b.ics", ics("same")).status == 201


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", "valid-calendar-data"),
        ("hello", "valid-calendar-data"),
        (ics().replace("END:VEVENT\r\n", ""), "valid-calendar-data"),
        (ics() + ics("u2"), "valid-calendar-data"),
        (ics().replace("DTSTART", "X-START"), "valid-calendar-data"),
        (b"\xff\xfe\x00", "valid-calendar-data"),
        ("BEGIN:VCALENDAR\r\n" + "BEGIN:X\r\n" * 5_000, "valid-calendar-data"),
        (ics("u2").replace("END:VCALENDAR", f"{MOVED}END:VCALENDAR"), "valid-calendar-object-resource"),
        (ics().replace("UID:u1\r\n", ""), "valid-calendar-object-resource"),
        (ics().replace("VERSION", "METHOD:REQUEST\r\nVERSION"), "valid-calendar-object-resource"),
        ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n", "valid-calendar-object-resource"),
        (ics(component="VFREEBUSY"), "supported-calendar-component"),
    ],
)
def test_a_file_that_is_no_resource_is_refused_with_the_reason(cast: Cast, path: str, body: str, expected: str) -> None:
    reply = put(cast.alice, f"{path}a.ics", body)
    assert (reply.status, condition(reply)) == (403, expected)
    assert cast.alice.get(f"{path}a.ics").status == 404


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "more",
    [
        "RRULE:FREQ=SECONDLY\r\n",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\n",
        "RRULE:FREQ=DAILY;COUNT=999999999\r\n",
        "RRULE:FREQ=DAILY;UNTIL=99991231\r\n",
        "RRULE:" + "X" * 100_000 + "\r\n",
        "RRULE:FREQ=MONTHLY;BYDAY=" + ",".join(["5FR"] * 2_000) + "\r\n",
        "EXDATE:" + ",".join(["20260601T180000Z"] * 5_000) + "\r\n",
        "RDATE:nonsense\r\n",
        "DTEND:99999999T999999Z\r\n",
        "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "QUFB" * 10_000 + "\r\n",
        "RRULE:FREQ=DAILY;COUNT=2\r\nEXDATE:20260601T180000Z,20260602T180000Z\r\n",
    ],
)
def test_whatever_is_valid_is_kept_as_it_was_sent(cast: Cast, path: str, more: str) -> None:
    file = ics(more=more)
    assert put(cast.alice, f"{path}a.ics", file).status == 201
    assert cast.alice.get(f"{path}a.ics").text == file


@pytest.mark.on_one_database
def test_years_without_a_calendar_and_other_types_are_told_apart(cast: Cast, path: str) -> None:
    file = ics(start="00010101T000000Z")
    assert put(cast.alice, f"{path}old.ics", file).status == 201
    assert cast.alice.get(f"{path}old.ics").text == file
    assert put(cast.alice, f"{path}a.ics", ics(), Content_Type="image/png").status == 415
    assert put(cast.alice, f"{path}event-999999999.ics", ics("u3")).status == 403


def test_a_task_is_kept_and_found_by_its_component(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}t.ics", ics("t", component="VTODO"))
    put(cast.alice, f"{path}a.ics", ics("a"))
    assert query(cast.alice, path, "20260601T000000Z", "20260602T000000Z", "VTODO") == {"t.ics"}
    assert query(cast.alice, path, "20260601T000000Z", "20260602T000000Z") == {"a.ics"}


def busy(cast: Cast, path: str, year: int) -> list[str]:
    """The times of June in which the calendar makes its owner busy."""
    reply = report(cast.alice, path, "C:free-busy-query", f'<C:time-range start="{year}0601T000000Z" end="{year}0701T000000Z"/>')
    return [line.split("/")[0][-12:] for line in reply.text.splitlines() if line.startswith("FREEBUSY")]


def test_what_a_client_wrote_as_transparent_makes_nobody_busy(cast: Cast, path: str) -> None:
    free = "TRANSP:TRANSPARENT\r\n"
    put(cast.alice, f"{path}free.ics", ics("free", more=free))
    put(cast.alice, f"{path}daily.ics", ics("daily", start="20260601T080000Z", more=f"RRULE:FREQ=DAILY\r\n{free}"))
    put(cast.alice, f"{path}yearly.ics", ics("yearly", start="20260603T080000Z", more="RRULE:FREQ=YEARLY\r\nTRANSP:OPAQUE\r\n"))
    moved = MOVED.replace("END:VEVENT", f"{free}END:VEVENT")
    put(cast.alice, f"{path}s.ics", ics(more=RULE).replace("END:VCALENDAR", f"{moved}END:VCALENDAR"))
    assert busy(cast, path, 2026) == ["0601T180000Z", "0603T080000Z", "0615T180000Z", "0622T180000Z"]
    # In years for which endless series have no events yet.
    assert busy(cast, path, 2045) == ["0603T080000Z"]


def test_tentative_events_are_busy_tentative(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}a.ics", ics("a"))
    put(cast.alice, f"{path}b.ics", ics("b", start="20260603T080000Z", more="STATUS:TENTATIVE\r\n"))
    reply = report(cast.alice, path, "C:free-busy-query", '<C:time-range start="20260601T000000Z" end="20260701T000000Z"/>')
    kinds = [line.partition("/")[0] for line in reply.text.splitlines() if line.startswith("FREEBUSY")]
    assert kinds == ["FREEBUSY:20260601T180000Z", "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260603T080000Z"]


def test_an_event_on_a_second_calendar_is_taken_off_there_and_stays_at_home(cast: Cast, path: str) -> None:
    alice = cast.alice
    event = an_event(alice)
    alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": int(path.split("/")[-2])})
    name = f"event-{event['id']}.ics"
    body = alice.get(f"{path}{name}").text.replace("SUMMARY:", "SUMMARY:New ")
    assert put(alice, f"{path}{name}", body).status == 204
    assert alice.get(f"/api/events/{event['id']}").json["title"].startswith("New ")
    assert alice.request("DELETE", f"{path}{name}").status == 204
    assert alice.get(f"{path}{name}").status == 404
    assert alice.get(f"{calendar_path(alice)}{name}").status == 200


def test_a_deleted_series_is_restored_with_its_name_and_its_file(cast: Cast, path: str) -> None:
    alice, file = cast.alice, ics(more=RULE + ALARM)
    put(alice, f"{path}s.ics", file)
    _, token = sync(alice, path)
    assert alice.request("DELETE", f"{path}s.ics").status == 204
    [deleted] = [each for each in alice.get("/api/trash").json["trash"] if each["title"] == "Rehearsal"]
    reply = alice.post(f"/api/changes/{deleted['seq']}/undo")
    assert reply.status == 200, reply
    assert sync(alice, path, token)[0] == {"s.ics": 200}
    assert alice.get(f"{path}s.ics").text == file


def test_privileges_say_what_a_client_may_do(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    rights = {}
    for person in (cast.alice, cast.bob, cast.vera):
        reply = propfind(person, calendar_path(person, calendar["id"]), "D:current-user-privilege-set")
        _, props = responses(reply).popitem()[1]
        rights[person] = {privilege.tag.removeprefix(D) for privilege in props[f"{D}current-user-privilege-set"].iterfind("*/*")}
    assert {"read", "write-content", "bind", "unbind"} <= rights[cast.alice] & rights[cast.bob]
    assert rights[cast.vera] == {"read", "read-current-user-privilege-set"}
