"""What a device marks as private on a shared calendar (CLASS): the owner and editors of the calendar see it, viewers learn when it is."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.series.steps import occurrences
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, shared, verified
from tests.changes.follower import find_cursor, read_changes
from tests.conftest import Clock
from tests.dav.clients import calendar_path, report, sync
from tests.dav.test_class import classed, event_id, exception
from tests.dav.test_scheduling import ask
from tests.dav.test_shares import state
from tests.dav.test_write import put

DAILY = "RRULE:FREQ=DAILY;COUNT=3\r\n"


class Scene:
    """A calendar of alice with bob as an editor and vera as a viewer, and the file of a device on it."""

    def __init__(self, cast: Cast, **fields: Any) -> None:
        self.cast, self.calendar = cast, a_calendar(cast.alice, time_zone="UTC", **fields)
        for member, role in ((cast.bob, "editor"), (cast.vera, "viewer")):
            shared(cast.alice, self.calendar, member, role)
        self.path = calendar_path(cast.alice, self.calendar["id"])

    def put(self, file: str, person: Person | None = None) -> None:
        person = person or self.cast.alice
        path = f"{calendar_path(person, self.calendar['id'])}a.ics"
        assert put(person, path, file).status in (201, 204)
        assert person.get(path).text == file

    def days(self, person: Person) -> list[str]:
        """The days that the person sees in lists, with what the other ways say: API, pages, feed of the site, devices."""
        calendar_id, path = self.calendar["id"], calendar_path(person, self.calendar["id"])
        events = person.get("/api/events", query={"calendar_id": str(calendar_id), "past": "yes"}).json["events"]
        page = person.get("/calendar", query={"calendar_ids": str(calendar_id), "date": "2026-06-01"})
        device, found = person.get(f"{path}a.ics"), person.get("/api/events", query={"title": "Rehearsal", "past": "yes"})
        ids = [each["id"] for each in found.json["events"] if each["id"] in {event["id"] for event in events}]
        assert bool(events) == ("Rehearsal" in page.text) == (device.status == 200) == bool(state(person, calendar_id)[1]) == bool(ids)
        return [event["start_time"][8:10] for event in events]

    def busy(self, person: Person) -> list[str]:
        inner, path = '<C:time-range start="20260601T000000Z" end="20260604T000000Z"/>', calendar_path(person, self.calendar["id"])
        text = report(person, path, "C:free-busy-query", inner).text
        return [line[15:17] for line in text.splitlines() if line.startswith("FREEBUSY:")]


@pytest.mark.parametrize("value", ["PRIVATE", "CONFIDENTIAL", "X-SECRET"])
def test_viewers_learn_of_a_private_event_only_when_it_is(cast: Cast, db: Database, value: str) -> None:
    verified(db, cast.alice), verified(db, cast.vera)
    scene, vera = Scene(cast), cast.vera
    feed = cast.alice.get(f"/api/calendars/{scene.calendar['id']}").json["feed_url"].partition("/api/")[2]
    for current, days in (("", ["01"]), (value, []), ("PUBLIC", ["01"]), (value, []), ("", ["01"])):
        scene.put(classed(current))
        assert (scene.days(cast.alice), scene.days(cast.bob), scene.days(vera)) == (["01"], ["01"], days)
        own = event_id(cast.alice, scene.path)
        for path in (f"/api/events/{own}", f"/events/{own}", f"/api/events/{own}.ics"):
            assert (vera.get(path).status, cast.bob.get(path).status) == (200 if days else 404, 200), path
        assert ("Rehearsal" in cast.anonymous.get(f"/api/{feed}").text) == bool(days)
        assert scene.busy(vera) == scene.busy(cast.alice) == ["01"]
        reply = ask(vera, cast.alice).text
        assert "FREEBUSY:20260601T180000Z" in reply
        assert "Rehearsal" not in reply


def test_who_becomes_an_editor_sees_private_events_and_a_viewer_loses_them(cast: Cast) -> None:
    scene, bob = Scene(cast), cast.bob
    path = calendar_path(bob, scene.calendar["id"])
    scene.put(classed("PRIVATE"))
    for role, is_seen in (("viewer", False), ("editor", True), ("viewer", False)):
        token, ctag, cursor = sync(bob, path)[1], state(bob, scene.calendar["id"])[0], find_cursor(bob, "kinds=event")
        shared(cast.alice, scene.calendar, bob, role)
        assert (bool(state(bob, scene.calendar["id"])[1]), state(bob, scene.calendar["id"])[0] != ctag) == (is_seen, True)
        assert sync(bob, path, token)[0] == {"a.ics": 200 if is_seen else 404}
        changes = read_changes(bob, f"cursor={cursor}&kinds=event")["changes"]
        assert [change["op"] for change in changes] == ["put" if is_seen else "gone"], role


def test_a_device_of_a_viewer_follows_what_becomes_private(cast: Cast) -> None:
    scene = Scene(cast)
    path = calendar_path(cast.vera, scene.calendar["id"])
    scene.put(classed(""))
    for value, status in (("PRIVATE", 404), ("", 200)):
        token, ctag = sync(cast.vera, path)[1], state(cast.vera, scene.calendar["id"])[0]
        scene.put(classed(value), cast.bob)
        assert sync(cast.vera, path, token)[0] == {"a.ics": status}
        assert state(cast.vera, scene.calendar["id"])[0] != ctag


def test_on_a_public_calendar_members_see_what_is_private_and_editors_what_is_confidential(cast: Cast) -> None:
    scene = Scene(cast, public=True)
    for value, seen in (("PRIVATE", ["01"]), ("CONFIDENTIAL", []), ("PUBLIC", ["01"])):
        scene.put(classed(value))
        assert (scene.days(cast.vera), scene.days(cast.bob)) == (seen, ["01"])
        assert cast.anonymous.get(f"/api/events/{event_id(cast.alice, scene.path)}").status == (200 if value == "PUBLIC" else 404)


def test_a_date_of_a_series_is_private_alone_and_those_of_a_private_series_all(cast: Cast) -> None:
    scene = Scene(cast)
    series = {value: classed(value, DAILY).replace("END:VCALENDAR\r\n", "") for value in ("", "PRIVATE")}
    for file, days in (
        (series[""] + "END:VCALENDAR\r\n", ["01", "02", "03"]),
        (series[""] + exception("PRIVATE", "Alone"), ["01", "03"]),
        (series["PRIVATE"] + exception("PUBLIC", "Alone"), []),
        (series["PRIVATE"] + "END:VCALENDAR\r\n", []),
        (series[""] + "END:VCALENDAR\r\n", ["01", "02", "03"]),
    ):
        scene.put(file)
        assert (scene.days(cast.vera), scene.days(cast.bob)) == (days, ["01", "02", "03"]), file
        assert scene.busy(cast.vera) == ["01", "02", "03"]
        copy = cast.vera.get(f"{calendar_path(cast.vera, scene.calendar['id'])}a.ics").text
        assert "Alone" not in copy
        assert not days or len(days) == 3 or "EXDATE" in copy


def test_a_viewer_who_has_read_a_part_of_a_series_does_not_delete_the_rest_as_an_editor(cast: Cast) -> None:
    scene, vera = Scene(cast), cast.vera
    scene.put(classed("", DAILY).replace("END:VCALENDAR\r\n", "") + exception("PRIVATE", "Alone"))
    path = f"{calendar_path(vera, scene.calendar['id'])}a.ics"
    part = vera.get(path)
    shared(cast.alice, scene.calendar, vera, "editor")
    assert vera.get(path).headers["ETag"] != part.headers["ETag"]
    assert put(vera, path, part.text, If_Match=part.headers["ETag"]).status == 412


def test_new_dates_of_a_private_series_are_private(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    scene = Scene(cast)
    scene.put(classed("PRIVATE", "RRULE:FREQ=MONTHLY\r\n"))
    count = len(scene.days(cast.alice))
    series_id = cast.alice.get(f"/api/events/{event_id(cast.alice, scene.path)}").json["series_id"]
    ctx = Context(db, settings, clock.now + 200 * 86_400)
    with ctx.write():
        occurrences.extend(ctx, series_id)
    assert len(scene.days(cast.alice)) > count
    assert scene.days(cast.vera) == []


def test_what_is_private_stays_so_when_it_is_repeated_moved_added_deleted_and_restored(cast: Cast) -> None:
    scene, alice = Scene(cast), cast.alice
    other = a_calendar(alice, time_zone="UTC")
    shared(alice, other, cast.vera, "viewer")
    scene.put(classed("PRIVATE"))
    own = event_id(alice, scene.path)
    assert alice.put(f"/api/events/{own}/add", json={"calendar_id": scene.calendar["id"]}).status == 200
    assert alice.put(f"/api/events/{own}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-03"}).status == 200
    ids = [each["id"] for each in alice.get(f"/api/events?calendar_id={scene.calendar['id']}&past=yes").json["events"]]
    assert len(ids) == 3

    def statuses() -> set[int]:
        return {cast.vera.get(f"/api/events/{each}").status for each in ids}

    assert statuses() == {404}
    assert alice.delete(f"/api/events/{ids[1]}", json={"scope": "this"}).status == 200
    seq = alice.get("/api/trash").json["trash"][0]["seq"]
    assert alice.post(f"/api/changes/{seq}/undo").status == 200
    assert alice.get(f"/api/events/{ids[1]}").status == 200
    assert statuses() == {404}
    target = f"{calendar_path(alice, other['id'])}a.ics"
    assert alice.request("MOVE", f"{scene.path}a.ics", headers={"Destination": target}).status == 201
    assert [each["id"] for each in alice.get(f"/api/events/{own}").json["calendars"]] == [other["id"]]
    assert statuses() == {404}
