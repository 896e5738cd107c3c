"""Calendars with real clients: vdirsyncer on two devices, and python-caldav."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from caldav.davclient import DAVClient
from caldav.lib.error import AuthorizationError, NotFoundError, PutError

from tests.dav.test_write import ALARM, MOVED, ODD, RULE, ics
from tests.serve.running import Running, bearer
from tests.serve.vdirsyncer import Device

# Four weeks, with a date at another time.
SERIES = ics(title="Practice", more=RULE + ODD + ALARM).replace("END:VCALENDAR", f"{MOVED}END:VCALENDAR")


def calendar_device(folder: Path, service: Running, user_name: str, password: str, *collections: str) -> Device:
    """A device with these calendars, or with `band`."""
    more = 'metadata = ["displayname", "color"]'
    return Device(folder, service, user_name, password, type="caldav", collections=collections or ["band"], more=more)


def sign_up(service: Running, name: str) -> tuple[dict[str, str], str]:
    """The Authorization of a new user, and an app password."""
    token = bearer(service.sign_up(name))
    key = service.post("/api/keys", {"name": "device", "kind": "dav"}, headers=token)
    assert key.status == 201, key
    return token, str(key.json["wkey"])


def share_calendar(service: Running) -> tuple[str, dict[str, tuple[dict[str, str], str]]]:
    """The id of a calendar with an owner, an editor and a viewer, and what `sign_up` returns for each of them."""
    users = {role: sign_up(service, f"the_{role}") for role in ("owner", "editor", "viewer")}
    token = users["owner"][0]
    calendar_id = service.post("/api/calendars", {"name": "Band"}, headers=token).json["id"]
    for role in ("editor", "viewer"):
        reply = service.request("PUT", f"/api/calendars/{calendar_id}/share", {"user_name": f"the_{role}", "role": role}, token)
        assert reply.status == 200, reply
    return str(calendar_id), users


def events(service: Running, token: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {event["title"]: event for event in service.get("/api/events?limit=100", headers=token).json["events"]}


def unstamped(file: str) -> str:
    """The file without the lines that say when it was changed."""
    return re.sub(r"^(DTSTAMP|LAST-MODIFIED|SEQUENCE):.*\r\n", "", file, flags=re.MULTILINE)


@pytest.mark.soak
def test_two_devices_and_the_page_share_a_calendar(service: Running, tmp_path: Path) -> None:
    token, password = sign_up(service, "vdir_owner")
    phone, laptop = (calendar_device(tmp_path / name, service, "vdir_owner", password) for name in ("phone", "laptop"))
    one, series = ics("one", title="Gig", more=ODD + ALARM).encode(), ics("two", title="Practice", more=RULE + ALARM).encode()
    (phone.files / "one.ics").write_bytes(one)
    (laptop.files / "two.ics").write_bytes(series)
    phone.sync()
    assert laptop.sync() == {"one": one, "two": series}

    # The page and the laptop change the same event: the rule of the laptop lets the server win. The laptop moves the series, too.
    event = events(service, token)["Gig"]
    assert service.request("PUT", f"/api/events/{event['id']}", {"title": "Concert"}, token).status == 200
    moved = series.replace(b"20260601T180000Z", b"20260602T170000Z")
    laptop.find("one").write_bytes(one.replace(b"SUMMARY:Gig", b"SUMMARY:Mine"))
    laptop.find("two").write_bytes(moved)
    changed = laptop.sync()["one"].decode()
    # What the page does not know is as it was.
    assert all(part in changed for part in ("SUMMARY:Concert\r\n", ODD, ALARM, "DURATION:PT2H\r\n"))
    assert phone.sync() == {"one": changed.encode(), "two": moved}
    assert events(service, token)["Practice"]["start_time"] == "2026-06-23T17:00:00+00:00"

    # Deletions on a device and on the page reach each other.
    phone.find("two").unlink()
    (phone.files / "three.ics").write_bytes(ics("three", title="New").encode())
    assert service.request("DELETE", f"/api/events/{event['id']}", None, token).status == 200
    phone.sync()
    assert laptop.sync().keys() == {"three"}
    assert set(events(service, token)) == {"New"}


@pytest.mark.soak
def test_devices_of_an_owner_an_editor_and_a_viewer_share_a_calendar(service: Running, tmp_path: Path) -> None:
    calendar_id, users = share_calendar(service)
    owner, editor, viewer = (
        calendar_device(tmp_path / role, service, f"the_{role}", password, calendar_id) for role, (_, password) in users.items()
    )
    one, series = ics("one", title="Gig", more=ODD + ALARM).encode(), SERIES.encode()
    (editor.files / "one.ics").write_bytes(one)
    (editor.files / "series.ics").write_bytes(series)
    editor.sync()
    assert owner.sync() == viewer.sync() == {"one": one, "u1": series}

    # What the viewer changes, creates and deletes is refused, and stays on the device.
    mine, new = one.replace(b"Gig", b"Mine"), ics("new").encode()
    viewer.find("one").write_bytes(mine)
    (viewer.files / "new.ics").write_bytes(new)
    viewer.find("u1").unlink()
    assert viewer.sync_with_refusals() == 3
    assert viewer.read() == {"one": mine, "new": new}
    assert owner.sync() == {"one": one, "u1": series}

    # A date is changed on the page: the lines of the other components, and those of the editor's program, are as they were.
    service_events, token = events(service, users["owner"][0]), users["editor"][0]
    reply = service.request("PUT", f"/api/events/{service_events['Moved']['id']}", {"title": "Recording"}, token)
    assert reply.status == 200, reply
    assert service.request("PUT", f"/api/events/{service_events['Gig']['id']}", {"title": "Concert"}, token).status == 200
    changed = editor.sync()
    assert unstamped(changed["one"].decode()) == unstamped(one.decode().replace("Gig", "Concert"))
    assert unstamped(changed["u1"].decode()) == unstamped(SERIES.replace("Moved", "Recording"))
    assert owner.sync() == changed


@pytest.mark.soak
def test_a_file_that_a_device_moves_to_another_calendar_comes_back_unchanged(service: Running, tmp_path: Path) -> None:
    token, password = sign_up(service, "vdir_mover")
    phone, laptop = (calendar_device(tmp_path / name, service, "vdir_mover", password, "band", "tour") for name in ("phone", "laptop"))
    (phone.files / "series.ics").write_bytes(SERIES.encode())
    phone.sync()
    assert laptop.sync() == {"u1": SERIES.encode()}
    dates = set(events(service, token))
    laptop.find("u1").rename(laptop.folders["tour"] / "moved.ics")
    laptop.sync()
    assert (phone.sync(), phone.read("tour")) == ({}, {"u1": SERIES.encode()})
    [tour] = [each["id"] for each in service.get("/api/calendars", headers=token).json["calendars"] if each["name"] == "tour"]
    in_tour = service.get(f"/api/events?limit=100&calendar_id={tour}", headers=token).json["events"]
    assert {event["title"] for event in in_tour} == dates == set(events(service, token))
    assert len(in_tour) == 4


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


@pytest.mark.on_one_database
def test_python_caldav_makes_a_calendar_and_changes_a_date_of_a_series(service: Running) -> None:
    token, password = sign_up(service, "pycaldav_owner")
    client: Any = DAVClient(url=f"http://127.0.0.1:{service.port}/", username="pycaldav_owner", password=password)
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
        assert set(events(service, token)) == {"Practice", "Recording"}

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
    assert events(service, token) == {}


@pytest.mark.on_one_database
def test_python_caldav_uses_shared_and_read_only_calendars_and_moves_an_event(service: Running) -> None:
    calendar_id, users = share_calendar(service)
    file = ics("shared", title="Gig", more=ODD + ALARM)
    url = f"http://127.0.0.1:{service.port}/"
    clients = [DAVClient(url=url, username=f"the_{role}", password=password) for role, (_, password) in users.items()]
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
    assert set(events(service, users["owner"][0])) == {"Gig"}
    owner.events()[0].delete()
    assert (viewer.events(), editor.events()) == ([], [])


def _find_calendar(client: Any, calendar_id: str | None) -> Any:
    """The calendar of this id in the home of the user, or the first one."""
    calendars = client.principal().calendars()
    return next(each for each in calendars if calendar_id is None or str(each.url).endswith(f"/{calendar_id}/"))


@pytest.mark.on_one_database
def test_python_caldav_with_an_app_password_of_one_calendar_that_only_reads(service: Running) -> None:
    token = bearer(service.sign_up("limited_owner"))
    ids = [service.post("/api/calendars", {"name": name}, headers=token).json["id"] for name in ("Choir", "Diary")]
    limits = {"name": "phone", "kind": "dav", "calendar_ids": ids[:1]}
    passwords = [str(service.post("/api/keys", limits | more, headers=token).json["wkey"]) for more in ({}, {"read_only": True})]
    root = f"http://127.0.0.1:{service.port}"
    clients: list[Any] = [DAVClient(url=f"{root}/", username="limited_owner", password=password) for password in passwords]
    for client in clients:
        [calendar] = client.principal().calendars()
        assert calendar.get_display_name() == "Choir"
        other = client.calendar(url=str(calendar.url).replace(f"/{ids[0]}/", f"/{ids[1]}/"))
        with pytest.raises((AuthorizationError, PutError)):
            other.save_event(ics("other", title="Other"))
    writing, reading = (client.principal().calendars()[0] for client in clients)
    writing.save_event(ics("first", title="First"))
    assert len(reading.events()) == 1
    with pytest.raises(AuthorizationError):
        reading.save_event(ics("second", title="Second"))
    assert set(events(service, token)) == {"First"}
