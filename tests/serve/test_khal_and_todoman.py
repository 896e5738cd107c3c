"""A calendar with khal, and its tasks with todoman, on a device of vdirsyncer."""

from pathlib import Path

import pytest

from tests.serve.conftest import Start
from tests.serve.running import Running
from tests.serve.test_caldav_clients import events, sign_up
from tests.serve.vdirsyncer import Device

KHAL = """[calendars]
[[band]]
path = {files}
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
default_calendar = band
"""
TODOMAN = """path = "{folder}/files/*"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
default_list = "band"
cache_path = "{folder}/todoman.db"
"""


class Laptop(Device):
    """A device with khal and todoman."""

    def __init__(self, folder: Path, service: Running, user_name: str, password: str):
        super().__init__(folder, service, user_name, password, type="caldav", collection="band")
        (folder / "khal.conf").write_text(KHAL.format(files=self.files, folder=folder))
        (folder / "todoman.py").write_text(TODOMAN.format(folder=folder))

    def khal(self, *arguments: str, typed: str = "") -> str:
        return self.run("khal", "-c", str(self.folder / "khal.conf"), *arguments, typed=typed)

    def todoman(self, *arguments: str) -> str:
        return self.run("todo", "--config", str(self.folder / "todoman.py"), *arguments)

    def dates(self) -> list[str]:
        """The dates of June as khal lists them."""
        return self.khal("list", "2099-06-01", "30d", "--day-format", "", "--format", "{start} {title}").split("\n")[:-1]


@pytest.fixture
def service(start: Start, database: str) -> Running:
    return start(database=database)


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


def _place(service: Running, token: dict[str, str]) -> dict[str, int]:
    """The calendar that vdirsyncer has made."""
    calendars = service.get("/api/calendars", headers=token).json["calendars"]
    return {"calendar_id": next(each["id"] for each in calendars if not each["primary"])}
