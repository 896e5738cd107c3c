"""A calendar with khal, and its tasks with todoman, on a device of vdirsyncer."""

from pathlib import Path

import pytest

from tests.serve.running import Running
from tests.serve.test_caldav_clients import events, share_calendar, sign_up
from tests.serve.vdirsyncer import Device

KHAL = """[calendars]
{calendars}
[sqlite]
path = {folder}/khal.db
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = UTC
default_timezone = UTC
[default]
default_calendar = {default}
"""
TODOMAN = """path = "{folder}/files/*"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
default_list = "{default}"
cache_path = "{folder}/todoman.db"
"""
# In a process of its own, since importing khal changes the time zones that icalendar uses.
MOVE = """
import sys
from khal.cli_utils import build_collection
from khal.settings import get_config
config, title, collection = sys.argv[1:]
calendars = build_collection(get_config(config), None)
[event] = calendars.search(title)
calendars.change_collection(event, collection)
"""


class Laptop(Device):
    """A device with khal and todoman."""

    def __init__(self, folder: Path, service: Running, user_name: str, password: str, *collections: str):
        collections = collections or ("band",)
        super().__init__(folder, service, user_name, password, type="caldav", collections=collections)
        calendars = "\n".join(f"[[{name}]]\npath = {files}" for name, files in self.folders.items())
        (folder / "khal.conf").write_text(KHAL.format(calendars=calendars, folder=folder, default=collections[0]))
        (folder / "todoman.py").write_text(TODOMAN.format(folder=folder, default=collections[0]))

    def khal(self, *arguments: str, typed: str = "") -> str:
        return self.run("khal", "-c", str(self.folder / "khal.conf"), *arguments, typed=typed)

    def todoman(self, *arguments: str) -> str:
        return self.run("todo", "--config", str(self.folder / "todoman.py"), *arguments)

    def move(self, title: str, collection: str) -> None:
        """Move the event as ikhal does: the commands of khal cannot."""
        self.run("python", "-c", MOVE, str(self.folder / "khal.conf"), title, collection)

    def dates(self) -> list[str]:
        """The dates of June as khal lists them."""
        return self.khal("list", "2099-06-01", "30d", "--day-format", "", "--format", "{start} {title}").split("\n")[:-1]


@pytest.fixture
def owner(service: Running, tmp_path: Path) -> tuple[dict[str, str], Laptop]:
    """The Authorization of a new user, and a device of theirs."""
    name = tmp_path.name.replace("-", "_")[:30]
    token, password = sign_up(service, name)
    return token, Laptop(tmp_path, service, name, password)


@pytest.mark.soak
def test_khal_and_the_page_change_a_series_and_dates_of_it(service: Running, owner: tuple[dict[str, str], Laptop]) -> None:
    token, laptop = owner
    laptop.khal("new", "2099-06-01", "18:00", "20:00", "Gig", "--alarms", "15m", "--repeat", "weekly", "--until", "2099-06-16")
    [series] = laptop.sync().values()
    # The dates of a series are found on the page, and one of them is changed there, and one deleted.
    dates = service.get("/api/events?limit=100", headers=token).json["events"]
    assert [event["start_time"] for event in dates] == [f"2099-06-{day}T18:00:00+00:00" for day in ("01", "08", "15")]
    assert service.request("PUT", f"/api/events/{dates[1]['id']}", {"title": "Recording"}, token).status == 200
    assert service.request("DELETE", f"/api/events/{dates[2]['id']}", None, token).status == 200
    [changed] = laptop.sync().values()
    assert laptop.dates() == ["2099-06-01 18:00 Gig", "2099-06-08 18:00 Recording"]
    alarm = series[series.index(b"BEGIN:VALARM") : series.index(b"END:VALARM")]
    assert alarm in changed

    # khal changes the whole series, but not the date that has a title of its own; then it deletes all.
    laptop.khal("edit", "Gig", typed="s\nConcert\nq\n")
    laptop.sync()
    assert set(events(service, token)) == {"Concert", "Recording"}
    event = service.post("/api/events", {"title": "Tour", "start_time": "2099-06-20T10:00", **_place(service, token)}, headers=token)
    assert event.status == 201, event
    laptop.khal("edit", "Concert", typed="D\ny\nq\n")
    laptop.sync()
    assert set(events(service, token)) == {"Tour"}
    assert laptop.dates() == ["2099-06-20 10:00 Tour"]

    # Deletions on the page reach khal.
    assert service.request("DELETE", f"/api/events/{event.json['id']}", None, token).status == 200
    assert laptop.sync() == {}
    assert laptop.dates() == []


@pytest.mark.soak
def test_tasks_of_todoman_come_back_unchanged_to_another_device(
    service: Running, owner: tuple[dict[str, str], Laptop], tmp_path: Path
) -> None:
    token, laptop = owner
    laptop.todoman("new", "--due", "2099-06-02", "--priority", "high", "--location", "Shop", "Buy strings")
    [task] = laptop.sync().values()
    key = service.post("/api/keys", {"name": "phone", "kind": "dav"}, headers=token)
    user_name = service.get("/api/users/current", headers=token).json["user_name"]
    phone = Laptop(tmp_path / "phone", service, user_name, key.json["wkey"])
    assert list(phone.sync().values()) == [task]
    # No task is an event of the page.
    assert events(service, token) == {}
    assert "Buy strings" in phone.todoman("list")
    phone.todoman("done", "1")
    phone.sync()
    [done] = laptop.sync().values()
    assert b"STATUS:COMPLETED" in done
    assert "Buy strings" not in laptop.todoman("list")
    laptop.todoman("delete", "--yes", "1")
    assert laptop.sync() == {}
    assert phone.sync() == {}


@pytest.mark.soak
def test_khal_and_todoman_use_and_leave_a_shared_calendar_that_a_viewer_cannot_change(service: Running, tmp_path: Path) -> None:
    calendar_id, users = share_calendar(service)
    editor = Laptop(tmp_path / "editor", service, "the_editor", users["editor"][1], calendar_id, "own")
    viewer = Laptop(tmp_path / "viewer", service, "the_viewer", users["viewer"][1], calendar_id)
    editor.khal("new", "2099-06-01", "18:00", "20:00", "Gig", "--alarms", "15m")
    editor.todoman("new", "Buy strings")
    files = editor.sync()
    assert (len(files), viewer.sync()) == (2, files)

    # The changes of the viewer are refused, and stay on the device.
    viewer.khal("edit", "Gig", typed="s\nMine\nq\n")
    viewer.todoman("done", "1")
    assert viewer.sync_with_refusals() == 2
    assert viewer.dates() == ["2099-06-01 18:00 Mine"]
    assert editor.sync() == files
    assert set(events(service, users["owner"][0])) == {"Gig"}

    # The editor moves both to a calendar of their own.
    editor.move("Gig", "own")
    editor.todoman("move", "--list", "own", "1")
    moved = editor.read("own")
    assert (editor.sync(), editor.read("own"), moved.keys()) == ({}, moved, files.keys())
    assert (set(events(service, users["owner"][0])), set(events(service, users["editor"][0]))) == (set(), {"Gig"})


def _place(service: Running, token: dict[str, str]) -> dict[str, int]:
    """The calendar that vdirsyncer has made."""
    calendars = service.get("/api/calendars", headers=token).json["calendars"]
    return {"calendar_id": next(each["id"] for each in calendars if not each["primary"])}
