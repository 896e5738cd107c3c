"""Long lists are read in another way than single resources, and must say the same."""

from urllib.parse import quote
from xml.etree.ElementTree import Element

from tests.cast import Cast, a_calendar, an_event
from tests.dav.clients import D, calendar_path, propfind, responses
from tests.dav.test_read import WEEKLY
from tests.dav.test_write import ALARM, MOVED, ODD, RULE, ics, put


def test_all_lists_and_replies_have_the_same_etag_of_each_kind_of_resource(cast: Cast) -> None:
    alice, calendar_id = cast.alice, a_calendar(cast.alice)["id"]
    path = calendar_path(alice, calendar_id)
    date = MOVED.replace("UID:u1", "UID:dates")
    dates = date + date.replace("0608", "0615").replace("0609", "0616")
    files = {
        "one.ics": ics("one", more=ODD + ALARM),
        "changed here.ics": ics("changed", title="Changed"),
        "repeated.ics": ics("repeated", title="Repeated"),
        "series.ics": ics("series", more=RULE),
        "moved.ics": ics("u1", more=RULE).replace("END:VCALENDAR", f"{MOVED}END:VCALENDAR"),
        # Two dates of a series of which the client knows no rule.
        "dates.ics": f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{dates}END:VCALENDAR\r\n",
        "task.ics": ics("task", component="VTODO"),
    }
    for name, file in files.items():
        assert put(alice, f"{path}{quote(name)}", file).status == 201
    ids = {event["title"]: event["id"] for event in alice.get("/api/events", query={"calendar_id": calendar_id}).json["events"]}
    assert alice.put(f"/api/events/{ids['Changed']}", json={"title": "New"}).status == 200
    for event_id in (ids["Repeated"], an_event(alice, calendar_id=calendar_id)["id"]):
        assert alice.put(f"/api/events/{event_id}/repeat", json=WEEKLY).status == 200
    an_event(alice, calendar_id=calendar_id)

    lists = [responses(propfind(alice, path, "D:getetag", "D:getlastmodified", *more, depth="1")) for more in ((), ("D:getcontentlength",))]
    tags, with_files = ({name: _values(props) for name, (_, props) in each.items() if name.endswith(".ics")} for each in lists)
    assert len(tags) == len(files) + 2
    assert tags == with_files
    assert {name: alice.get(f"{path}{name}").headers["ETag"] for name in tags} == {name: tag for name, (tag, _) in tags.items()}


def _values(props: dict[str, Element]) -> tuple[str | None, str | None]:
    return props[f"{D}getetag"].text, props[f"{D}getlastmodified"].text
