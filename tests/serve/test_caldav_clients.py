"""Calendars with real clients: vdirsyncer on two devices, and python-caldav."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from caldav.davclient import DAVClient
from caldav.lib.error import AuthorizationError, NotFoundError

from tests.dav.test_write import ALARM, ODD, RULE, ics
from tests.serve.running import Running, bearer
from tests.serve.vdirsyncer import Device


def calendar_device(folder: Path, service: Running, user_name: str, password: str) -> Device:
    """A device with the calendar `band`."""
    more = 'metadata = ["displayname", "color"]'
    return Device(folder, service, user_name, password, type="caldav", collection="band", more=more)


def sign_up(service: Running, name: str) -> tuple[dict[str, str], str]:
    """The Authorization of a new user, and an app password."""
    token = bearer(service.sign_up(name))
    key = service.post("/api/keys", {"name": "device", "kind": "dav"}, headers=token)
    assert key.status == 201, key
    return token, str(key.json["wkey"])


def events(service: Running, token: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {event["title"]: event for event in service.get("/api/events?limit=100", headers=token).json["events"]}


@pytest.mark.soak
def test_two_devices_and_the_page_share_a_calendar(plain: Running, tmp_path: Path) -> None:
    token, password = sign_up(plain, "vdir_owner")
    phone, laptop = (calendar_device(tmp_path / name, plain, "vdir_owner", password) for name in ("phone", "laptop"))
    one, series = ics("one", title="Gig", more=ODD + ALARM).encode(), ics("two", title="Practice", more=RULE + ALARM).encode()
    (phone.files / "one.ics").write_bytes(one)
    (laptop.files / "two.ics").write_bytes(series)
    phone.sync()
    assert laptop.sync() == {"one": one, "two": series}

    # The page and the laptop change the same event: the rule of the laptop lets the server win. The laptop moves the series, too.
    event = events(plain, token)["Gig"]
    assert plain.request("PUT", f"/api/events/{event['id']}", {"title": "Concert"}, token).status == 200
    moved = series.replace(b"20260601T180000Z", b"20260602T170000Z")
    laptop.find("one").write_bytes(one.replace(b"SUMMARY:Gig", b"SUMMARY:Mine"))
    laptop.find("two").write_bytes(moved)
    changed = laptop.sync()["one"].decode()
    # What the page does not know is as it was.
    assert all(part in changed for part in ("SUMMARY:Concert\r\n", ODD, ALARM, "DURATION:PT2H\r\n"))
    assert phone.sync() == {"one": changed.encode(), "two": moved}
    assert events(plain, token)["Practice"]["start_time"] == "2026-06-23T17:00:00+00:00"

    # Deletions on a device and on the page reach each other.
    phone.find("two").unlink()
    (phone.files / "three.ics").write_bytes(ics("three", title="New").encode())
    assert plain.request("DELETE", f"/api/events/{event['id']}", None, token).status == 200
    phone.sync()
    assert laptop.sync().keys() == {"three"}
    assert set(events(plain, token)) == {"New"}


TODO = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Example//EN
BEGIN:VTODO
UID:pack
DTSTAMP:20260101T000000Z
SUMMARY:Pack
DUE:20260601T000000Z
END:VTODO
END:VCALENDAR
"""


def test_python_caldav_makes_a_calendar_and_changes_a_date_of_a_series(plain: Running) -> None:
    token, password = sign_up(plain, "pycaldav_owner")
    client: Any = DAVClient(url=f"http://127.0.0.1:{plain.port}/", username="pycaldav_owner", password=password)
    with client:
        principal = client.principal()
        calendar = principal.make_calendar(name="Tour", cal_id="tour")
        assert {each.get_display_name() for each in principal.calendars()} >= {"Tour"}
        series = calendar.save_event(ics("series", title="Practice", more=RULE))
        span = {"start": datetime(2026, 6, 7, tzinfo=UTC), "end": datetime(2026, 6, 16, tzinfo=UTC)}
        dates = calendar.search(event=True, expand=True, **span)
        assert len(dates) == 2
        date = dates[0]
        date.icalendar_component["summary"] = "Recording"
        date.save(only_this_recurrence=True)
        assert set(events(plain, token)) == {"Practice", "Recording"}

        todo = calendar.save_todo(TODO)
        assert [each.icalendar_component["summary"] for each in calendar.todos()] == ["Pack"]
        todo.complete()
        assert calendar.todos() == []

        token_of_all = calendar.objects_by_sync_token()
        series.delete()
        token_of_all.sync()
        assert len(list(token_of_all)) == 1
        calendar.delete()
        with pytest.raises(NotFoundError):
            calendar.events()
    assert events(plain, token) == {}


def test_python_caldav_uses_shared_and_read_only_calendars_and_moves_an_event(plain: Running) -> None:
    names = ("share_owner", "share_editor", "share_viewer")
    users = {name: sign_up(plain, name) for name in names}
    owner_token = users["share_owner"][0]
    calendar_id = plain.post("/api/calendars", {"name": "Band"}, headers=owner_token).json["id"]
    for name, role in (("share_editor", "editor"), ("share_viewer", "viewer")):
        reply = plain.request("PUT", f"/api/calendars/{calendar_id}/share", {"user_name": name, "role": role}, owner_token)
        assert reply.status == 200, reply
    file = ics("shared", title="Gig", more=ODD + ALARM)
    clients = [DAVClient(url=f"http://127.0.0.1:{plain.port}/", username=name, password=users[name][1]) for name in names]
    owner, editor, viewer = (_find_calendar(client, calendar_id) for client in clients)

    # What the editor writes and moves, the others read.
    event = editor.save_event(file)
    assert [each.icalendar_component["summary"] for each in viewer.events()] == ["Gig"]
    home = _find_calendar(clients[1], None)
    moved = f"{home.url}moved.ics"
    assert clients[1].request(str(event.url), "MOVE", headers={"Destination": moved}).status == 201
    assert (owner.events(), [str(each.url) for each in home.events()]) == ([], [moved])
    assert clients[1].request(moved, "MOVE", headers={"Destination": str(event.url)}).status == 201

    # The viewer can change nothing.
    [read] = viewer.events()
    read.data = file.replace("Gig", "Mine")
    for change in (read.save, read.delete, lambda: viewer.save_event(ics("new"))):
        with pytest.raises(AuthorizationError):
            change()
    assert set(events(plain, owner_token)) == {"Gig"}
    owner.events()[0].delete()
    assert (viewer.events(), editor.events()) == ([], [])


def _find_calendar(client: Any, calendar_id: int | None) -> Any:
    """The calendar of this id in the home of the user, or the first one."""
    calendars = client.principal().calendars()
    return next(each for each in calendars if calendar_id is None or str(each.url).endswith(f"/{calendar_id}/"))
